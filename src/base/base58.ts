import { CredenceError } from './errors.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Bytes → base58 in the Bitcoin alphabet; each leading zero byte becomes a leading `1`. */
export function base58Encode(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  let number = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (number > 0n) {
    text = ALPHABET[Number(number % 58n)] + text;
    number /= 58n;
  }
  return '1'.repeat(zeros) + text;
}

/** The inverse of {@link base58Encode}. Throws `base58.malformed` for any character outside the alphabet. */
export function base58Decode(text: string): Uint8Array {
  let number = 0n;
  for (const char of text) {
    const digit = ALPHABET.indexOf(char);
    if (digit < 0) throw new CredenceError('incorrect', 'base58.malformed', 'not a base58 text');
    number = number * 58n + BigInt(digit);
  }
  let zeros = 0;
  while (zeros < text.length && text[zeros] === '1') zeros++;
  const hex = number === 0n ? '' : number.toString(16);
  const body = Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, 'hex');
  return Buffer.concat([Buffer.alloc(zeros), body]);
}
