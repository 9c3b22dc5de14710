import { sha256Hex } from './hash.ts';

/** The first 16 bytes of a text's SHA-256 as a UUID of version 8, RFC 9562, 5.8: for ids that are derived, not drawn. */
export function uuid8Of(text: string): string {
  return uuid(sha256Hex(text), 8);
}

/** 16 random bytes as a UUID of version 4, RFC 9562, 5.4. */
export function uuid4(bytes: Uint8Array): string {
  return uuid(Buffer.from(bytes.subarray(0, 16)).toString('hex'), 4);
}

function uuid(hex: string, version: number): string {
  // The two high bits of the ninth byte say that the layout is RFC 9562's.
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
