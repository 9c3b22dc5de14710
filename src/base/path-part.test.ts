import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isKey } from '../lake/key.ts';
import { decodePathPart, encodePathPart } from './path-part.ts';

describe('encoding of names', () => {
  test.each([
    ['cc-01', 'cc-01'],
    ['Ada Byron', 'Ada%20Byron'],
    ['a/b\\c', 'a%2Fb%5Cc'],
    ['..', '%2E.'],
    ['.', '%2E'],
    ['.env', '%2Eenv'],
    ['.tmp-1', '%2Etmp-1'],
    ['a.b', 'a.b'],
    ['a=b&c~d%e', 'a%3Db%26c%7Ed%25e'],
    ['%2D', '%252D'],
    ['é', '%C3%A9'],
    ['日本', '%E6%97%A5%E6%9C%AC'],
    ['😀', '%F0%9F%98%80'],
    ['a\0b\n', 'a%00b%0A'],
  ])('%j is %s', (text, part) => {
    expect(encodePathPart(text)).toBe(part);
    expect(decodePathPart(part)).toBe(text);
  });

  test('120 bytes are kept whole, 121 are shortened, never through a character', () => {
    expect(encodePathPart('a'.repeat(120))).toBe('a'.repeat(120));
    expect(encodePathPart('a'.repeat(121))).toMatch(/^a{77}%2D[0-9a-f]{40}$/);
    expect(encodePathPart('é'.repeat(20))).toHaveLength(120);
    expect(encodePathPart('é'.repeat(21))).toMatch(/^(?:%C3%A9){12}%2D[0-9a-f]{40}$/);
    expect(decodePathPart(encodePathPart('a'.repeat(121)))).toBeUndefined();
  });

  test('texts that differ only where they were cut, or only in lone surrogates, stay apart', () => {
    const texts = [
      `${'a'.repeat(200)}b`,
      `${'a'.repeat(200)}c`,
      '',
      'a\ud800',
      'a\ud801',
      'a\udc00',
      'a\ufffd',
      // What a shortened part looks like, taken as a name.
      encodePathPart('a'.repeat(200)),
      'a'.repeat(200),
    ];
    const parts = texts.map(encodePathPart);
    expect(new Set(parts).size).toBe(texts.length);
    for (const part of parts) expect(isKey(part), part).toBe(true);
  });

  test('a name of 16 MB costs no more than its hash', () => {
    expect(encodePathPart('ü'.repeat(8 * 1024 * 1024))).toHaveLength(72 + 43);
  });

  test('what no name becomes has no name', () => {
    for (const part of [
      '',
      '.',
      '..',
      '.a',
      'a b',
      'a/b',
      '%',
      '%zz',
      '%2',
      '%C3',
      '%e6%97%a5',
      '%41',
      'a~',
      'a%2Db',
      'é',
    ]) {
      expect(decodePathPart(part), part).toBeUndefined();
    }
    expect(decodePathPart('%'.repeat(1_000_000))).toBeUndefined();
  });

  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({
      unit: fc.constantFrom('.', '%', '2', 'D', '-', '/', '\ud800', '\udc00', 'é'),
      maxLength: 60,
    }),
  );

  test('any text becomes one bounded part of a key, for ever the same, and comes back or is marked', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const part = encodePathPart(text);
        expect(isKey(part)).toBe(true);
        expect(part).toMatch(/^[A-Za-z0-9%_-][A-Za-z0-9%._-]{0,119}$/);
        expect(encodePathPart(text)).toBe(part);
        const back = decodePathPart(part);
        if (part.includes('%2D')) expect(back).toBeUndefined();
        else expect(back).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test('two texts never share a part', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(encodePathPart(one) === encodePathPart(other)).toBe(one === other);
      }),
      { numRuns: 500 },
    );
  });
});
