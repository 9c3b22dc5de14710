import { sha256Hex } from '../../src/base/hash.ts';

/** Numbers and ids that look random and depend on nothing but a seed: the same seed gives the same row. */
export interface Chance {
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  uuid(): string;
  /** `prefix` and `length` letters and digits. */
  token(prefix: string, length: number): string;
}

const LETTERS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A row of chances of its own for each seed. */
export function chance(seed: string): Chance {
  let turn = 0;
  const next = (): string => sha256Hex(`${seed}/${turn++}`);
  return {
    between: (low, high) => low + (Number.parseInt(next().slice(0, 12), 16) % (high - low + 1)),
    uuid: () => uuidOf(next()),
    token: (prefix, length) => {
      const bytes = Buffer.from(next(), 'hex');
      const tail = [...bytes.subarray(0, length)].map((byte) => LETTERS[byte % LETTERS.length]);
      return prefix + tail.join('');
    },
  };
}

/** The first 128 bits of a hash in the form of a version 4 UUID. */
export function uuidOf(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
