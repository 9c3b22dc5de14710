import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ulid } from './ulid.ts';

const zeros = new Uint8Array(10);
const ones = new Uint8Array(10).fill(255);

describe('ulid', () => {
  test.each([
    [0, zeros, '00000000000000000000000000'],
    [1, zeros, '00000000010000000000000000'],
    [0, ones, '0000000000ZZZZZZZZZZZZZZZZ'],
    // The instant of the example in the ULID specification.
    [1_469_918_176_385, zeros, '01ARYZ6S410000000000000000'],
    [2 ** 48 - 1, ones, '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'],
    [1.9, zeros, '00000000010000000000000000'],
    [-1, zeros, '00000000000000000000000000'],
  ])('%s', (ms, random, expected) => {
    expect(ulid(ms, random)).toBe(expected);
  });

  const anyMs = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  const anyRandom = fc.uint8Array({ minLength: 10, maxLength: 10 });

  test('names sort by age, and those of one moment by their bytes', () => {
    fc.assert(
      fc.property(anyMs, anyMs, anyRandom, anyRandom, (a, b, x, y) => {
        const names = [ulid(a, x), ulid(b, y)] as const;
        expect(names[0]).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
        const order = a - b || Buffer.compare(x, y);
        expect(names[0] < names[1]).toBe(order < 0);
        expect(names[0] === names[1]).toBe(order === 0);
      }),
    );
  });

  test('only ten bytes are used', () => {
    expect(ulid(5, new Uint8Array(16).fill(7))).toBe(ulid(5, new Uint8Array(10).fill(7)));
  });
});
