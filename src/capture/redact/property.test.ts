import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactEvent, redactText } from '../redact.ts';
import { commandTouchesDenied } from './shell.ts';

const policy = {
  key: new Uint8Array(32).fill(1),
  deniedPaths: ['secrets/**', '/repo/plans'],
  cwd: '/repo/src',
};
const kinds = fc.constantFrom('prose' as const, 'command' as const, 'output' as const);

/** Texts of the pieces that rules look for, so that they meet, overlap and cut each other off. */
const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      'password',
      'token',
      'secret',
      'api_key',
      'API key',
      '=',
      ': ',
      ' := ',
      '"',
      "'",
      '\\"',
      '\\n',
      '\n',
      ' ',
      ',',
      ';',
      '[withheld:',
      '[withheld:x 3B 0a1b2c3d]',
      'https://',
      'ada:',
      'hunter2',
      '@host',
      'Authorization: ',
      'Bearer ',
      'Basic ',
      'Cookie: ',
      'Set-Cookie: ',
      'a=b',
      '; ',
      '<private>',
      '</private>',
      '-----BEGIN ',
      'RSA PRIVATE KEY-----',
      '-----END ',
      'eyJhbGciOiJ9',
      '.',
      'gh',
      'p_',
      'sk-',
      'ant-',
      'AK',
      'IA',
      '4111 1111 1111 1111',
      '123-45-6789',
      'curl -u ',
      'diff --git a/.env b/.env\n',
      '.env:1:',
      '.env-2-',
      '.env\n3:',
      '.env:',
      'HEAD:',
      'secrets/x:',
      '../plans/x-1-',
      '==> .env <==\n',
      '--- a/.env\n+++ b/.env\n',
      '--\n',
      'https://ada:x1/',
      '?',
      '#',
      '@',
      '" + "',
      'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ',
      'sha256:',
      ['$', '{X}'].join(''),
      '{',
      '}',
      '\ud83d',
      '\0',
      'é',
    ),
    fc.stringMatching(/^[A-Za-z0-9+/_-]{1,70}$/),
    fc.stringMatching(/^[0-9a-f]{8,64}$/),
  ),
  { maxLength: 24 },
);
const texts = fc.oneof(
  pieces.map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    maxLength: 200,
  }),
);

describe('for any text', () => {
  test('redacting twice is redacting once', () => {
    fc.assert(
      fc.property(texts, kinds, (text, kind) => {
        const once = redactText(text, kind, policy);
        const twice = redactText(once.text, kind, policy);
        expect(twice).toEqual({ text: once.text, rules: [], withheld: false });
      }),
      { numRuns: 3000 },
    );
  });

  test('rules fired if and only if the text changed; they are sorted, each once', () => {
    fc.assert(
      fc.property(texts, kinds, (text, kind) => {
        const { text: clean, rules } = redactText(text, kind, policy);
        expect(rules.length > 0).toBe(clean !== text);
        expect(rules).toEqual([...new Set(rules)].sort());
      }),
      { numRuns: 1000 },
    );
  });

  test('a token never survives, whatever stands around it', () => {
    const token = ['ghp', 'aZ9bY8cX7dW6eV5fU4gT3hS2iR1jQ0kP9lO8'].join('_');
    fc.assert(
      fc.property(texts, texts, kinds, (before, after, kind) => {
        const { text } = redactText(`${before} ${token} ${after}`, kind, policy);
        expect(text).not.toContain(token.slice(0, 20));
      }),
      { numRuns: 1000 },
    );
  });

  test('JSON stays JSON, and an event of it comes to rest', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.oneof(
            fc.constantFrom(
              'password',
              'command',
              'file_path',
              'content',
              'name',
              'value',
              'token',
              'source',
              'workdir',
              'args',
            ),
            texts,
          ),
          fc.oneof(texts, fc.array(texts), fc.jsonValue(), fc.constant('.env')),
        ),
        fc.constantFrom('', '\nend', '\n{"path":"a.ts","text":"x"}'),
        (input, end) => {
          const once = redactEvent(
            {
              emitted_at: '',
              session_id: '',
              event_type: 'tool_call',
              native: { key: '', counted: false },
              tool: { input: JSON.stringify(input), result: JSON.stringify(input) + end },
            },
            policy,
          );
          JSON.parse(once.event.tool?.input ?? '');
          const twice = redactEvent(once.event, policy);
          expect(twice.event).toEqual(once.event);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a command is read without an exception', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'cat',
            ' ',
            '.env',
            '"',
            "'",
            '$(',
            ')',
            '`',
            '<<EOF',
            '\n',
            'EOF',
            '<',
            '>',
            '|',
            ';',
            '\\',
            '#',
            '$',
            '((',
            '&&',
          ),
          { maxLength: 30 },
        ),
        (parts) => {
          expect(typeof commandTouchesDenied(parts.join(''), {})).toBe('boolean');
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('much of one thing', () => {
  test.each([
    'a',
    'A',
    '0',
    '-',
    '=',
    '"',
    "'",
    '\\',
    '\n',
    ' ',
    '\0',
    '\ud83d',
    'é',
    '/',
    '.',
    '{',
    '[',
    '-----BEGIN ',
    'https://',
    'eyJ',
    '<private>',
    'password=',
    'token: ',
    'Cookie: a=',
    'authorization:',
    'sk-ant-',
    'A1b2',
    '$(',
    '<<EOF\n',
    '\'"',
  ])('%j neither throws nor hangs', (unit) => {
    // What has rules behind it gets less: each piece of it is looked at.
    const text = unit.repeat((unit.length === 1 ? 1_000_000 : 200_000) / unit.length);
    for (const kind of ['command', 'output'] as const) {
      expect(redactText(text, kind, policy).text.length).toBeLessThanOrEqual(text.length * 4);
    }
    expect(typeof commandTouchesDenied(text, {})).toBe('boolean');
  });

  test.each([
    ['a web token', 'eyJ', 'a'],
    ['a web token with dashes', '', 'eyJ-'],
    ['a header of fields', 'Authorization: ', 'Digest a="b", '],
    ['a bearer header', 'Authorization: Bearer ', 'A1'],
    ['a password', 'PASSWORD=', 'x1'],
    ['a quoted password', 'password="', 'x1'],
    ['a cookie', 'Cookie: a=', 'b1; c='],
    ['a name with escapes', 'name: token', '\\'],
    ['a flag with spaces', '--password', ' '],
    ['a command with spaces', 'sshpass', ' '],
    ['a dense run', '', 'aB3/'],
    ['a key', `-----BEGIN ${'RSA PRIVATE'} KEY-----\n`, 'aB3dE6gH'],
  ])('twelve megabytes of %s do not exhaust the stack', (_, head, unit) => {
    const { text } = redactText(head + unit.repeat(12_000_000 / unit.length), 'output', policy);
    expect(text.length).toBeGreaterThan(0);
  });

  test('white space after the head of a key does not exhaust the stack', () => {
    const head = `-----BEGIN ${'RSA PRIVATE'} KEY-----`;
    expect(redactText(head + ' '.repeat(4_000_000), 'output', policy).withheld).toBe(true);
    expect(redactText(head + '\\n'.repeat(1_000_000), 'output', policy).withheld).toBe(true);
  });
});
