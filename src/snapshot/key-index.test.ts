import { expect, test } from 'vitest';
import { KeyIndex } from './key-index.ts';

// So many that some have one hash: 100,000 of 2^32 pair up once or twice in each run.
const KEYS = Array.from({ length: 100_000 }, (_, i) => `session-${i * 7}\nhandoff`);

test('each key is found in its row, and those that were not added in none', () => {
  const index = new KeyIndex(12_345);
  const isOf = (key: string) => (row: number) => KEYS[row - 1] === key;
  for (const [i, key] of KEYS.entries()) {
    if (i % 1_000 === 0) expect(index.find(key, isOf(key))).toBeUndefined();
    index.add(key, i + 1);
  }
  const found = KEYS.map((key) => index.find(key, isOf(key)));
  expect(found).toEqual(KEYS.map((_, i) => i + 1));
  const absent = KEYS.filter((key) => index.find(`${key}?`, isOf(`${key}?`)) !== undefined);
  expect(absent).toEqual([]);
});

test('keys of one hash are told apart by whoever holds them', () => {
  const index = new KeyIndex(1);
  index.add('a', 1);
  index.add('a', 2);
  const asked: number[] = [];
  const second = index.find('a', (row) => {
    asked.push(row);
    return row === 2;
  });
  expect(second).toBe(2);
  expect(asked).toEqual([1, 2]);
});
