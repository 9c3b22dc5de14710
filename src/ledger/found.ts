import { canonical } from '../base/canonical.ts';
import type { Signer } from '../base/ed25519.ts';
import { assert, CredenceError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { type Instant, toInstant } from '../base/time.ts';
import { jsonIn, objectOf, textOf } from '../base/unknown.ts';
import type { World } from '../base/world.ts';
import { commitKey, FLEET_KEY } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { AdmissionBody, FleetBody, OPEN_AGENT_ROLES, OPEN_HOST_ROLES } from '../record/fleet.ts';
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
  /** To which the fleet's secret can be sealed for the host; raw, base64. */
  readonly sealKey?: string;
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
  const { entries } = readCommit(bytes, GENESIS, undefined);
  const records = entries.flatMap((entry) => ('record' in entry ? [entry.record] : []));
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
    admitted: [
      body.data.author,
      ...records.flatMap((record) => AdmissionBody.safeParse(record.body).data?.address ?? []),
    ],
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

/** The record by which `by` admits a key. */
function admissionBy(by: Signer, at: Instant, { address, ...rest }: Admitted): Asked {
  const body: AdmissionBody = {
    spec: SPEC,
    author: by.address,
    issued_at: at,
    address,
    ...rest,
    roles: [...rest.roles].sort(),
  };
  return { address, record: seal('admission', body, by) };
}

/** The records by which a household joins an open fleet: host and person admit themselves, the host its agents. */
export function admissions(home: Household, at: Instant): Asked[] {
  const { person, host } = home;
  const { address: operator } = person;
  const self = { address: operator, principal: operator, kind: 'person' as const, operator };
  const [first, ...agents] = ofHost(home);
  return [
    admissionBy(host, at, first),
    admissionBy(person, at, { ...self, roles: [] }),
    ...agents.map((agent) => admissionBy(host, at, agent)),
  ];
}

type Admitted = Omit<AdmissionBody, 'spec' | 'author' | 'issued_at'>;

/** The host of a household, and its agents. */
function ofHost(home: Household): readonly [Admitted, ...Admitted[]] {
  const { person, host, hostId, sealKey, agents } = home;
  const operator = person.address;
  return [
    {
      address: host.address,
      principal: hostId,
      kind: 'host',
      operator,
      roles: [...OPEN_HOST_ROLES],
      ...(sealKey === undefined ? {} : { seal_key: sealKey }),
    },
    ...agents.map(
      ({ id, signer }): Admitted => ({
        address: signer.address,
        principal: id,
        kind: 'agent',
        operator,
        roles: [...OPEN_AGENT_ROLES],
      }),
    ),
  ];
}

/** What founds a fleet: its record, by which its author is the first admin, and the household that they admit. */
export function foundingRecords(
  {
    fleetId,
    admission,
    nonce,
  }: Pick<FleetBody, 'admission' | 'nonce'> & { readonly fleetId: string },
  home: Household,
  at: Instant,
): SignedRecord[] {
  const { person } = home;
  const body: FleetBody = {
    spec: SPEC,
    author: person.address,
    issued_at: at,
    fleet_id: fleetId,
    admission,
    nonce,
  };
  const family = ofHost(home).map((one) => admissionBy(person, at, one).record);
  return [seal('fleet', body, person), ...family];
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
  const nonce = Buffer.from(world.random(16)).toString('hex');
  const records = foundingRecords({ ...fleet, nonce }, home, toInstant(now));
  const bytes = propose(GENESIS, records, {
    fleetId: fleet.fleetId,
    signer: home.host,
    world,
    now,
  });
  await store.putIfAbsent(commitKey(1), bytes);
  const founding = await readFounding(store);
  assert(founding, 'a commit that was put, or was there, can be read');
  return founding;
}
