import { sha256Hex } from '../base/hash.ts';
import type { NamedPosition } from '../fold/erasure.ts';
import { meta, setMeta } from './database.ts';
import type { Sql } from './port.ts';

/*
 * The positions that accepted erasures have named, as far as a state has ever followed. The set only grows, and outlives
 * the tables of the state: after an erasure they are made anew, with these positions as stubs from the start.
 */

/** A position that was erased, and the commit that was seen to hold its stub. */
export interface StubAt extends NamedPosition {
  readonly commit: number | undefined;
}

/** The positions from `first` to `last` that were erased, in their order. */
export function stubsWithin(state: Sql, first: number, last: number): StubAt[] {
  return state
    .all('SELECT * FROM stubs WHERE seq BETWEEN ? AND ? ORDER BY seq', first, last)
    .map((row) => ({
      seq: Number(row['seq']),
      commitment: String(row['commitment']),
      commit: row['commit_n'] === null ? undefined : Number(row['commit_n']),
    }));
}

/** Adds positions to the set. To be called inside a transaction. */
export function addStubs(state: Sql, named: readonly NamedPosition[]): void {
  if (named.length === 0) return;
  for (const { seq, commitment } of named)
    state.run('INSERT OR IGNORE INTO stubs (seq, commitment) VALUES (?, ?)', seq, commitment);
  const all = state.all('SELECT seq FROM stubs ORDER BY seq').map((row) => row['seq']);
  setMeta(state, 'erased', sha256Hex(all.join()));
}

/** Names the set: two snapshots with the same name have left out the same positions. */
export function nameOfStubs(snapshot: Sql): string {
  return meta(snapshot, 'erased') ?? '';
}

/** The lowest position whose bytes in the store were not seen to be a stub yet. */
export function firstUnconfirmed(state: Sql): number | undefined {
  const seq = state.get('SELECT min(seq) AS seq FROM stubs WHERE commit_n IS NULL')?.['seq'];
  return typeof seq === 'number' ? seq : undefined;
}

/** Notes that the bytes of a commit hold stubs at these positions. */
export function confirmStubs(state: Sql, commit: number, seqs: readonly number[]): void {
  state.transaction(() => {
    for (const seq of seqs) state.run('UPDATE stubs SET commit_n = ? WHERE seq = ?', commit, seq);
  });
}

/** Forgets what was seen of the store, so that it is looked at again: a writer that stalled may have brought bytes back. */
export function doubtStubs(state: Sql): void {
  state.run('UPDATE stubs SET commit_n = NULL');
}
