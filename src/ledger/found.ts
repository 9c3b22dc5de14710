import { canonical } from '../base/canonical.ts';
import type { Signer } from '../base/ed25519.ts';
import { assert, CredenceError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { type Instant, toInstant } from '../base/time.ts';
import { jsonIn, objectOf, textOf } from '../base/unknown.ts';
import type { World } from '../base/world.ts';
import { commitKey, FLEET_KEY } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import {
  AdmissionBody,
  FleetBody,
  OPEN_AGENT_ROLES,
  OPEN_HOST_ROLES,
  type Role,
} from '../record/fleet.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { GENESIS, propose, readCommit } from './commit.ts';

/** `fleet.json`: which fleet a store holds, by the id of its founding record. */
export interface FleetCard {
  readonly fleetId: string;
  readonly entry: string;
}

/** Everyone of one home who is to be admitted. */
export interface Household {
  readonly person: Signer;
  readonly host: Signer;
  readonly hostId: string;
  readonly agents: readonly { readonly id: string; readonly signer: Signer }[];
}

/** A host's id: 16 hex digits of the SHA-256 of its key's address, so that two homes on one computer are two hosts. */
export function hostIdOf(address: string): string {
  return sha256Hex(address).slice(0, 16);
}

/** What a store's first commit says. */
export interface Founding extends FleetCard {
  /** The addresses that it admits. */
  readonly admitted: readonly string[];
}

/** The fleet that a store holds, or undefined where it holds none. Throws `fleet.malformed`. */
export async function readFleet(store: ObjectStore): Promise<FleetCard | undefined> {
  const bytes = await store.get(FLEET_KEY);
  if (!bytes) return readFounding(store);
  const card = objectOf(jsonIn(bytes));
  const fleetId = textOf(card['fleet_id']);
  const entry = textOf(card['entry']);
  if (fleetId !== undefined && entry !== undefined && card['format'] === 1)
    return { fleetId, entry };
  throw new CredenceError(
    'configuration',
    'fleet.malformed',
    `${FLEET_KEY} in ${store.name} is not a fleet's card`,
    {
      next: 'point `store` to another place, or restore the object',
    },
  );
}

/**
 * The founding of a store's fleet, from its first commit, or undefined where there is none. A founding that was
 * cut off after that commit left no card: it is put here. Throws `fleet.taken` for a ledger that founds no fleet.
 */
export async function readFounding(store: ObjectStore): Promise<Founding | undefined> {
  const bytes = await store.get(commitKey(1));
  if (!bytes) return undefined;
  const records = readCommit(bytes, GENESIS, undefined).entries.map((entry) => entry.record);
  const [first] = records;
  const body = first?.context === 'fleet' ? FleetBody.safeParse(first.body) : undefined;
  if (!first || !body?.success) {
    throw new CredenceError(
      'conflict',
      'fleet.taken',
      `${store.name} holds a ledger that founds no fleet`,
      {
        next: 'point `store` to an empty place',
      },
    );
  }
  const card = { fleetId: body.data.fleet_id, entry: recordId('fleet', first.body) };
  await putCard(store, card);
  return {
    ...card,
    admitted: records.flatMap((record) => AdmissionBody.safeParse(record.body).data?.address ?? []),
  };
}

async function putCard(store: ObjectStore, card: FleetCard): Promise<void> {
  const value = { entry: card.entry, fleet_id: card.fleetId, format: 1 };
  await store.putIfAbsent(FLEET_KEY, Buffer.from(`${canonical(value)}\n`));
}

/** A request for admission, and whom it admits. */
export interface Asked {
  readonly address: string;
  readonly record: SignedRecord;
}

/** The records that admit a household to an open fleet: the host and the person themselves, the agents by their host. */
export function admissions(
  home: Household,
  at: Instant,
  personRoles: readonly Role[] = [],
): Asked[] {
  const { person, host, hostId, agents } = home;
  const operator = person.address;
  const ask = (
    by: Signer,
    kind: AdmissionBody['kind'],
    address: string,
    principal: string,
    roles: readonly Role[],
  ) => {
    const body: AdmissionBody = {
      spec: SPEC,
      author: by.address,
      issued_at: at,
      address,
      principal,
      kind,
      operator,
      roles: [...roles].sort(),
    };
    return { address, record: seal('admission', body, by) };
  };
  return [
    ask(host, 'host', host.address, hostId, OPEN_HOST_ROLES),
    ask(person, 'person', operator, operator, personRoles),
    ...agents.map(({ id, signer }) => ask(host, 'agent', signer.address, id, OPEN_AGENT_ROLES)),
  ];
}

/**
 * Founds a fleet on an empty store: commit 1 holds the founding record and the household's admissions, the person
 * as its first admin. Of two who found at once one does; the other gets the founding of the first.
 */
export async function foundFleet(
  store: ObjectStore,
  fleet: { readonly fleetId: string; readonly admission: 'open' | 'closed' },
  home: Household,
  world: World,
): Promise<Founding> {
  const now = world.now();
  const { person, host } = home;
  const body: FleetBody = {
    spec: SPEC,
    author: person.address,
    issued_at: toInstant(now),
    fleet_id: fleet.fleetId,
    admission: fleet.admission,
    nonce: Buffer.from(world.random(16)).toString('hex'),
  };
  const family = admissions(home, toInstant(now), ['admin', 'review']);
  const records = [seal('fleet', body, person), ...family.map(({ record }) => record)];
  const bytes = propose(GENESIS, records, { fleetId: fleet.fleetId, signer: host, world, now });
  await store.putIfAbsent(commitKey(1), bytes);
  const founding = await readFounding(store);
  assert(founding, 'a commit that was put, or was there, can be read');
  return founding;
}
