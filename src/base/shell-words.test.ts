import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shellWords } from './shell-words.ts';

describe('shellWords', () => {
  const cases: [line: string, commands: string[][]][] = [
    ['', []],
    ['  \t ', []],
    ['a b  c', [['a', 'b', 'c']]],
    [`"a b" 'c d' e\\ f`, [['a b', 'c d', 'e f']]],
    [`a"b c"'d'`, [['ab cd']]],
    [`"" ''`, [['', '']]],
    ['"\\$x \\" \\\\ \\n"', [['$x " \\ \\n']]],
    [`'\\a "'`, [['\\a "']]],
    ['a\\\nb', [['ab']]],
    ['"a\\\nb"', [['ab']]],
    ['a && b; c | d > e', [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['a\nb', [['a'], ['b']]],
    ['a # b "c', [['a']]],
    ['a # b\nc', [['a'], ['c']]],
    ['a#b "#c"', [['a#b', '#c']]],
    ['"open a', [['open a']]],
    ['a\\', [['a\\']]],
    ['node C:\\tools\\x.js y', [['node', 'C:\\tools\\x.js', 'y']]],
    ['node "C:\\my tools\\x.js"', [['node', 'C:\\my tools\\x.js']]],
    ['node C:\\my\\ tools', [['node', 'C:\\my tools']]],
    [
      '$HOME/x $Y $(z w)',
      [
        ['$HOME/x', '$Y', '$'],
        ['z', 'w'],
      ],
    ],
  ];
  test.each(cases)('%j', (line, commands) => {
    expect(shellWords(line)).toEqual(commands);
  });

  test('words that are quoted come back as they were', () => {
    const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        expect(shellWords(words.map(quote).join(' '))).toEqual([words]);
      }),
    );
  });

  test('any text is read, in time that grows with its length', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (line) => void shellWords(line)));
    expect(shellWords('\\"'.repeat(500_000))).toEqual([['"'.repeat(500_000)]]);
    expect(shellWords('# '.repeat(500_000))).toEqual([]);
  });
});
