import fc from 'fast-check';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import { describe, expect, test } from 'vitest';
import { uncompressSnappy } from './snappy.ts';

describe('uncompressSnappy', () => {
  test('undoes the compression of random, repeating and overlapping bytes', () => {
    const anyBytes = fc
      .array(
        fc.oneof(
          fc.uint8Array({ maxLength: 80 }),
          fc.tuple(fc.uint8Array({ maxLength: 5 }), fc.nat(200)).map(([unit, times]) => {
            return new Uint8Array(unit.length * times).map((_, i) => unit[i % unit.length] ?? 0);
          }),
        ),
        { maxLength: 6 },
      )
      .map((runs) => new Uint8Array(Buffer.concat(runs)));
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(uncompressSnappy(snappyCompress(bytes), bytes.length)).toEqual(bytes);
      }),
      { numRuns: 300 },
    );
  });

  test.each<[string, number[], number, number[]]>([
    ['nothing', [0], 0, []],
    ['a literal', [3, 0x08, 1, 2, 3], 3, [1, 2, 3]],
    ['a literal with its length in a byte', [3, 0xf0, 2, 1, 2, 3], 3, [1, 2, 3]],
    ['a literal with its length in 4 bytes', [3, 0xfc, 2, 0, 0, 0, 1, 2, 3], 3, [1, 2, 3]],
    ['a copy with an offset of a byte', [5, 0x00, 7, 0x01, 1], 5, [7, 7, 7, 7, 7]],
    ['a copy with an offset of 2 bytes', [3, 0x00, 7, 0x06, 1, 0], 3, [7, 7, 7]],
    ['a copy with an offset of 4 bytes', [3, 0x00, 7, 0x07, 1, 0, 0, 0], 3, [7, 7, 7]],
  ])('reads %s', (_, stream, size, expected) => {
    expect([...uncompressSnappy(Uint8Array.from(stream), size)]).toEqual(expected);
  });

  test.each<[string, number[], number]>([
    ['no length', [], 1],
    ['a length that goes on', [0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 1],
    ['another length than the page says', [2, 0x00, 7], 1],
    ['a literal beyond the input', [3, 0x08, 1, 2], 3],
    ['a literal beyond the output', [1, 0x04, 1, 2], 1],
    ['a literal of 4 GB', [1, 0xfc, 0xff, 0xff, 0xff, 0xff, 1], 1],
    ['a literal length that is cut off', [1, 0xfc, 0], 1],
    ['a copy from before the start', [5, 0x00, 7, 0x01, 2], 5],
    ['a copy from where it stands', [5, 0x00, 7, 0x01, 0], 5],
    ['a copy beyond the output', [2, 0x00, 7, 0x01, 1], 2],
    ['a copy that is cut off', [5, 0x00, 7, 0x02, 1], 5],
    ['too few bytes', [5, 0x00, 7], 5],
  ])('refuses %s', (_, stream, size) => {
    expect(() => uncompressSnappy(Uint8Array.from(stream), size)).toThrow(
      expect.objectContaining({ code: 'part.malformed' }),
    );
  });

  test('refuses a size that its input can not fill before it allocates it', () => {
    const stream = Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0x07]);
    expect(() => uncompressSnappy(stream, 2 ** 31 - 1)).toThrow('claims more');
  });
});
