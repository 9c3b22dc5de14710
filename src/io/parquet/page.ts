import { isUtf8 } from 'node:buffer';
import { malformed } from '../../lake/part.ts';
import { type Chunk, CODEC, type Leaf, PHYSICAL } from './footer.ts';
import { readRunLength } from './run-length.ts';
import { uncompressSnappy } from './snappy.ts';
import { countAt, structAt, ThriftReader, type ThriftStruct } from './thrift.ts';

const PAGE = { dictionary: 2, dataV2: 3 };
const ENCODING = { plain: 0, dictionary: 8 };
const HEADER_BYTES_MAX = 4096;
/** What a page takes, were it empty: a file can show one page again and again, so that none is free. */
const PAGE_BYTES = 256;
/** How much larger a header is once it is parsed, at worst. */
const HEADER_GROWTH = 100;

/** A value of a leaf, as stored. */
export type Value = string | number | boolean;

/** Takes bytes off what one decoding may use, of memory or of looking; throws `part.malformed` when that is used up. */
export type Spend = (bytes: number) => void;

/** A page as levels and the values that are not null. */
export interface Page {
  readonly count: number;
  /** Undefined where the leaf has no such levels. */
  readonly repetition: Uint32Array | undefined;
  readonly definition: Uint32Array | undefined;
  readonly values: readonly Value[];
}

/**
 * The data pages of one column chunk, in order: version 2, plain or dictionary-coded, which is all that
 * parts use. Throws `part.malformed`.
 *
 * Written here because the reader of the hyparquet package trusts what a file says: single flipped bytes made
 * it loop for ever or end the process by a rejection that no caller can catch, and parts come from other machines.
 */
export function* readPages(
  file: Uint8Array,
  chunk: Chunk,
  leaf: Leaf,
  spend: Spend,
): Generator<Page> {
  let dictionary: readonly Value[] | undefined;
  let at = chunk.start;
  while (at < chunk.end) {
    const reader = new ThriftReader(file, at, Math.min(chunk.end, at + HEADER_BYTES_MAX));
    const header = reader.struct();
    const type = countAt(header, 1);
    const size = countAt(header, 2);
    const end = reader.offset + countAt(header, 3);
    if (end > chunk.end) throw malformed('a page is cut off');
    const stored = file.subarray(reader.offset, end);
    spend(PAGE_BYTES + (reader.offset - at) * HEADER_GROWTH + size);
    at = end;
    if (type === PAGE.dictionary) {
      const about = structAt(header, 7);
      spend(countAt(about, 1) * 8);
      dictionary = readPlain(
        uncompress(stored, size, chunk.codec),
        leaf.physical,
        countAt(about, 1),
      );
    } else if (type === PAGE.dataV2) {
      yield readData(stored, size, structAt(header, 8), { chunk, leaf, dictionary, spend });
    } else {
      throw malformed('a page is of another kind');
    }
  }
}

interface Around {
  readonly chunk: Chunk;
  readonly leaf: Leaf;
  readonly dictionary: readonly Value[] | undefined;
  readonly spend: Spend;
}

function readData(stored: Uint8Array, size: number, header: ThriftStruct, around: Around): Page {
  const { chunk, leaf, dictionary, spend } = around;
  const count = countAt(header, 1);
  const repetitionEnd = countAt(header, 6);
  const levelsEnd = repetitionEnd + countAt(header, 5);
  if (levelsEnd > stored.length || levelsEnd > size) throw malformed('a page is cut off');
  spend(count * 16);
  const repetition = readLevels(stored.subarray(0, repetitionEnd), leaf.repetitionMax, count);
  const definition = readLevels(
    stored.subarray(repetitionEnd, levelsEnd),
    leaf.definitionMax,
    count,
  );
  const codec = header.get(7) === false ? CODEC.none : chunk.codec;
  const bytes = uncompress(stored.subarray(levelsEnd), size - levelsEnd, codec);
  const present = definition ? countOf(definition, leaf.definitionMax) : count;
  const encoding = countAt(header, 4);
  if (encoding === ENCODING.plain) {
    return { count, repetition, definition, values: readPlain(bytes, leaf.physical, present) };
  }
  if (encoding !== ENCODING.dictionary || dictionary === undefined) {
    throw malformed('a page is encoded in another way');
  }
  const indexes = present === 0 ? [] : readRunLength(bytes.subarray(1), bytes[0] ?? 0, present);
  const values: Value[] = [];
  for (const index of indexes) {
    const value = dictionary[index];
    if (value === undefined) throw malformed('a page points outside its dictionary');
    // A small page can name a long text a million times: each counts, as it would once written out.
    if (typeof value === 'string') spend(value.length);
    values.push(value);
  }
  return { count, repetition, definition, values };
}

function readLevels(bytes: Uint8Array, max: number, count: number): Uint32Array | undefined {
  if (max === 0) return undefined;
  return readRunLength(bytes, 32 - Math.clz32(max), count);
}

function countOf(levels: Uint32Array, wanted: number): number {
  let count = 0;
  for (const level of levels) if (level === wanted) count++;
  return count;
}

function uncompress(stored: Uint8Array, size: number, codec: number): Uint8Array {
  if (codec === CODEC.snappy && size > 0) return uncompressSnappy(stored, size);
  if (codec !== CODEC.none && codec !== CODEC.snappy)
    throw malformed('a column is compressed in another way');
  if (stored.length < size) throw malformed('a page is cut off');
  return stored.subarray(0, size);
}

function readPlain(bytes: Uint8Array, physical: number, count: number): Value[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (physical === PHYSICAL.bytes) return readTexts(view, count);
  if (physical === PHYSICAL.integer) return readIntegers(view, count);
  if (physical === PHYSICAL.boolean) return readBooleans(view, count);
  throw malformed('a column is of another type');
}

function readTexts(bytes: Buffer, count: number): string[] {
  const texts: string[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) throw malformed('a text is cut off');
    const start = at + 4;
    at = start + bytes.readUInt32LE(at);
    if (at > bytes.length) throw malformed('a text is cut off');
    const text = bytes.toString('utf8', start, at);
    // Bytes that are no UTF-8 read as U+FFFD, which a text may also hold by itself.
    if (text.includes('\uFFFD') && !isUtf8(bytes.subarray(start, at)))
      throw malformed('a text is no UTF-8');
    texts.push(text);
  }
  return texts;
}

function readIntegers(bytes: Buffer, count: number): number[] {
  if (count * 8 > bytes.length) throw malformed('a number is cut off');
  const numbers: number[] = [];
  for (let i = 0; i < count; i++) {
    const value = bytes.readInt32LE(i * 8 + 4) * 2 ** 32 + bytes.readUInt32LE(i * 8);
    if (!Number.isSafeInteger(value)) throw malformed('a number is too large');
    numbers.push(value);
  }
  return numbers;
}

function readBooleans(bytes: Buffer, count: number): boolean[] {
  if (count > bytes.length * 8) throw malformed('a flag is cut off');
  const flags: boolean[] = [];
  for (let i = 0; i < count; i++) flags.push((((bytes[i >> 3] ?? 0) >> (i & 7)) & 1) === 1);
  return flags;
}
