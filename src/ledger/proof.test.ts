import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  consistencyProof,
  inclusionProof,
  isConsistent,
  type Nodes,
  rootOfInclusion,
} from './proof.ts';
import { append, EMPTY, leafHash, nodeHash, root } from './tree.ts';

const leaves = Array.from({ length: 300 }, (_, i) => leafHash(Buffer.from(`leaf ${i}`)));
const nodes: Nodes = (level, index) =>
  level === 0
    ? (leaves[index] as Buffer)
    : nodeHash(nodes(level - 1, index * 2), nodes(level - 1, index * 2 + 1));
const rootOf = (size: number) => root(leaves.slice(0, size).reduce(append, EMPTY));
const head = (size: number) => ({ size, root: rootOf(size) });
const flipped = (hash: Buffer, bit: number) => {
  const copy = Buffer.from(hash);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
};

/** Two sizes of the tree, the smaller first. */
const sizes = fc
  .tuple(fc.integer({ min: 1, max: leaves.length }), fc.integer({ min: 1, max: leaves.length }))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

describe('an inclusion proof', () => {
  test('leads from every leaf of every small tree to its root, in no more steps than it has levels', () => {
    for (let size = 1; size <= 70; size++) {
      for (let leaf = 0; leaf < size; leaf++) {
        const path = inclusionProof(nodes, leaf, size);
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
        expect(rootOfInclusion(leaves[leaf] as Buffer, leaf, size, path)).toEqual(rootOf(size));
      }
    }
  });

  test('of another leaf, place or size, or altered in any bit, leads elsewhere or nowhere', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), fc.nat(255), ([, size], a, b, bit) => {
        const [leaf, other] = [a % size, b % size];
        const path = inclusionProof(nodes, leaf, size);
        const leadsTo = (hash: Buffer, at: number, among: number, along: readonly Buffer[]) =>
          rootOfInclusion(hash, at, among, along)?.equals(rootOf(size)) ?? false;
        const own = leaves[leaf] as Buffer;
        expect(leadsTo(own, leaf, size, path)).toBe(true);
        if (other !== leaf) {
          expect(leadsTo(leaves[other] as Buffer, leaf, size, path)).toBe(false);
          expect(leadsTo(own, other, size, path)).toBe(false);
        }
        expect(leadsTo(flipped(own, bit), leaf, size, path)).toBe(false);
        expect(leadsTo(own, leaf, size, [...path, own])).toBe(false);
        expect(leadsTo(own, leaf, size * 2, path)).toBe(false);
        if (path.length > 0) {
          const at = b % path.length;
          const altered = path.map((hash, i) => (i === at ? flipped(hash, bit) : hash));
          expect(leadsTo(own, leaf, size, altered)).toBe(false);
          expect(leadsTo(own, leaf, size, path.slice(1))).toBe(false);
        }
      }),
    );
  });

  test.each([
    [0, 0],
    [-1, 5],
    [5, 5],
    [0.5, 5],
    [Number.NaN, 5],
    [0, Number.POSITIVE_INFINITY],
    [0, 2 ** 53],
  ])('of leaf %s among %s is none', (leaf, size) => {
    expect(rootOfInclusion(leaves[0] as Buffer, leaf, size, [])).toBeUndefined();
  });
});

describe('a consistency proof', () => {
  test('holds between every two small trees', () => {
    for (let size = 1; size <= 40; size++) {
      for (let from = 1; from <= size; from++) {
        expect(
          isConsistent(head(from), head(size), consistencyProof(nodes, from, size)),
          `${from} in ${size}`,
        ).toBe(true);
      }
    }
  });

  test('holds for no other root, size or path', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(255), ([from, size], a, bit) => {
        const path = consistencyProof(nodes, from, size);
        const [older, newer] = [head(from), head(size)];
        expect(isConsistent(older, newer, path)).toBe(true);
        const forged = (one: typeof older) => ({ ...one, root: flipped(one.root, bit) });
        expect(isConsistent(forged(older), newer, path)).toBe(false);
        expect(isConsistent(older, forged(newer), path)).toBe(false);
        expect(isConsistent(older, newer, [...path, older.root])).toBe(false);
        if (from < size) expect(isConsistent(newer, older, path)).toBe(false);
        if (path.length > 0) {
          const at = a % path.length;
          const altered = path.map((hash, i) => (i === at ? flipped(hash, bit) : hash));
          expect(isConsistent(older, newer, altered)).toBe(false);
          expect(isConsistent(older, newer, path.slice(1))).toBe(false);
        }
      }),
    );
  });

  test('of two trees of one size there is none, but that they are one', () => {
    const forged = { size: 7, root: flipped(rootOf(7), 0) };
    expect(isConsistent(head(7), forged, [])).toBe(false);
    expect(isConsistent({ size: 0, root: rootOf(0) }, head(7), [])).toBe(false);
  });
});
