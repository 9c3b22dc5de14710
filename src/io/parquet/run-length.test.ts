import fc from 'fast-check';
import { ByteWriter } from 'hyparquet-writer';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { describe, expect, test } from 'vitest';
import { readRunLength } from './run-length.ts';

describe('readRunLength', () => {
  test('reads what was written, at every width', () => {
    const anyValues = fc.nat(20).chain((width) =>
      fc.tuple(
        fc.constant(width),
        fc
          .array(fc.tuple(fc.nat(2 ** width - 1), fc.integer({ min: 1, max: 20 })), {
            maxLength: 20,
          })
          .map((runs) => runs.flatMap(([value, times]) => Array<number>(times).fill(value))),
      ),
    );
    fc.assert(
      fc.property(anyValues, ([width, values]) => {
        const writer = new ByteWriter();
        writeRleBitPackedHybrid(writer, values, width);
        expect([...readRunLength(writer.getBytes(), width, values.length)]).toEqual(values);
      }),
      { numRuns: 300 },
    );
  });

  test.each<[string, number[], number, number[]]>([
    ['a run of a value of two bytes', [0x06, 0x34, 0x12], 13, [0x1234, 0x1234, 0x1234]],
    ['no more of a run than is wanted', [0xfe, 0xff, 0xff, 0xff, 0x0f, 0x01], 1, [1, 1, 1]],
    ['a run after one of nothing', [0x00, 0x09, 0x06, 0x01], 8, [1, 1, 1]],
  ])('takes %s', (_, bytes, width, expected) => {
    expect([...readRunLength(Uint8Array.from(bytes), width, expected.length)]).toEqual(expected);
  });

  test.each<[string, number[], number]>([
    ['nothing where a run should be', [], 1],
    ['a run without its value', [0x06], 1],
    ['groups that are cut off', [0x05, 0xff], 1],
    ['a header that goes on', [0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 1],
    ['a width that no index has', [0x06, 1, 1, 1, 1], 32],
  ])('refuses %s', (_, bytes, width) => {
    expect(() => readRunLength(Uint8Array.from(bytes), width, 3)).toThrow(
      expect.objectContaining({ code: 'part.malformed' }),
    );
  });
});
