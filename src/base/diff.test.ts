import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffLines } from './diff.ts';

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`);

/** Carries out a unified diff as `patch` does, line numbers and context checked. */
function patch(before: string, diff: string): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const out: string[] = [];
  let at = 0;
  for (const hunk of diff.split(/^(?=@@ )/m).filter((part) => part !== '')) {
    const [head = '', ...body] = hunk
      .replaceAll('\n\\ No newline at end of file\n', '§\n')
      .split(/(?<=\n)/);
    const [, start, olds = '1', begin, news = '1'] =
      /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$/.exec(head) ?? [];
    const first = Number(start) - (olds === '0' ? 0 : 1);
    out.push(...old.slice(at, first));
    expect(out.length).toBe(Number(begin) - (news === '0' ? 0 : 1));
    at = first;
    const rows = body.map((row) => ({ sign: row[0], line: row.slice(1).replace('§\n', '') }));
    expect(rows.filter(({ sign }) => sign !== '+').length).toBe(Number(olds));
    expect(rows.filter(({ sign }) => sign !== '-').length).toBe(Number(news));
    for (const { sign, line } of rows) {
      if (sign !== '+') expect(old[at++]).toBe(line);
      if (sign !== '-') out.push(line);
    }
  }
  return [...out, ...old.slice(at)].join('');
}

describe('diffLines', () => {
  test.each([
    ['equal', lines('a'), lines('a'), ''],
    ['both empty', '', '', ''],
    ['a new file', '', lines('a', 'b'), '@@ -0,0 +1,2 @@\n+a\n+b\n'],
    ['a file emptied', lines('a'), '', '@@ -1 +0,0 @@\n-a\n'],
    [
      'three lines of context',
      lines(...numbered(1, 9)),
      lines(...numbered(1, 4), 'five', ...numbered(6, 9)),
      '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    ],
    [
      'two hunks',
      lines(...numbered(1, 9)),
      lines('0', ...numbered(1, 8)),
      '@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -6,4 +7,3 @@\n 6\n 7\n 8\n-9\n',
    ],
    [
      'contexts that meet are one hunk',
      lines('a', ...numbered(1, 6), 'b'),
      lines(...numbered(1, 6)),
      '@@ -1,8 +1,6 @@\n-a\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n',
    ],
    [
      'a final newline that goes',
      lines('a', 'b'),
      'a\nb',
      '@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n',
    ],
    [
      'no final newline in both',
      'a\nb',
      'x\nb',
      '@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n',
    ],
    ['line ends', 'a\r\n', 'a\n', '@@ -1 +1 @@\n-a\r\n+a\n'],
  ])('%s', (_, before, after, expected) => {
    expect(diffLines(before, after)).toBe(expected);
  });

  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'a\r\n'), { maxLength: 40 })
    .chain((all) => fc.constantFrom('', 'a', 'z').map((last) => all.join('') + last));

  test('patching with it gives the second text', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(patch(before, diffLines(before, after))).toBe(after);
      }),
      { numRuns: 2_000 },
    );
  });

  test('lines put in show as additions only', () => {
    fc.assert(
      fc.property(
        text,
        fc.nat(),
        fc.array(fc.constant('new\n'), { minLength: 1 }),
        (before, at, added) => {
          const all = before.match(/[^\n]*\n/g) ?? [];
          const whole = all.join('');
          const place = at % (all.length + 1);
          const after = [...all.slice(0, place), ...added, ...all.slice(place)].join('');
          const signs = diffLines(whole, after).match(/^[-+](?=.*\n)/gm);
          expect(signs).toEqual(added.map(() => '+'));
        },
      ),
    );
  });

  test('very many changed lines: bounded, and still right', () => {
    const before = lines('top', ...numbered(1, 30_000), 'end');
    const after = lines('top', ...numbered(40_001, 70_000), 'end');
    const diff = diffLines(before, after);
    expect(diff.startsWith('@@ -1,30002 +1,30002 @@\n top\n-1\n-2\n')).toBe(true);
    expect(diff.endsWith('+70000\n end\n')).toBe(true);
  });
});
