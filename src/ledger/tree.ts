import { sha256 } from '../base/hash.ts';

/**
 * The right edge of a Merkle tree: the roots of its complete subtrees, largest first, one for each set bit of
 * `size`. Enough to append and to know the root, whatever came before.
 */
export interface Frontier {
  readonly size: number;
  readonly peaks: readonly Buffer[];
}

/** The frontier of a tree without leaves. */
export const EMPTY: Frontier = { size: 0, peaks: [] };

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** Hash of a leaf: SHA-256(0x00 ‖ data). Source: RFC 6962, 2.1. */
export function leafHash(data: Uint8Array): Buffer {
  return sha256(LEAF, data);
}

/** Hash of a node: SHA-256(0x01 ‖ left ‖ right). Source: RFC 6962, 2.1. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(NODE, left, right);
}

/** The frontier after one more leaf, given by its hash. Linear in the number of trailing one bits of the size. */
export function append(frontier: Frontier, leaf: Buffer): Frontier {
  const peaks = [...frontier.peaks];
  let node = leaf;
  for (let rest = frontier.size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
    const left = peaks.pop();
    if (left) node = nodeHash(left, node);
  }
  peaks.push(node);
  return { size: frontier.size + 1, peaks };
}

/** The root over all leaves; of no leaves it is the hash of nothing. */
export function root(frontier: Frontier): Buffer {
  const { peaks } = frontier;
  const last = peaks.at(-1);
  if (!last) return sha256();
  return peaks.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
}

/** The frontier as text, to be kept beside a position; {@link parseFrontier} reads it back. */
export function formatFrontier(frontier: Frontier): string {
  return `${frontier.size}:${frontier.peaks.map((peak) => peak.toString('hex')).join(',')}`;
}

/** The inverse of {@link formatFrontier}. */
export function parseFrontier(text: string): Frontier {
  const [size = '0', peaks = ''] = text.split(':');
  return {
    size: Number(size),
    peaks: peaks === '' ? [] : peaks.split(',').map((peak) => Buffer.from(peak, 'hex')),
  };
}
