import { consistencyProof, inclusionProof, type Nodes } from '../../src/ledger/proof.ts';
import { append, EMPTY, leafHash, nodeHash, root } from '../../src/ledger/tree.ts';

const SIZE = 9;
const DATA = Array.from({ length: SIZE }, (_, i) => Buffer.from(`leaf ${i}`));
const leaves = DATA.map(leafHash);
const nodes: Nodes = (level, index) =>
  level === 0
    ? (leaves[index] ?? Buffer.alloc(0))
    : nodeHash(nodes(level - 1, index * 2), nodes(level - 1, index * 2 + 1));
const rootHex = (size: number) => root(leaves.slice(0, size).reduce(append, EMPTY)).toString('hex');
const hexOf = (path: readonly Buffer[]) => path.map((hash) => hash.toString('hex'));
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i);

function inclusion(leaf: number, size: number) {
  const path = hexOf(inclusionProof(nodes, leaf, size));
  return { leaf_hash: leaves[leaf]?.toString('hex'), leaf, size, path, root: rootHex(size) };
}

function consistency(from: number, size: number) {
  const path = hexOf(consistencyProof(nodes, from, size));
  return { from, from_root: rootHex(from), size, root: rootHex(size), path };
}

/** vectors/tree.json */
export function treeVectors() {
  const one = inclusion(2, 7);
  const grown = consistency(3, 7);
  const [first = '', ...rest] = one.path;
  return {
    leaves: DATA.map((data, i) => ({
      data_hex: data.toString('hex'),
      hash: leaves[i]?.toString('hex'),
    })),
    roots: upTo(SIZE + 1).map((size) => ({ size, root: rootHex(size) })),
    inclusion: {
      accept: [1, 2, 5, 8, 9].flatMap((size) => upTo(size).map((leaf) => inclusion(leaf, size))),
      reject: [
        { name: 'another place', ...one, leaf: 3 },
        { name: 'a size that has a shorter path', ...one, size: 4 },
        { name: 'a place beyond the tree', ...one, leaf: 7 },
        { name: 'a step less', ...one, path: rest },
        { name: 'a step more', ...one, path: [...one.path, first] },
        { name: 'steps in another order', ...one, path: [...one.path].reverse() },
        { name: 'another root', ...one, root: rootHex(8) },
      ],
    },
    consistency: {
      accept: [1, 4, 7, 9].flatMap((size) => upTo(size).map((from) => consistency(from + 1, size))),
      reject: [
        { name: 'another root of the smaller tree', ...grown, from_root: rootHex(4) },
        { name: 'another root of the larger tree', ...grown, root: rootHex(8) },
        { name: 'another size of the smaller tree', ...grown, from: 4 },
        { name: 'a step less', ...grown, path: grown.path.slice(1) },
        { name: 'a step more', ...grown, path: [...grown.path, first] },
        {
          name: 'a tree that shrank',
          ...grown,
          from: 7,
          from_root: rootHex(7),
          size: 3,
          root: rootHex(3),
        },
        { name: 'two trees of one size', ...grown, from: 7, path: [] },
        { name: 'a tree without leaves', ...grown, from: 0, from_root: rootHex(0), path: [] },
      ],
    },
  };
}
