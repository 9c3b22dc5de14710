import { expect, test } from 'vitest';
import { propositionsIn } from './written.ts';

const said = (text: string) => propositionsIn(text).written.map(({ statement }) => statement);
const left = (text: string) => propositionsIn(text).leftOut.map(({ reason }) => reason);

test.each<[string, string, string[]]>([
  [
    'a list',
    '- Run the tests first.\n* Keep lines short, please.',
    ['Run the tests first.', 'Keep lines short, please.'],
  ],
  [
    'a task and a number',
    '- [ ] Sign every release tag.\n2. Use tabs for Makefiles.',
    ['Sign every release tag.', 'Use tabs for Makefiles.'],
  ],
  [
    'an item over two lines',
    '- Write tests with\n  real fixtures.',
    ['Write tests with real fixtures.'],
  ],
  [
    'headings of both kinds',
    '# Use no globals here\nTitles stand here\n===\nUse no globals.',
    ['Use no globals.'],
  ],
  ['code', '```sh\n- rm the whole build\n```\n~~~\n- and this one too\n~~~\n', []],
  ['a fence that is never closed', '```\n- hidden in the code', []],
  [
    'a comment over lines',
    '<!-- - not this one\n- nor this one -->\n- But this one counts.',
    ['But this one counts.'],
  ],
  [
    'what Credence put there',
    '<credence-context ids="x">\n- injected by a peer\n</credence-context>\n- Real rule stands here.',
    ['Real rule stands here.'],
  ],
  [
    'front matter',
    '---\ndescription: all of the files\n---\n- Prefer small modules.',
    ['Prefer small modules.'],
  ],
  ['links alone', '- [guide](https://x.example)\n- https://x.example/a', []],
  ['dress', '- **Never** use *any* [casts](x.md) in `a*b*c`.', ['Never use any casts in `a*b*c`.']],
  [
    'two sentences',
    'Use `just. Not make`. Run it in the root.',
    ['Use `just. Not make`.', 'Run it in the root.'],
  ],
  ['a quotation', '> Ask before you delete files.', ['Ask before you delete files.']],
])('takes of %s what is one thing', (_what, text, statements) => {
  expect(said(text)).toEqual(statements);
});

test.each<[string, string]>([
  ['two_things', 'The linter fails on unused imports, and CI runs the linter first.'],
  ['too_short', '- Be terse.'],
  ['too_long', `Explain ${'at length '.repeat(60)}`],
  ['import', '@docs/rules.md'],
  ['table', '| a | b |'],
  ['intro', 'These are the rules:'],
])('names what is left out: %s', (reason, text) => {
  expect([said(text), left(text)]).toEqual([[], [reason]]);
});

test('a second sentence that refers back is left out', () => {
  expect(left('Never edit generated files. They live in gen.')).toEqual(['refers_back']);
});

test('cites the lines and the bytes that it stands in, wide characters before them', () => {
  const text = '# Häuser\n\n- Use 2 spaces\n  to indent.\n';
  const [one] = propositionsIn(text).written;
  expect(one).toMatchObject({ first: 3, last: 4 });
  const bytes = Buffer.from(text).subarray(one?.start, one?.end).toString();
  expect(bytes).toBe('- Use 2 spaces\n  to indent.');
});
