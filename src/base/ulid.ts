const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID: 48 bits of time and 80 of randomness in Crockford's base32, so that names sort by age. `random` holds 10 bytes. */
export function ulid(ms: number, random: Uint8Array): string {
  let bits = BigInt(Math.max(0, Math.floor(ms))) & 0xffff_ffff_ffffn;
  for (const byte of random.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text;
}
