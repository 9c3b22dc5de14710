import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Addition,
  appendChildren,
  applyEdits,
  layoutOf,
  removeChildren,
} from './json-edit.ts';
import { type JsonContainer, parseJson } from './json-text.ts';

function rootOf(text: string): JsonContainer {
  const root = parseJson(text);
  if (root.kind !== 'object' && root.kind !== 'array') throw new Error('not a container');
  return root;
}

function append(text: string, additions: readonly Addition[]): string {
  const root = rootOf(text);
  return applyEdits(text, [appendChildren(text, root, '', layoutOf(text, root), additions)]);
}

function remove(text: string, which: (index: number) => boolean): string {
  const root = rootOf(text);
  const gone = new Set(root.children.filter((_, index) => which(index)));
  return applyEdits(text, removeChildren(text, root, gone));
}

describe('layoutOf', () => {
  test.each([
    ['{}', '\n', '  ', ': ', ' '],
    ['{"a":[1,2],"b":{}}', '\n', '  ', ':', ''],
    ['{"a": [1, 2], "b": {}}', '\n', '  ', ': ', ' '],
    ['{"a":1}', '\n', '  ', ':', ''],
    ['{\r\n\t"a" : [1,  2]\r\n}', '\r\n', '\t', ' : ', '  '],
    ['{\n    "a": {\n        "b": 1\n    }\n}', '\n', '    ', ': ', ' '],
    ['  {\n    "a": 1\n  }', '\n', '  ', ': ', ' '],
    ['{\n"a": 1,\n"b": 2\n}', '\n', '', ': ', ' '],
    ['{"a": {\n   "b": 1}}', '\n', '   ', ': ', ' '],
    ['{"a":\n1}', '\n', '  ', ': ', ' '],
  ])('of %j', (text, newline, unit, colon, gap) => {
    expect(layoutOf(text, parseJson(text))).toEqual({ newline, unit, colon, gap });
  });
});

describe('appendChildren', () => {
  test.each([
    ['{}', '{\n  "k": [\n    {}\n  ]\n}'],
    ['{"a":1}', '{"a":1,"k":[{}]}'],
    ['{ "a": 1 }', '{ "a": 1, "k": [{}] }'],
    ['{\r\n\t"a": 1\r\n}\r\n', '{\r\n\t"a": 1,\r\n\t"k": [\r\n\t\t{}\r\n\t]\r\n}\r\n'],
    ['{\n  "a": 1}', '{\n  "a": 1,\n  "k": [\n    {}\n  ]}'],
    ['{ }', '{\n  "k": [\n    {}\n  ] \n}'],
  ])('to %j', (text, expected) => {
    expect(append(text, [{ key: 'k', value: [{}] }])).toBe(expected);
  });
});

describe('removeChildren', () => {
  const text = '[ 1 , 2,3\n, 4 ]';
  test.each([
    [[0], '[ 2,3\n, 4 ]'],
    [[1], '[ 1,3\n, 4 ]'],
    [[3], '[ 1 , 2,3 ]'],
    [[0, 1], '[ 3\n, 4 ]'],
    [[1, 2], '[ 1\n, 4 ]'],
    [[0, 2], '[ 2\n, 4 ]'],
    [[0, 1, 3], '[ 3 ]'],
    [[], text],
    [[0, 1, 2, 3], '[ ]'],
  ])('%j', (gone, expected) => {
    expect(remove(text, (index) => gone.includes(index))).toBe(expected);
  });

  test('undoes appendChildren, whatever white space there was', () => {
    const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 4 });
    const spaced = fc.tuple(
      fc.array(fc.constantFrom('1', '[]', '{"x" :[ 1,2]}', '[\n3\n]')),
      fc.array(space, { minLength: 3 }),
    );
    fc.assert(
      fc.property(spaced, fc.integer({ min: 1, max: 4 }), ([items, spaces], count) => {
        let turn = 0;
        const next = () => spaces[turn++ % spaces.length] ?? '';
        const before = `${next()}[${items.map((item) => next() + item + next()).join(',') || next()}]${next()}`;
        const value = { a: ['x', { b: 1 }] };
        const after = append(
          before,
          Array.from({ length: count }, () => ({ value })),
        );
        expect(JSON.parse(after)).toEqual([...JSON.parse(before), ...Array(count).fill(value)]);
        expect(remove(after, (index) => index >= items.length)).toBe(before);
      }),
      { numRuns: 2_000 },
    );
  });
});

test('white space of any length is read in time that its size explains', () => {
  for (const space of [`${' '.repeat(200_000)}\n`, '\n'.repeat(200_000), ' \n'.repeat(100_000)]) {
    const text = `{${space}"a": 1}`;
    expect(JSON.parse(append(text, [{ key: 'b', value: 2 }]))).toEqual({ a: 1, b: 2 });
  }
});
