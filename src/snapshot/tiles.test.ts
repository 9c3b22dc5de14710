import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newSql } from '../../test/kit/member.ts';
import {
  consistencyProof,
  inclusionProof,
  isConsistent,
  rootOfInclusion,
} from '../ledger/proof.ts';
import { append, EMPTY, leafHash, root } from '../ledger/tree.ts';
import { appendLeaves, nodesOf } from './tiles.ts';

const leaves = Array.from({ length: 1_400 }, (_, i) => leafHash(Buffer.from(`leaf ${i}`)));
const headOf = (size: number) => ({
  size,
  root: root(leaves.slice(0, size).reduce(append, EMPTY)),
});

test('proofs from a tree that grew by any steps lead to its root', () => {
  const anySteps = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(anySteps, fc.nat(), fc.nat(), (steps, a, b) => {
      const state = newSql();
      let size = 0;
      for (const step of steps) {
        const own = leaves.slice(size, size + step);
        appendLeaves(state, size, own);
        size += own.length;
      }
      const nodes = nodesOf(state);
      const { root: whole } = headOf(size);
      const leaf = a % size;
      const path = inclusionProof(nodes, leaf, size);
      expect(rootOfInclusion(leaves[leaf] as Buffer, leaf, size, path)).toEqual(whole);
      const from = (b % size) + 1;
      const growth = consistencyProof(nodes, from, size);
      expect(isConsistent(headOf(from), headOf(size), growth)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('leaves that are added again, as after a transaction that was cut off, are there once', () => {
  const state = newSql();
  appendLeaves(state, 0, leaves.slice(0, 300));
  appendLeaves(state, 250, leaves.slice(250, 600));
  const path = inclusionProof(nodesOf(state), 420, 600);
  expect(rootOfInclusion(leaves[420] as Buffer, 420, 600, path)).toEqual(headOf(600).root);
});

test('a proof of what is not there is a mistake of ours', () => {
  const state = newSql();
  appendLeaves(state, 0, leaves.slice(0, 5));
  expect(() => inclusionProof(nodesOf(state), 3, 9)).toThrow('complete subtrees');
});
