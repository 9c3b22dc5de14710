import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const NOT_YET_COUNT = 5;
const PAGE = new URL('../docs/behaviours.md', import.meta.url);
const ROOT = new URL('../', import.meta.url);
/** A call of `test` or `it`, with or without a table before the name. */
const CALL = /\b(?:test|it)\b(?:\.\w+\b)*\s*\(\s*(['"`])((?:\\.|(?!\1)[^\n])*)\1/g;
const AFTER_TABLE = /^[^\n]*\)\(\s*(['"`])((?:\\.|(?!\1)[^\n])*)\1/gm;

const rows = readFileSync(PAGE, 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!Behaviour \|)/.test(line))
  .map((line) => {
    const cells = line.slice(2, -2).split(' | ');
    const [behaviour = '', file = ''] = cells;
    return {
      behaviour,
      file: file.replaceAll('`', ''),
      name: unescaped(cells.slice(2).join(' | ')),
    };
  });
const shown = rows.filter((row) => row.file !== 'not yet');

test('the table is read', () => {
  expect(shown.length).toBeGreaterThan(90);
});

test.each(shown)('$behaviour', ({ file, name }) => {
  const path = new URL(file, ROOT);
  expect(existsSync(path), file).toBe(true);
  expect(namesIn(readFileSync(path, 'utf8'))).toContain(name);
});

test('no behaviour stands there twice', () => {
  const all = rows.map((row) => row.behaviour);
  expect(all.filter((one, at) => all.indexOf(one) !== at)).toEqual([]);
});

test('those that are not shown yet get fewer, and say why', () => {
  const open = rows.filter((row) => row.file === 'not yet');
  expect(open).toHaveLength(NOT_YET_COUNT);
  for (const row of open) expect(row.name, row.behaviour).not.toBe('');
});

function namesIn(source: string): string[] {
  return [CALL, AFTER_TABLE].flatMap((calls) =>
    [...source.matchAll(calls)].map((found) => unescaped(found[2] ?? '')),
  );
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}
