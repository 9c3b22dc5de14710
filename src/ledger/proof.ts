import { nodeHash } from './tree.ts';

/*
 * Proofs over the Merkle tree of RFC 6962: that an entry is in a tree, and that one tree begins with another. Making
 * one needs the tree's inner nodes; checking one needs nothing but hashes.
 */

/** The root of the complete subtree of 2^level leaves that begins at leaf `index` · 2^level. */
export type Nodes = (level: number, index: number) => Buffer;

/** The largest power of two below `n`, for n > 1: where a tree of n leaves parts. */
function splitOf(n: number): number {
  let split = 1;
  while (split * 2 < n) split *= 2;
  return split;
}

/** The root over the leaves from `begin` up to `end`, as they part in a tree that begins at a multiple of their split. */
function rootOver(nodes: Nodes, begin: number, end: number): Buffer {
  const size = end - begin;
  const level = Math.log2(size);
  if (Number.isInteger(level)) return nodes(level, begin / size);
  const middle = begin + splitOf(size);
  return nodeHash(rootOver(nodes, begin, middle), rootOver(nodes, middle, end));
}

/** The audit path of a leaf (0-based) in the tree of the first `size` leaves. Source: RFC 6962, 2.1.1. */
export function inclusionProof(nodes: Nodes, leaf: number, size: number): Buffer[] {
  const path: Buffer[] = [];
  let [begin, end] = [0, size];
  while (end - begin > 1) {
    const middle = begin + splitOf(end - begin);
    if (leaf < middle) {
      path.push(rootOver(nodes, middle, end));
      end = middle;
    } else {
      path.push(rootOver(nodes, begin, middle));
      begin = middle;
    }
  }
  return path.reverse();
}

/** That the tree of `size` leaves begins with that of `from` leaves, 0 < from ≤ size. Source: RFC 6962, 2.1.2. */
export function consistencyProof(nodes: Nodes, from: number, size: number): Buffer[] {
  const path: Buffer[] = [];
  let [begin, end] = [0, size];
  while (end !== from) {
    const middle = begin + splitOf(end - begin);
    if (from <= middle) {
      path.push(rootOver(nodes, middle, end));
      end = middle;
    } else {
      path.push(rootOver(nodes, begin, middle));
      begin = middle;
    }
  }
  // Where the smaller tree is a subtree of the larger one, whoever checks holds its root already.
  if (begin > 0) path.push(rootOver(nodes, begin, end));
  return path.reverse();
}

/** The root that an audit path leads to, or undefined where no tree of `size` leaves has such a path. Source: RFC 9162, 2.1.3.2. */
export function rootOfInclusion(
  leafHash: Buffer,
  leaf: number,
  size: number,
  path: readonly Buffer[],
): Buffer | undefined {
  if (!isCount(size) || !Number.isSafeInteger(leaf) || leaf < 0 || leaf >= size) return undefined;
  let [at, last, hash] = [leaf, size - 1, leafHash];
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(sibling, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? hash : undefined;
}

/** A tree, by what a checkpoint says of it. */
export interface TreeHead {
  readonly size: number;
  readonly root: Buffer;
}

/** True where the path proves that the larger tree begins with the smaller one. Source: RFC 9162, 2.1.4.2. */
export function isConsistent(from: TreeHead, to: TreeHead, path: readonly Buffer[]): boolean {
  if (!isCount(from.size) || !isCount(to.size) || from.size > to.size) return false;
  if (from.size === to.size) return path.length === 0 && from.root.equals(to.root);
  const isSubtree = Number.isInteger(Math.log2(from.size));
  const [first, ...rest] = isSubtree ? [from.root, ...path] : path;
  if (!first || rest.length === 0) return false;
  let [at, last] = [from.size - 1, to.size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  let [older, newer] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      older = nodeHash(sibling, older);
      newer = nodeHash(sibling, newer);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      newer = nodeHash(newer, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && older.equals(from.root) && newer.equals(to.root);
}

function isCount(size: number): boolean {
  return Number.isSafeInteger(size) && size > 0;
}

function half(n: number): number {
  return Math.floor(n / 2);
}
