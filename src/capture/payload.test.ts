import { describe, expect, test } from 'vitest';
import { type Payload, parsePayload } from './payload.ts';

const parse = (text: string | Uint8Array): Payload =>
  parsePayload(typeof text === 'string' ? Buffer.from(text) : text);
const MB = 1024 * 1024;

test.each<[string, unknown]>([
  ['{"a":1}', { a: 1 }],
  ['[1]', [1]],
  ['null', null],
  ['{"a":"b\0c"}', { a: 'bc' }],
])('%j is whole', (text, fields) => {
  expect(parse(text)).toEqual({ fields, whole: true });
});

describe('of what is not whole the members before the break are kept', () => {
  test.each<[string, object]>([
    ['', {}],
    ['hello', {}],
    ['{', {}],
    ['{"a"', {}],
    ['{"a":1', {}],
    ['{"a":1,', { a: 1 }],
    ['{"a":1,"b":2', { a: 1 }],
    ['{"a":1,"b":"x"', { a: 1, b: 'x' }],
    ['{"a":1,"b":{"c":[1,2]}', { a: 1, b: { c: [1, 2] } }],
    ['{"a":1,"b":{"c":[1,2]', { a: 1 }],
    ['{"a":1,"b":{"c":"x, y', { a: 1 }],
    ['{"a":1,"b":tru', { a: 1 }],
    ['{"a":1,"b":true,"c"', { a: 1, b: true }],
    ['{"a":"}\\",","b":"', { a: '}",' }],
    ['{"a":1}}', {}],
    ['{"a":1 "b":2,"c":3}', {}],
    ['[{"a":1},', {}],
    // What says whose it is counts wherever it stands.
    ['{"a":tru,"session_id":"s1","cwd":"/w"}', { session_id: 's1', cwd: '/w' }],
    ['{"session_id":"s1","tool_input":{"cwd":"/x"', { session_id: 's1', cwd: '/x' }],
    ['{"session_id":7,"a":{"session_id":"s1"},', { session_id: 7, a: { session_id: 's1' } }],
  ])('%j', (text, fields) => {
    expect(parse(text)).toEqual({ fields, whole: false });
  });
});

describe('what was said is kept up to the last word, of which half may be there', () => {
  test.each<[string, string | undefined]>([
    ['{"a":1,"prompt":"Fix the bug', 'Fix the …'],
    ['{"prompt":"Fix the bug', 'Fix the …'],
    ['{"prompt":"Fix the bug"', undefined],
    ['{"a":1,"last_assistant_message":"It is\\ndone', 'It is\n…'],
    ['{"prompt" : "one', '…'],
    ['{"prompt":"', undefined],
    ['{"prompt":', undefined],
    ['{"prompt":"a\\"b c\\', 'a"b …'],
    ['{"prompt":"a \\u00e', 'a …'],
    ['{"prompt":"é \\ud83e\\udd8', 'é …'],
    ['{"prompt":"a b","session_id":"s', undefined],
    // Nobody can say what a call touched of which the half is missing.
    ['{"tool_response":"FOO=bar baz', undefined],
    ['{"error":"FOO=bar baz', undefined],
    ['{"a":{"prompt":"b c', undefined],
  ])('%j', (text, said) => {
    expect(parse(text).said).toBe(said);
  });
});

describe('a payload that is too large', () => {
  test('gives the members of its head, and the beginning of what was said', () => {
    const { fields, whole, said } = parse(
      `{"session_id":"s1","cwd":"/w","prompt":"${'word '.repeat(4 * MB)}","a":1}`,
    );
    expect({ fields, whole }).toEqual({ fields: { session_id: 's1', cwd: '/w' }, whole: false });
    expect(said).toMatch(/^word .*word …$/);
    expect(said?.length).toBeLessThanOrEqual(64 * 1024);
  });

  test('of one byte less is whole', () => {
    const text = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect(parse(text(16 * MB)).whole).toBe(true);
    expect(parse(text(16 * MB + 1))).toEqual({ fields: {}, whole: false });
  });
});

test.each([
  '{"a":"',
  '"',
  '\\',
  '{',
  '[',
  ',',
  '{"session_id":',
  ' ',
  '{"prompt":"\\',
  '\0',
  '"cwd"  ',
])('4 MB of %j are read at once', (piece) => {
  for (const start of ['', '{"prompt":"', '{"a":1,']) {
    const bytes = Buffer.from((start + piece.repeat((4 * MB) / piece.length)).slice(0, 4 * MB));
    expect(parse(bytes).whole).toBe(false);
  }
});
