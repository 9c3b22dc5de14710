import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from './hash.ts';

const byParts = (parts: readonly (string | Uint8Array)[]) =>
  parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest('hex');

const part = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array());

test('the hash of parts is that of their concatenation', () => {
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(sha256(...parts).toString('hex')).toBe(byParts(parts));
    }),
  );
});

test.each([21_844, 21_845, 21_846, 65_535, 65_536, 65_537, 200_000])(
  'so is that of long parts: %i characters of one byte, and of three',
  (length) => {
    for (const char of ['x', '語']) {
      for (const parts of [
        ['a', char.repeat(length)],
        [char.repeat(length), Buffer.alloc(length, 7)],
      ])
        expect(sha256(...parts).toString('hex')).toBe(byParts(parts));
    }
  },
);
