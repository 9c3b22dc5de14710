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
  /** The person as the fleet names them: by their first key, which may be another than this one. */
  readonly operator?: string | undefined;
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
  readonly admission: FleetBody['admission'];
  /** The addresses that it admits. */
  readonly admitted: readonly string[];
}

/** The fleet that a store holds, or undefined where it holds none. Throws `fleet.malformed`. */
export async function readFleet(store: ObjectStore): Promise<FleetCard | undefined> {
  const bytes = await store.get(FLEET_KEY);
  if (!bytes) return readFounding(store);
  return cardIn(bytes, `${FLEET_KEY} in ${store.name}`);
}

/** Reads a card; `where` names it to people. Throws `fleet.malformed`. */
export function cardIn(text: string | Uint8Array, where: string): FleetCard {
  const card = objectOf(jsonIn(text));
  const fleetId = textOf(card['fleet_id']);
  const entry = textOf(card['entry']);
  if (fleetId !== undefined && entry !== undefined && card['format'] === 1)
    return { fleetId, entry };
  throw new CredenceError('configuration', 'fleet.malformed', `${where} is not a fleet's card`, {
    next: 'point `store` to another place, or restore the object',
  });
}

/** A card as it is stored. */
export function writtenCard({ entry, fleetId }: FleetCard): string {
  return `${canonical({ entry, fleet_id: fleetId, format: 1 })}\n`;
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
    admission: body.data.admission,
    admitted: [
      body.data.author,
      ...records.flatMap((record) => AdmissionBody.safeParse(record.body).data?.address ?? []),
    ],
  };
}

async function putCard(store: ObjectStore, card: FleetCard): Promise<void> {
  await store.putIfAbsent(FLEET_KEY, Buffer.from(writtenCard(card)));
}

/** A request for admission, and whom it admits. */
export interface Asked {
  readonly address: string;
  readonly record: SignedRecord;
}

/** The record by which `by` admits a key. */
export function admissionBy(by: Signer, at: Instant, { address, ...rest }: Admitted): Asked {
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

/** The record by which an admin admits an agent as a principal of its own, that may do what an open fleet lets anybody do. */
export function agentAdmission(admin: Signer, { address }: Signer, at: Instant): Asked {
  const roles = [...OPEN_AGENT_ROLES, 'review' as const];
  const own = { address, principal: address, kind: 'agent' as const, operator: admin.address };
  return admissionBy(admin, at, { ...own, roles });
}

/** The records by which a household joins an open fleet: the person admits themself and their host, the host its agents. */
export function admissions(home: Household, at: Instant): Asked[] {
  const { person, host } = home;
  const [self, first, ...agents] = membersOf(home);
  return [
    admissionBy(person, at, self),
    admissionBy(person, at, first),
    ...agents.map((agent) => admissionBy(host, at, agent)),
  ];
}

/** Who is admitted, and as what. */
export type Admitted = Omit<AdmissionBody, 'spec' | 'author' | 'issued_at'>;

/** Everyone of a household, as an open fleet admits them: the person, the host, the agents. */
export function membersOf(home: Household): readonly [Admitted, Admitted, ...Admitted[]] {
  const { address } = home.person;
  const operator = home.operator ?? address;
  return [{ address, principal: operator, kind: 'person', operator, roles: [] }, ...ofHost(home)];
}

/** The host of a household, and its agents. */
function ofHost(home: Household): readonly [Admitted, ...Admitted[]] {
  const { person, host, hostId, sealKey, agents } = home;
  const operator = home.operator ?? person.address;
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
