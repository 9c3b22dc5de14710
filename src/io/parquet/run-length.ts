import { malformed } from '../../lake/part.ts';

/**
 * Reads `count` values of `width` bits (0 to 24) from Parquet's hybrid of runs and bit-packed groups. A run
 * that claims more than is wanted is cut, so that the result's size never depends on the bytes.
 * Throws `part.malformed`.
 */
export function readRunLength(bytes: Uint8Array, width: number, count: number): Uint32Array {
  if (width > 24) throw malformed('an index is too wide');
  const values = new Uint32Array(count);
  let seen = 0;
  let at = 0;
  while (seen < count) {
    let head = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 2 ** 28) throw malformed('a run is cut off');
      head += (byte & 0x7f) * shift;
      if (byte < 0x80) break;
    }
    const length = Math.floor(head / 2);
    if (head % 2 === 1) {
      const end = at + length * width;
      if (end > bytes.length) throw malformed('a run is cut off');
      seen = unpack(bytes, at, width, values, seen, Math.min(count, seen + length * 8));
      at = end;
      continue;
    }
    let value = 0;
    for (let i = 0; i < width; i += 8) {
      const byte = bytes[at++];
      if (byte === undefined) throw malformed('a run is cut off');
      value += byte * 2 ** i;
    }
    values.fill(value, seen, seen + length);
    seen += length;
  }
  return values;
}

function unpack(
  bytes: Uint8Array,
  start: number,
  width: number,
  values: Uint32Array,
  from: number,
  to: number,
): number {
  const mask = 2 ** width - 1;
  let held = 0;
  let bits = 0;
  let at = start;
  for (let i = from; i < to; i++) {
    // At most 23 bits are held when a byte comes, so that 31 never overflow.
    while (bits < width) {
      held |= (bytes[at++] ?? 0) << bits;
      bits += 8;
    }
    values[i] = held & mask;
    held >>>= width;
    bits -= width;
  }
  return to;
}
