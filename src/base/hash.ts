import { createHmac, hash } from 'node:crypto';

/** SHA-256 as 64 hex digits; strings as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** SHA-256 of the concatenation of the parts, as bytes. */
export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const [first] = parts;
  const isOne = first !== undefined && parts.length === 1;
  // As bytes Node would allocate memory for each digest; these 32 come from a pool, in half the time.
  return Buffer.from(hash('sha256', isOne ? first : joined(parts), 'binary'), 'binary');
}

/** Where parts are put together to be hashed: a follow does it several times for each entry. */
const desk = Buffer.alloc(65_536);
const UTF8_BYTES_MAX = 3;

/** The parts one after another, to be read before this is called again. */
function joined(parts: readonly (string | Uint8Array)[]): Uint8Array {
  let end = 0;
  for (const part of parts) {
    if (end + part.length * UTF8_BYTES_MAX > desk.length) return joinedApart(parts);
    if (typeof part === 'string') end += desk.write(part, end);
    else {
      desk.set(part, end);
      end += part.length;
    }
  }
  return desk.subarray(0, end);
}

function joinedApart(parts: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/** HMAC-SHA-256 as 64 hex digits. */
export function hmacHex(key: Uint8Array, data: string): string {
  return createHmac('sha256', key).update(data).digest('hex');
}

/** The hash of a list of strings that no other list shares: each part is preceded by its byte length. */
export function hashParts(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${Buffer.byteLength(part)}:${part}`;
  return sha256Hex(text);
}
