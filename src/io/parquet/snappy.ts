import { malformed } from '../../lake/part.ts';

/** The longest copy is 64 bytes long and takes 3: no honest stream grows by more. */
const GROWTH_MAX = 22;

/**
 * Decompresses one Snappy block to exactly `size` bytes. Refuses, before it allocates, a size that the input
 * can't fill. Throws `part.malformed`. Source: the Snappy format description, format_description.txt.
 */
export function uncompressSnappy(input: Uint8Array, size: number): Uint8Array {
  if (size > input.length * GROWTH_MAX) throw malformed('a page claims more than it can hold');
  const output = new Uint8Array(size);
  let at = skipLength(input, size);
  let to = 0;
  while (at < input.length) {
    const tag = input[at++] ?? 0;
    const kind = tag & 3;
    if (kind === 0) {
      const extra = tag >> 2 < 60 ? 0 : (tag >> 2) - 59;
      const length = (extra === 0 ? tag >> 2 : littleEndian(input, at, extra)) + 1;
      at += extra;
      if (length > input.length - at || length > size - to) throw malformed('a page is cut off');
      output.set(input.subarray(at, at + length), to);
      at += length;
      to += length;
      continue;
    }
    const extra = kind === 3 ? 4 : kind;
    const low = littleEndian(input, at, extra);
    const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const offset = kind === 1 ? ((tag >> 5) << 8) + low : low;
    at += extra;
    if (offset === 0 || offset > to || length > size - to)
      throw malformed('a page copies from nowhere');
    copyBack(output, to, offset, length);
    to += length;
  }
  if (to !== size) throw malformed('a page is cut off');
  return output;
}

/** The stream says its length first, as a varint; the page header has said it already. */
function skipLength(input: Uint8Array, size: number): number {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = input[i] ?? 0;
    value += (byte & 0x7f) * 128 ** i;
    if (byte >= 0x80) continue;
    if (value !== size || i >= input.length) break;
    return i + 1;
  }
  throw malformed('a page has another length than its header says');
}

function littleEndian(input: Uint8Array, at: number, bytes: number): number {
  if (at + bytes > input.length) throw malformed('a page is cut off');
  let value = 0;
  for (let i = 0; i < bytes; i++) value += (input[at + i] ?? 0) * 256 ** i;
  return value;
}

function copyBack(output: Uint8Array, to: number, offset: number, length: number): void {
  if (offset >= length && length > 16) {
    output.copyWithin(to, to - offset, to - offset + length);
    return;
  }
  // A copy may overlap itself: that is how a run is said.
  for (let i = 0; i < length; i++) output[to + i] = output[to + i - offset] ?? 0;
}
