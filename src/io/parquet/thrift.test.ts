import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countAt, ThriftReader, textAt, textsAt } from './thrift.ts';

const read = (bytes: readonly number[]) =>
  new ThriftReader(Uint8Array.from(bytes), 0, bytes.length).struct();
const MALFORMED = expect.objectContaining({ code: 'part.malformed' });

describe('a struct', () => {
  test('gives its fields by id: numbers, texts, flags, lists, structs', () => {
    const struct = read([
      ...[0x15, 0x0c], // field 1, i32: 6
      ...[0x18, 0x02, 0x68, 0x69], // field 2, binary: hi
      0x11, // field 3: true
      ...[0x19, 0x28, 0x01, 0x61, 0x01, 0x62], // field 4, list of 2 texts
      ...[0x1c, 0x16, 0xac, 0x02, 0x00], // field 5, struct with field 1, i64: 150
      ...[0x06, 0x28, 0x05], // field 20, its id written out, i64: -3
      0x00,
    ]);
    expect([countAt(struct, 1), textAt(struct, 2), struct.get(3)]).toEqual([6, 'hi', true]);
    expect(textsAt(struct, 4)).toEqual(['a', 'b']);
    expect(struct.get(5)).toEqual(new Map([[1, 150]]));
    expect(struct.get(20)).toBe(-3);
  });

  test.each<[string, number[]]>([
    ['a struct without an end', [0x15, 0x0c]],
    ['a text beyond the end', [0x18, 0x7f, 0x61, 0x00]],
    ['a list beyond the end', [0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x00]],
    ['a number beyond what is exact', [0x16, ...Array<number>(8).fill(0xff), 0x01, 0x00]],
    ['a number without an end', [0x16, ...Array<number>(5_000).fill(0x80)]],
    ['structs nested without an end', Array<number>(5_000).fill(0x1c)],
    ['lists nested without an end', [0x19, ...Array<number>(5_000).fill(0x19)]],
    ['a type that Parquet has not', [0x1b, 0x00]],
  ])('is refused: %s', (_, bytes) => {
    expect(() => read(bytes)).toThrow(MALFORMED);
  });

  test.each<[string, number[]]>([
    ['no such field', [0x00]],
    ['another type', [0x18, 0x00, 0x00]],
    ['a negative number', [0x15, 0x01, 0x00]],
  ])('is refused where a count is wanted: %s', (_, bytes) => {
    expect(() => countAt(read(bytes), 1)).toThrow(MALFORMED);
  });

  test('of any bytes ends, in a struct or in a refusal', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(read([...bytes])).toBeInstanceOf(Map);
        } catch (error) {
          expect(error).toMatchObject({ code: 'part.malformed' });
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
