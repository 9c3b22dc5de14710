import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { redactEvent, redactText } from '../redact.ts';

const policy = { key: new Uint8Array(32).fill(1) };
const ROUNDS = 8;

/** Fresh keys: which of their lines look random is a matter of chance. */
function freshKeys(): readonly (readonly string[])[] {
  const encode = (key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1') =>
    String(key.export({ type, format: 'pem' }))
      .trim()
      .split('\n');
  return Array.from({ length: ROUNDS }).flatMap(() => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const ed = generateKeyPairSync('ed25519').privateKey;
    return [
      encode(rsa, 'pkcs1'),
      encode(rsa, 'pkcs8'),
      encode(ec, 'sec1'),
      encode(ec, 'pkcs8'),
      encode(ed, 'pkcs8'),
    ];
  });
}

const KEYS = freshKeys();

/** The lines of the key itself of which eight characters are left in the text. */
function leaked(text: string, lines: readonly string[]): readonly string[] {
  return lines.slice(1, -1).filter((line) => text.includes(line.slice(0, 8)));
}

describe('a private key', () => {
  test.each<readonly [string, (lines: readonly string[]) => string]>([
    ['as it is', (lines) => lines.join('\n')],
    ['with the line breaks of Windows', (lines) => lines.join('\r\n')],
    ['on one line', (lines) => lines.join('\\n')],
    ['as literals that code joins', (lines) => lines.map((line) => `"${line}"`).join(' +\n')],
    ['as literals with line breaks', (lines) => lines.map((line) => `  '${line}\\n'`).join(' +\n')],
    ['as literals side by side', (lines) => lines.map((line) => `"${line}"`).join(' ')],
    ['as a list in JSON', (lines) => JSON.stringify(lines)],
    ['as a list in JSON, indented', (lines) => JSON.stringify({ a: lines }, null, 4)],
    ['as a list in JSON in a string', (lines) => JSON.stringify(JSON.stringify(lines))],
    ['as a list in YAML', (lines) => lines.map((line) => `    - ${line}`).join('\n')],
    ['added in a diff', (lines) => lines.map((line) => `+${line}`).join('\n')],
    ['quoted', (lines) => lines.map((line) => `> ${line}`).join('\n')],
    ['with numbers', (lines) => lines.map((line, i) => `${i + 1}\t${line}`).join('\n')],
    ['with numbers and colons', (lines) => lines.map((line, i) => `${i + 1}:${line}`).join('\n')],
    ['without its end', (lines) => lines.slice(0, -1).join('\n')],
    [
      'without its end, as literals',
      (lines) =>
        lines
          .slice(0, -1)
          .map((l) => `"${l}"`)
          .join(' +\n'),
    ],
  ])('%s leaves nothing', (_, write) => {
    for (const lines of KEYS) {
      const text = `before\n${write(lines)}\nafter it`;
      const { text: clean } = redactText(text, 'prose', policy);
      expect(leaked(clean, lines)).toEqual([]);
      expect(clean).toMatch(/^before\n.*after it$/s);
    }
  });

  test('line by line in the JSON of a tool call leaves nothing, and nothing else goes', () => {
    for (const lines of KEYS) {
      const json = JSON.stringify({ id: 'x', lines, next: ['done', 'aBc1'] });
      const { event } = redactEvent(
        {
          emitted_at: '',
          session_id: '',
          event_type: 'tool_call',
          native: { key: '', counted: false },
          tool: { input: json, result: json },
        },
        policy,
      );
      for (const text of [event.tool?.input ?? '', event.tool?.result ?? '']) {
        expect(leaked(text, lines)).toEqual([]);
        expect(JSON.parse(text)).toMatchObject({ id: 'x', next: ['done', 'aBc1'] });
      }
    }
  });
});

test.each([
  'look for "-----BEGIN PRIVATE KEY-----" in the diff',
  "const HEADS = ['-----BEGIN RSA PRIVATE KEY-----', '-----BEGIN EC PRIVATE KEY-----'];",
  'if (line === "-----BEGIN PRIVATE KEY-----") return parsePrivateKeyBlock(lines);',
])('a marker that is spoken of stays: %j', (text) => {
  expect(redactText(text, 'prose', policy).text).toBe(text);
});

test('in JSON, what follows a marker and is no line of a key stays', () => {
  const input = JSON.stringify({
    find: `-----BEGIN ${'PRIVATE'} KEY-----`,
    paths: ['src', 'docs'],
  });
  const { event } = redactEvent(
    {
      emitted_at: '',
      session_id: '',
      event_type: 'tool_call',
      native: { key: '', counted: false },
      tool: { input },
    },
    policy,
  );
  expect(JSON.parse(event.tool?.input ?? '')).toMatchObject({ paths: ['src', 'docs'] });
});
