import { assert } from '../base/errors.ts';
import type { Nodes } from '../ledger/proof.ts';
import { nodeHash } from '../ledger/tree.ts';
import type { Sql } from './port.ts';

/*
 * The inner nodes of the ledger's tree, as far as proofs need them: of every fifth level all hashes, 32 in a row. A
 * proof of one of a million entries reads four rows, and hashes a hundred pairs.
 */

const LEVELS = 5;
const TILE = 2 ** LEVELS;
const HASH_BYTES = 32;

/** What the table of a state is made by. */
export const TILES_SQL =
  'CREATE TABLE tiles (level INTEGER, tile INTEGER, hashes BLOB, PRIMARY KEY (level, tile)) WITHOUT ROWID;';

function tileAt(state: Sql, level: number, tile: number): Buffer {
  const row = state.get('SELECT hashes FROM tiles WHERE level = ? AND tile = ?', level, tile);
  const hashes = row?.['hashes'];
  return hashes instanceof Uint8Array ? Buffer.from(hashes) : Buffer.alloc(0);
}

/** Folds hashes that stand in a row, a power of two of them, to their root. */
function rootOf(hashes: Buffer): Buffer {
  let level = hashes;
  while (level.length > HASH_BYTES) {
    const above = Buffer.alloc(level.length / 2);
    for (let at = 0; at < above.length; at += HASH_BYTES) {
      const left = level.subarray(at * 2, at * 2 + HASH_BYTES);
      nodeHash(left, level.subarray(at * 2 + HASH_BYTES, (at + HASH_BYTES) * 2)).copy(above, at);
    }
    level = above;
  }
  return level;
}

/** Adds leaves behind the `first` that are there. To be called in the transaction that folds their entries. */
export function appendLeaves(state: Sql, first: number, leaves: readonly Buffer[]): void {
  appendHashes(state, 0, first, leaves);
}

function appendHashes(state: Sql, level: number, first: number, hashes: readonly Buffer[]): void {
  const above: Buffer[] = [];
  for (let done = 0; done < hashes.length; ) {
    const at = first + done;
    const tile = Math.floor(at / TILE);
    const there = at % TILE;
    const own = hashes.slice(done, done + TILE - there);
    const before = tileAt(state, level, tile).subarray(0, there * HASH_BYTES);
    const whole = Buffer.concat([before, ...own]);
    state.run(
      'INSERT OR REPLACE INTO tiles (level, tile, hashes) VALUES (?, ?, ?)',
      level,
      tile,
      whole,
    );
    if (there + own.length === TILE) above.push(rootOf(whole));
    done += own.length;
  }
  if (above.length > 0) appendHashes(state, level + 1, Math.floor(first / TILE), above);
}

/** The nodes of the tree that a state has followed. */
export function nodesOf(state: Sql): Nodes {
  let last: { readonly level: number; readonly tile: number; readonly hashes: Buffer } | undefined;
  /** The nodes of a path that are asked for one after another lie in one tile, five by five. */
  function read(level: number, tile: number): Buffer {
    if (last?.level !== level || last.tile !== tile)
      last = { level, tile, hashes: tileAt(state, level, tile) };
    return last.hashes;
  }
  return (level, index) => {
    const width = 2 ** (level % LEVELS);
    const first = index * width;
    const hashes = read(Math.floor(level / LEVELS), Math.floor(first / TILE));
    const start = (first % TILE) * HASH_BYTES;
    const part = hashes.subarray(start, start + width * HASH_BYTES);
    assert(part.length === width * HASH_BYTES, 'a proof asks for complete subtrees of the tree');
    return rootOf(part);
  };
}
