import { describe, expect, test } from 'vitest';
import { redactEvent, redactText } from '../redact.ts';

const policy = {
  key: new Uint8Array(32).fill(1),
  deniedPaths: ['/repo/private/**', 'plans/**', '*.secret'],
  cwd: '/repo/src',
};
const LONG = 48_000;
const SHORT = LONG / 8;

const redactCall = (input: string, result: string) =>
  redactEvent(
    {
      emitted_at: '',
      session_id: '',
      event_type: 'tool_call',
      native: { key: '', counted: false },
      cwd: policy.cwd,
      tool: { input, result },
    },
    policy,
  ).event.tool;

function look(text: string): void {
  redactText(text, 'output', policy);
  redactCall(JSON.stringify({ command: text, file_path: text }), JSON.stringify([text]));
}

function lookAtInput(input: string): void {
  redactCall(input, '');
}

/** Milliseconds of processor time, so that other work on the machine counts less. */
function cost(work: () => void): number {
  const start = process.cpuUsage();
  work();
  return process.cpuUsage(start).user / 1000;
}

/**
 * Eight times the text may take twenty times as long and a tenth of a second more, in the best of three attempts: in
 * proportion it would be eight times, by the square sixty-four.
 */
function expectProportion(make: (length: number) => string, run = look): void {
  const [short, long] = [make(SHORT), make(LONG)];
  run(short);
  const attempts = [1, 2, 3].map(() => () => {
    const few = cost(() => run(short));
    return cost(() => run(long)) <= 20 * few + 100;
  });
  expect(attempts.some((attempt) => attempt())).toBe(true);
}

const LONG_VALUE = 'Ab1x9'.repeat(120);
const FRAMES: readonly (readonly [name: string, head: string, tail: string])[] = [
  ['nothing', '', ''],
  ['a variable', `DB_PASSWORD=${LONG_VALUE}`, 'x'],
  ['a short variable', 'DB_PASSWORD=Ab1x9', 'x'],
  ['a setting', `password: ${LONG_VALUE}`, 'x'],
  ['a quoted value', `token: "${LONG_VALUE}`, 'x"'],
  ['a header', `Authorization: Bearer ${LONG_VALUE}`, 'x'],
  ['a cookie', `Cookie: a=${LONG_VALUE}`, 'x'],
  ['a user of a URL', 'https://ada:x1', '@h/x'],
  ['an argument', `curl -u ada:${LONG_VALUE}`, 'x'],
  ['a token', `gh${'p_'}${LONG_VALUE}`, 'x'],
  ['a token with dots', `ya${'29.'}${LONG_VALUE}`, 'x'],
  ['a signature', `https://x/?sig=${LONG_VALUE}`, 'x'],
  [
    'a key',
    `-----BEGIN ${'RSA PRIVATE'} KEY-----\n${LONG_VALUE}\n`,
    `\n-----END ${'RSA PRIVATE'} KEY-----`,
  ],
  ['a word of a command', 'cat x', 'x .env.example'],
  ['a quoted word', 'cat "x', 'x" y'],
  ['a nested command', "bash -c 'cat x", "x'"],
  ['a path in a line', '.env', 'x:1:y'],
];
const SIGNS = ['.;|&,?!', ')(][}{><', '"\'`\\', ' \t\r\n', '-_=+/:@#', '$%~*^é\u001b\ud83d'];

describe.each(FRAMES)('behind %s, time grows with the length', (_, head, tail) => {
  test.each(SIGNS)('of runs of each of %j', (signs) => {
    expectProportion((length) =>
      [...signs].map((sign) => head + sign.repeat(length / signs.length) + tail).join('\n'),
    );
  });
});

test.each([
  'find;',
  'find . -name x | xargs cat;',
  'ls x|',
  'cd a;',
  'cd ..;',
  'cat a=b:c@d,',
  'a=b ',
  'sudo -u x ',
  'eval ',
  'bash -c "',
  'python -c "x" ',
  'docker exec a sh ',
  'node -e "a" bash ',
  'F=.env;cat $G;',
  'cp .env a;',
  'cp .env ',
  'for f in .env;',
  'cat ~/.aws/*x ',
  'cat $(ls a)|',
  'ls a|sh|',
  '(cd a;',
  '((cd a)',
  'echo a|docker login --password-stdin;',
  'sed -i s/a/b/ .env;',
  'login -p ',
  'docker login -p ',
  'user a login login ',
  'config set a:',
  'grep -e ',
  'jq --arg a ',
  'cat <<E\n',
  'cat <<E ',
  '"$(',
  '"`',
  '`a`',
  '$(a)',
  '{a,',
  '{a,b}',
  '[a',
  '[[a]',
  '.env',
  '.env:1:a\n',
  '.env-1-a\n',
  '.env\n1:a\n',
  'a:1:b\n',
  'main:.env:b\n',
  'a:b:',
  '| * | diff --git a/.env b/.env\n',
  'diff -r a/.env b/.env\n1c1\n',
  '|',
  '{"path":".env","a":"b"}\n',
  'a-1-',
  'plans/x:1:y\n',
  '==> .env <==\n',
  '--- a\n+++ b\n',
  'diff --git a/.env b/.env\n',
  'curl -u a:b',
  'curl -b "a=bbbbbb" ',
  'sshpass -p ',
  "identified by 'a",
  `-ya${'29.'}`,
  `-gh${'p_'}`,
  '-sk-ant-',
  `/LS0tLS1CRUdJTiBSU0E${'g'}`,
  '-sig=a1b2c3d4e5f6g7h8i9j0',
  'https://a:b1/',
  'https://a:b@',
  'x:\\/\\/a:b1\\/',
  'https://hooks.slack.com/services/',
  'basic QWxhZGRpbjpvcGVu',
  `"-----BEGIN ${'RSA PRIVATE'} KEY-----" `,
  `'-----BEGIN ${'RSA PRIVATE'} KEY-----'Comment: `,
  'Private-Lines: 1\n',
  'Private-Lines: 1\naB3dE6gH9kLmN0pQrStU\n',
  's.aB3dE6gH9kLmN0pQrStUvWx1/',
  '["a",',
  '{"a":',
])('time grows with how often %j stands there', (unit) => {
  expectProportion((length) => unit.repeat(length / unit.length));
});

test('a long key in JSON is not read again for each value below it', () => {
  expectProportion((length) => {
    const half = length / 2;
    return JSON.stringify({ [`${'x'.repeat(half)}token`]: Array(half / 8).fill('Ab1x9Ab') });
  }, lookAtInput);
});

test('a long working folder is not read again for each word', () => {
  expectProportion((length) => {
    const half = length / 2;
    return JSON.stringify({ workdir: 'x/'.repeat(half / 2), command: 'cat a '.repeat(half / 6) });
  }, lookAtInput);
});

test.each<readonly [string, (text: string) => string]>([
  ['a file', (text) => JSON.stringify({ content: text, file_path: '.env' })],
  ['a list of lines', (text) => JSON.stringify({ lines: text.split('\n'), path: '.env' })],
  ['a document', (text) => JSON.stringify({ command: `cat <<E\n${text}\nE\ncat .env` })],
  ['lists in lists', () => `${'['.repeat(2_000_000)}{"path":".env"}${']'.repeat(2_000_000)}`],
])('sixteen megabytes of %s are read to their end', { timeout: 60_000 }, (_, make) => {
  const prose = 'The quick brown fox jumps over 12 lazy dogs.\n'.repeat(350_000);
  expect(redactCall(make(prose), prose)?.result).toMatch(/^\[withheld:denied-path \d+B \w{8}\]$/);
});
