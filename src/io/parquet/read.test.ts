import { describe, expect, test } from 'vitest';
import { emptyPage, HOSTILE_COLUMNS, hostilePart } from '../../../test/kit/hostile-part.ts';
import { PART_COLUMNS } from '../../lake/part.ts';
import { readRows } from './read.ts';

const MB = 1024 * 1024;
const pages = (count: number) => Buffer.alloc(count * emptyPage().length, emptyPage());

describe('what a file makes us look at counts, whatever comes of it', () => {
  test('a file without rows is read, also one with groups and pages of nothing', () => {
    expect(readRows(hostilePart(Buffer.alloc(0), 0))).toEqual([]);
    expect(readRows(hostilePart(pages(3), 2))).toEqual([]);
  });

  test('pages without values', () => {
    const few = hostilePart(pages(10), 1);
    const many = hostilePart(pages(400), 1);
    expect(readRows(few, PART_COLUMNS, MB)).toEqual([]);
    expect(400 * HOSTILE_COLUMNS * 256).toBeGreaterThan(MB);
    expect(() => readRows(many, PART_COLUMNS, MB)).toThrow('more memory');
  });

  test('the same pages, shown by one group after another', () => {
    const part = hostilePart(pages(3_000), 300);
    expect(part.length).toBeLessThan(256 * 1024);
    expect(() => readRows(part)).toThrow('more memory');
  });

  test('groups without rows or columns to speak of', () => {
    const part = hostilePart(Buffer.alloc(0), 500);
    expect(readRows(part, PART_COLUMNS, MB)).toEqual([]);
    expect(() => readRows(part, PART_COLUMNS, MB / 8)).toThrow('more memory');
  });

  test('rows that no page has are refused', () => {
    expect(() => readRows(hostilePart(pages(3), 1, 1))).toThrow('cut off');
  });
});
