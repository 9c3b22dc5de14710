/** 16 bytes as a UUID of version 8, RFC 9562, 5.8: for ids that are derived, not drawn. */
export function uuid8(bytes: Uint8Array): string {
  return uuid(bytes, 8);
}

/** 16 random bytes as a UUID of version 4, RFC 9562, 5.4. */
export function uuid4(bytes: Uint8Array): string {
  return uuid(bytes, 4);
}

function uuid(bytes: Uint8Array, version: number): string {
  const own = Buffer.from(bytes.subarray(0, 16));
  own[6] = ((own[6] ?? 0) & 0x0f) | (version << 4);
  own[8] = ((own[8] ?? 0) & 0x3f) | 0x80;
  const hex = own.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
