import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../base/hash.ts';
import { IdTable } from './id-table.ts';

const idOf = (n: number) => sha256Hex(String(n)).slice(0, 32);

describe('ids', () => {
  test('are numbered in the order in which they come, each once', () => {
    const table = new IdTable();
    const ids = Array.from({ length: 20_000 }, (_, n) => idOf(n));
    expect(ids.map((id) => table.add(id))).toEqual(ids.map((_, n) => n));
    expect(ids.map((id) => table.add(id))).toEqual(ids.map((_, n) => n));
    expect(ids.map((id) => table.numberOf(id))).toEqual(ids.map((_, n) => n));
    expect(table.numberOf(idOf(20_000))).toBeUndefined();
  });

  test.each(['', 'x', '0'.repeat(32), 'F'.repeat(32), '0'.repeat(31), '🦊'])(
    '%j is one like any other',
    (id) => {
      const table = new IdTable();
      table.add(idOf(1));
      expect(table.numberOf(id)).toBeUndefined();
      expect(table.add(id)).toBe(1);
      expect(table.numberOf(id)).toBe(1);
      expect(table.add(idOf(2))).toBe(2);
    },
  );
});

describe('ids that someone chose', () => {
  test('are not taken for each other because they begin the same', () => {
    const table = new IdTable();
    expect([0, 1, 2].map((n) => table.add(`${'a'.repeat(31)}${n}`))).toEqual([0, 1, 2]);
  });

  test('that all begin at one slot take no longer than others', () => {
    const table = new IdTable();
    const chosen = (n: number) => (n * 2 ** 20).toString(16).padStart(13, '0').padEnd(32, '0');
    for (let n = 0; n < 60_000; n++) table.add(chosen(n));
    expect(table.numberOf(chosen(59_999))).toBe(59_999);
  });
});
