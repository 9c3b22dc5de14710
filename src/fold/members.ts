import { commitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { GENESIS, readCommit } from '../ledger/commit.ts';
import { openEntries } from '../ledger/entry.ts';
import { MapState } from './map-state.ts';
import type { Reader } from './state.ts';
import { step } from './step.ts';

/** The contexts of records that say who is in a fleet. */
export const MEMBERSHIP: ReadonlySet<string> = new Set(['fleet', 'admission', 'revocation']);

/**
 * Who is in the fleet of a store, for a home that follows it not yet: as its ledger says, whose signatures are not
 * checked. Enough to warn somebody by, and for nothing else. Throws `ledger.*`.
 */
export async function readMembers(store: ObjectStore): Promise<Reader> {
  const state = new MapState();
  let head = GENESIS;
  for (;;) {
    const bytes = await store.get(commitKey(head.n + 1));
    if (!bytes) return state;
    const commit = readCommit(bytes, head, undefined);
    head = commit.head;
    const members = commit.entries.filter(
      (entry) => 'record' in entry && MEMBERSHIP.has(entry.record.context),
    );
    const opened = await openEntries(members, async (checks) => checks.map(() => true));
    for (const entry of opened) state.apply(step(state, entry));
  }
}
