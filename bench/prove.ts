import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../src/io/sqlite.ts';
import { consistencyProof, inclusionProof, rootOfInclusion } from '../src/ledger/proof.ts';
import { append, EMPTY, type Frontier, leafHash, nodeHash, root } from '../src/ledger/tree.ts';
import { prepare } from '../src/snapshot/database.ts';
import { TABLES } from '../src/snapshot/schema.ts';
import { appendLeaves, nodesOf } from '../src/snapshot/tiles.ts';
import { ratio } from './kit/figures.ts';

/*
 * Proofs from a tree of many entries, beside the hashes that a path of theirs has. Entries: the first argument, 1,000,000
 * unless given.
 */
const ENTRIES = Number(process.argv[2] ?? 1_000_000);
const BATCH = 1_000;
const PROOFS = 1_000;

const folder = mkdtempSync(join(tmpdir(), 'credence-bench-'));
const state = openSqlite(join(folder, 'state.sqlite'));
prepare(state, TABLES);
const leafOf = (i: number) => leafHash(Buffer.from(`entry ${i}`));
let frontier: Frontier = EMPTY;
let start = performance.now();
for (let i = 0; i < ENTRIES; i += BATCH) {
  const leaves = Array.from({ length: Math.min(BATCH, ENTRIES - i) }, (_, k) => leafOf(i + k));
  state.transaction(() => appendLeaves(state, i, leaves));
  frontier = leaves.reduce(append, frontier);
}
const seconds = (performance.now() - start) / 1_000;
console.log(`a tree of ${ENTRIES} entries, kept as it grew: ${seconds.toFixed(1)} s`);

const one = leafOf(0);
start = performance.now();
for (let i = 0; i < 20_000; i++) nodeHash(one, one);
const hashMs = (performance.now() - start) / 20_000;
const pathMs = hashMs * Math.ceil(Math.log2(ENTRIES));

const nodes = nodesOf(state);
const places = Array.from({ length: PROOFS }, (_, i) =>
  Math.floor((i * 0.6180339887 * ENTRIES) % ENTRIES),
);
start = performance.now();
const paths = places.map((leaf) => inclusionProof(nodes, leaf, ENTRIES));
const proofMs = (performance.now() - start) / PROOFS;
start = performance.now();
const wrong = places.filter(
  (leaf, i) =>
    !rootOfInclusion(leafOf(leaf), leaf, ENTRIES, paths[i] ?? [])?.equals(root(frontier)),
);
const checkMs = (performance.now() - start) / PROOFS;
start = performance.now();
for (const size of places) consistencyProof(nodes, size + 1, ENTRIES);
const growthMs = (performance.now() - start) / PROOFS;
console.log(
  `a proof of an entry: ${proofMs.toFixed(2)} ms; ${ratio(proofMs, pathMs)} (the hashes of its path)`,
);
console.log(`checking it: ${checkMs.toFixed(3)} ms; ${wrong.length} of ${PROOFS} wrong`);
console.log(`a proof of growth: ${growthMs.toFixed(2)} ms`);
state.close();
rmSync(folder, { recursive: true });
