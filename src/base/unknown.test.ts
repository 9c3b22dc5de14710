import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countOf, defined, jsonIn, listOf, objectOf, textOf } from './unknown.ts';

const absent = [undefined, null, true, Number.NaN, Symbol('a'), () => 1];

test.each<[unknown, unknown]>([
  ...absent.map((value): [unknown, unknown] => [value, {}]),
  ['text', {}],
  [[1], {}],
  [{ a: 1 }, { a: 1 }],
])('objectOf %o', (value, expected) => {
  expect(objectOf(value)).toEqual(expected);
});

test.each<[string, unknown]>([
  ['', undefined],
  ['{"a"', undefined],
  ['null', null],
  ['{"a":["é"]}', { a: ['é'] }],
])('jsonIn %j, as a text and as bytes', (text, expected) => {
  expect(jsonIn(text)).toEqual(expected);
  expect(jsonIn(Buffer.from(text))).toEqual(expected);
});

test.each<[unknown, unknown]>([
  ...absent.map((value): [unknown, unknown] => [value, []]),
  ['text', []],
  [{ length: 1, 0: 1 }, []],
  [
    [1, 2],
    [1, 2],
  ],
])('listOf %o', (value, expected) => {
  expect(listOf(value)).toEqual(expected);
});

test.each<[unknown, unknown]>([
  ...absent.map((value): [unknown, unknown] => [value, undefined]),
  ['', undefined],
  [7, undefined],
  [['a'], undefined],
  [' ', ' '],
  ['text', 'text'],
])('textOf %o', (value, expected) => {
  expect(textOf(value)).toBe(expected);
});

test.each<[unknown, unknown]>([
  ...absent.map((value): [unknown, unknown] => [value, undefined]),
  ['7', undefined],
  [7n, undefined],
  [-1, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [2 ** 53, undefined],
  [0, 0],
  [1.5, 2],
  [1.4, 1],
  [2 ** 53 - 1, 2 ** 53 - 1],
])('countOf %o', (value, expected) => {
  expect(countOf(value)).toBe(expected);
});

test('whatever comes, the readers answer and never throw', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
      expect(typeof objectOf(value)).toBe('object');
      expect(Array.isArray(listOf(value))).toBe(true);
      expect(textOf(value) ?? 'a').not.toBe('');
      expect(countOf(value) ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('a member that is undefined is absent, and nothing else is', () => {
  const members = { a: undefined, b: null, c: 0, d: '', e: false };
  expect(Object.entries(defined(members))).toEqual([
    ['b', null],
    ['c', 0],
    ['d', ''],
    ['e', false],
  ]);
});
