import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { append, EMPTY, formatFrontier, leafHash, nodeHash, parseFrontier, root } from './tree.ts';

/** RFC 6962, 2.1 word for word: split at the largest power of two below the size. */
function oracle(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (leaves.length === 0 || !only) return root(EMPTY);
  if (leaves.length === 1) return leafHash(only);
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return nodeHash(oracle(leaves.slice(0, k)), oracle(leaves.slice(k)));
}

describe('tree', () => {
  test('the root equals the recursive definition for every size', () => {
    const leaves: Buffer[] = [];
    let frontier = EMPTY;
    for (let i = 0; i < 130; i++) {
      expect(root(frontier).toString('hex')).toBe(oracle(leaves).toString('hex'));
      const leaf = Buffer.from(`leaf ${i}`);
      leaves.push(leaf);
      frontier = append(frontier, leafHash(leaf));
    }
  });

  test('the empty root is the hash of nothing', () => {
    expect(root(EMPTY).toString('hex')).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });

  test('a frontier survives its text form', () => {
    fc.assert(
      fc.property(fc.nat(300), (size) => {
        let frontier = EMPTY;
        for (let i = 0; i < size; i++)
          frontier = append(frontier, leafHash(Buffer.from([i % 256])));
        expect(parseFrontier(formatFrontier(frontier))).toEqual(frontier);
      }),
      { numRuns: 40 },
    );
  });
});
