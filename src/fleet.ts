import type { ObjectStore } from './lake/objects.ts';
import type { Check } from './lake/probe.ts';
import type { FleetOptions } from './library/fleet-options.ts';
import type { Fleet } from './library/fleet-verbs.ts';

export { newSeed, type Signer, signerOf } from './base/ed25519.ts';
export { CredenceError } from './base/errors.ts';
export type { SourceWeight } from './fold/standing.ts';
export { memoryStore } from './io/memory-store.ts';
export { assertKey, assertPrefix } from './lake/key.ts';
export { assertFits, type ObjectStore } from './lake/objects.ts';
export type { Check } from './lake/probe.ts';
export type { FleetOptions, Keys } from './library/fleet-options.ts';
export type { Fleet, FleetHead } from './library/fleet-verbs.ts';
export {
  keywordRetriever,
  type Retrievable,
  type Retriever,
  type Sought,
} from './query/retriever.ts';

/**
 * Opens a fleet: founds it where the store has none, else joins it, as `credence init` would. Rejects with `fleet.closed` where
 * a closed one has not admitted these keys, and names their addresses; `fleet.other`, `fleet.pin` and `fleet.missing` where the
 * store holds another fleet, or none any more; `library.store`, `library.option`, `store.*`, `key.*`, `settings.*`.
 */
export async function openFleet(options: FleetOptions = {}): Promise<Fleet> {
  const { store } = options;
  // Loaded when it is needed: a fleet in memory has no use for what reads sessions.
  if (store === undefined) return (await import('./node/home-fleet.ts')).openHomeFleet(options);
  return (await import('./node/store-fleet.ts')).openStoreFleet(store, options);
}

/**
 * Tries on a real store every promise that a fleet relies on, under keys of its own. For whoever brings a store: one
 * whose checks are not all `ok` loses what agents said.
 */
export async function probeStore(store: ObjectStore): Promise<readonly Check[]> {
  return (await import('./node/store-fleet.ts')).probe(store);
}
