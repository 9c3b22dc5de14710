import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { newSeed, remembering, type Signer, signerOf } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { Name, SETTINGS, storeFolder } from '../home/settings.ts';
import { openFsStore } from '../io/fs-store.ts';
import { openKeyring } from '../io/keys.ts';
import { memoryStore } from '../io/memory-store.ts';
import { isDamaged, openMemorySqlite } from '../io/sqlite.ts';
import { openVerifier } from '../io/verifier.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { type Check, probeStore } from '../lake/probe.ts';
import { type FleetCard, foundFleet, hostIdOf, readFounding } from '../ledger/found.ts';
import type { FleetOptions, Keys } from '../library/fleet-options.ts';
import { type Fleet, fleetOver } from '../library/fleet-verbs.ts';
import { joinFleet } from '../library/store-joining.ts';
import { keywordRetriever } from '../query/retriever.ts';
import { RetrieverIndex } from '../query/retriever-index.ts';
import { prepare } from '../snapshot/database.ts';
import type { Sql } from '../snapshot/port.ts';
import { TABLES } from '../snapshot/schema.ts';
import { KnowledgeBase, type KnowledgeParts } from '../verbs/knowledge.ts';
import { type FleetCache, openFleetCache } from './fleet-cache.ts';

const WORLD: World = { now: Date.now, random: (bytes) => randomBytes(bytes) };

/** The fleet of a store, without a home. */
export async function openStoreFleet(
  given: string | ObjectStore,
  options: FleetOptions,
): Promise<Fleet> {
  const { agent: name = 'library', retriever = keywordRetriever } = options;
  assertName('agent', name);
  const cache = options.cache === undefined ? undefined : openFleetCache(resolve(options.cache));
  const keys = keysOf(options);
  const [person, host] = [keys.signer('person'), keys.signer('host')];
  const agent = keys.signer(`agent-${name}`);
  const verifier = openVerifier();
  const verifyAll = remembering(verifier.verifyAll);
  let state: Sql | undefined;
  const openState = () => {
    state = cache ? cache.openState() : openMemoryState();
    return state;
  };
  const end = () => {
    verifier.close();
    state?.close();
  };
  const inTurn = cache ? cache.inTurn : <T>(body: () => Promise<T>) => body();
  try {
    const store = storeOf(given, cache?.card() === undefined);
    const { fleetId } = await inTurn(() => foundingOf(store, options, { person, host }, cache));
    const opened = (): KnowledgeParts => ({
      store,
      fleetId,
      state: openState(),
      verifyAll,
      followed: () => {},
      world: WORLD,
      host,
      hostId: hostIdOf(host.address),
      nextCounter,
      retriever,
      index,
      weight: options.sourceWeight,
    });
    const nextCounter = cache?.nextCounter ?? countFrom(WORLD.now());
    const index = new RetrieverIndex(retriever);
    let base = new KnowledgeBase(opened());
    /** A cache that turns out to be damaged is followed again, and what was to be done is done then. */
    const again = <T>(body: (one: KnowledgeBase) => Promise<T>) => {
      state?.close();
      cache?.dropState();
      base = new KnowledgeBase(opened());
      return body(base);
    };
    const within = <T>(body: (one: KnowledgeBase) => Promise<T>) =>
      inTurn(async () => {
        try {
          return await body(base);
        } catch (error) {
          if (!isDamaged(error)) throw error;
          return again(body);
        }
      });
    await within((one) => one.read((parts) => joinFleet(parts, { person, agent })));
    return fleetOver({ id: fleetId, agent: () => agent, person: () => person, within, end });
  } catch (error) {
    end();
    throw error;
  }
}

/** Tries what a fleet needs of a store. */
export function probe(store: ObjectStore): Promise<readonly Check[]> {
  return probeStore(storeOf(store, true), WORLD);
}

function openMemoryState(): Sql {
  const state = openMemorySqlite();
  prepare(state, TABLES);
  return state;
}

/** Numbers for a host's items that are not kept: above those of the process before. */
function countFrom(now: number): () => number {
  let counter = now;
  return () => ++counter;
}

/** The founding of the store's fleet, which has to be the one that was meant, and that the cache follows. */
async function foundingOf(
  store: ObjectStore,
  { fleetId, admission = 'open' }: FleetOptions,
  { person, host }: { readonly person: Signer; readonly host: Signer },
  cache: FleetCache | undefined,
): Promise<FleetCard> {
  const pin = cache?.card();
  const id = fleetId ?? 'local';
  assertName('fleetId', id);
  const before = await readFounding(store);
  if (pin && pin.entry !== before?.entry) throw otherThanPinned(store.name, pin, before);
  if (before && fleetId !== undefined && before.fleetId !== fleetId) {
    const what = `${store.name} holds fleet ${before.fleetId}, not ${fleetId}`;
    throw new CredenceError('configuration', 'fleet.other', what, {
      next: `name fleet ${before.fleetId}, or give an empty store`,
    });
  }
  const family = { person, host, hostId: hostIdOf(host.address), agents: [] };
  const found = before ?? (await foundFleet(store, { fleetId: id, admission }, family, WORLD));
  const card = { fleetId: found.fleetId, entry: found.entry };
  if (!pin) cache?.writeCard(card);
  return card;
}

function otherThanPinned(
  store: string,
  pin: FleetCard,
  found: FleetCard | undefined,
): CredenceError {
  if (!found) {
    const what = `${store} no longer holds fleet ${pin.fleetId}, which this cache follows`;
    return new CredenceError('unavailable', 'fleet.missing', what, {
      next: 'bring the store back, or give another folder as cache to begin anew',
    });
  }
  const what = `${store} holds another fleet than ${pin.fleetId}, which this cache follows`;
  return new CredenceError('configuration', 'fleet.pin', what, {
    next: 'give the store that holds it, or another folder as cache',
  });
}

function assertName(option: string, value: unknown): void {
  const parsed = Name.safeParse(value);
  if (parsed.success) return;
  const what = `option ${option} can't be ${JSON.stringify(value)}`;
  throw new CredenceError('usage', 'library.option', what, {
    next: `give ${parsed.error.issues[0]?.message}`,
  });
}

function keysOf({ keys, passphrase }: FleetOptions): Keys {
  if (typeof keys === 'object') return keys;
  if (keys !== undefined) return openKeyring(resolve(keys), { value: passphrase });
  const made = new Map<string, Signer>();
  return {
    signer(name) {
      const signer = made.get(name) ?? signerOf(newSeed());
      made.set(name, signer);
      return signer;
    },
  };
}

const METHODS = ['get', 'put', 'putIfAbsent', 'list', 'delete', 'time'] as const;

function storeOf(given: string | ObjectStore, make: boolean): ObjectStore {
  if (typeof given === 'string') {
    if (given === 'memory:') return memoryStore();
    const url = SETTINGS.store.type.safeParse(given);
    if (url.success) return openFsStore(resolve(storeFolder(url.data)), { make });
    throw noStore(`a store can't be ${JSON.stringify(given)}`);
  }
  const missing = METHODS.filter((name) => typeof given?.[name] !== 'function');
  if (missing.length === 0) return given;
  throw noStore(`what was given as a store has no ${missing.join(', ')}`);
}

function noStore(what: string): CredenceError {
  return new CredenceError('usage', 'library.store', what, {
    next: 'give file:///an/absolute/path, `memory:`, or an object with the methods of ObjectStore',
  });
}
