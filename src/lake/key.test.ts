import { describe, expect, test } from 'vitest';
import { assertKey, assertPrefix, isKey } from './key.ts';

describe('keys', () => {
  test.each([
    'fleet.json',
    'live/agents/0123456789abcdef.cc-01.json',
    'sessions/dt=2026-01-02/runtime=claude-code/agent=a%20b/host=0123456789abcdef/session=s/part-1-ab.parquet',
    'a/-rf',
    'a/b../c',
    'x'.repeat(255),
    'A-Z_a-z.0-9=%',
  ])('%s is a key', (key) => {
    expect(isKey(key)).toBe(true);
    expect(() => assertKey(key)).not.toThrow();
    expect(() => assertPrefix(key)).not.toThrow();
    expect(() => assertPrefix(`${key}/`)).not.toThrow();
  });

  test('a refusal quotes a bounded piece of the key', () => {
    const refusal = expect.objectContaining({ category: 'incorrect', code: 'store.key' });
    expect(() => assertKey('a\n\u001b[31m/..')).toThrow(refusal);
    expect(() => assertKey('a\n\u001b[31m/..')).toThrow(/^"a\\n\\u001b\[31m\/\.\."/);
    expect(() => assertKey('/'.repeat(1_000_000))).toThrow(/^.{1,200}$/);
    expect(() => assertPrefix('../')).toThrow(refusal);
  });

  test.each([
    'a/'.repeat(5_000_000),
    `${'a'.repeat(767)} `,
    `${'a/'.repeat(383)}!`,
    '%'.repeat(767),
  ])('a text that is made to be matched in many ways is refused', (text) => {
    expect(isKey(text)).toBe(false);
  });
});
