import { createHmac, hash } from 'node:crypto';

/** SHA-256 as 64 hex digits; strings as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** SHA-256 of the concatenation of the parts, as bytes. */
export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return hash('sha256', first, 'buffer');
  const bytes = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  return hash('sha256', Buffer.concat(bytes), 'buffer');
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
