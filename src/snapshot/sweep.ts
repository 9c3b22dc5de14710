import type { ObjectStore } from '../lake/objects.ts';
import { findCommit } from '../ledger/find.ts';
import { overwriteErased } from '../ledger/overwrite.ts';
import { headOf } from './follow.ts';
import type { Sql } from './port.ts';
import { confirmStubs, firstUnconfirmed, stubsWithin } from './stubs.ts';

/**
 * Overwrites in the store what was erased and was not seen to be gone yet, commit by commit. Costs nothing where all of
 * it was. To be called by a host that may commit, once it has followed the ledger.
 */
export async function sweepErased(store: ObjectStore, state: Sql): Promise<void> {
  const tried = new Set<number>();
  for (;;) {
    const first = firstUnconfirmed(state);
    // What could not be confirmed is looked at again by the next sync.
    if (first === undefined || tried.has(first)) return;
    tried.add(first);
    const { n, body } = await findCommit(store, first, headOf(state).n);
    const stubs = stubsWithin(state, body.first_seq, body.size);
    const erased = new Map(stubs.map(({ seq, commitment }) => [seq, commitment]));
    if (!(await overwriteErased(store, n, erased))) return;
    confirmStubs(state, n, [...erased.keys()]);
  }
}
