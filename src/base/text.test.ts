import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CUT_MARK, cleanText, truncateUtf8 } from './text.ts';

const bytesOf = (text: string) => Buffer.byteLength(text);

describe('truncateUtf8', () => {
  test.each([
    ['a text that fits', 'abc', 3, 'abc'],
    ['a text that just does not', 'abcd', 3, '…'],
    ['one byte more than the mark', 'abcde', 4, 'a…'],
    ['nothing', '', 0, ''],
    ['two-byte letters', 'éééé', 7, 'éé…'],
    ['a cut inside a two-byte letter', 'éééé', 6, 'é…'],
    ['a cut inside a three-byte letter', '語語語', 8, '語…'],
    ['a cut inside an astral letter', '🦊🦊', 7, '🦊…'],
    ['the byte before', '🦊🦊', 6, '…'],
    ['a text of as many bytes as the bound', '語語語', 9, '語語語'],
    ['a lone surrogate counts as what replaces it', '\ud83e\ud83e', 6, '\ud83e\ud83e'],
    ['and is replaced where the text is cut', '\ud83eabcdef', 8, '\ufffdab…'],
    ['no room for the mark', 'abc', 2, ''],
    ['no room at all', 'abc', 0, ''],
  ])('%s', (_what, text, bound, expected) => {
    expect(truncateUtf8(text, bound)).toBe(expected);
    expect(bytesOf(expected)).toBeLessThanOrEqual(bound);
  });

  test('never longer than the bound, never through a character, marked when cut, and as long as can be', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('a', 'é', '語', '🦊', '…', '\0') }),
    );
    fc.assert(
      fc.property(anyText, fc.nat(40), (text, bound) => {
        const cut = truncateUtf8(text, bound);
        expect(bytesOf(cut)).toBeLessThanOrEqual(bound);
        if (bytesOf(text) <= bound) {
          expect(cut).toBe(text);
          return;
        }
        if (bound < bytesOf(CUT_MARK)) {
          expect(cut).toBe('');
          return;
        }
        expect(cut.endsWith(CUT_MARK)).toBe(true);
        const kept = cut.slice(0, -CUT_MARK.length);
        expect(text.startsWith(kept)).toBe(true);
        expect(kept.isWellFormed()).toBe(true);
        const [next = ''] = text.slice(kept.length);
        expect(bytesOf(kept + next + CUT_MARK)).toBeGreaterThan(bound);
      }),
      { numRuns: 500 },
    );
  });
});

describe('cleanText', () => {
  test.each([
    ['nothing to do', 'naïve 語 🦊 \ufffd', 'naïve 語 🦊 \ufffd'],
    ['a NUL', 'a\0b\0', 'ab'],
    ['a lone high surrogate', 'a\ud83eb', 'a\ufffdb'],
    ['a lone low surrogate', '\udd8a', '\ufffd'],
    ['surrogates that only the NUL parted', '\ud83e\0\udd8a', '\ufffd\ufffd'],
  ])('%s', (_what, text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  test('what comes out is well-formed and clean already', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\0', '\ud83e', '\udd8a', 'a') }), (text) => {
        const clean = cleanText(text);
        expect(clean.isWellFormed()).toBe(true);
        expect(clean).not.toContain('\0');
        expect(cleanText(clean)).toBe(clean);
      }),
    );
  });
});
