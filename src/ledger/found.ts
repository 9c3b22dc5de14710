import { canonical } from '../base/canonical.ts';
import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { toInstant } from '../base/time.ts';
import { objectOf, textOf } from '../base/unknown.ts';
import type { World } from '../base/world.ts';
import { commitKey, FLEET_KEY } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import {
  type AdmissionBody,
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

/** The fleet that a store holds, or undefined where it holds none. Throws `fleet.malformed`. */
export async function readFleet(store: ObjectStore): Promise<FleetCard | undefined> {
  const bytes = await store.get(FLEET_KEY);
  if (!bytes) return cardOfFirstCommit(store);
  const card = objectOf(parseOrNothing(bytes));
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

function parseOrNothing(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A founding that was cut off after its first commit left no card: it is made again from that commit. */
async function cardOfFirstCommit(store: ObjectStore): Promise<FleetCard | undefined> {
  const bytes = await store.get(commitKey(1));
  if (!bytes) return undefined;
  const record = readCommit(bytes, GENESIS, undefined).entries[0]?.record;
  const body = record?.context === 'fleet' ? FleetBody.safeParse(record.body) : undefined;
  if (!record || !body?.success) return undefined;
  const card = { fleetId: body.data.fleet_id, entry: recordId('fleet', record.body) };
  await putCard(store, card);
  return card;
}

async function putCard(store: ObjectStore, card: FleetCard): Promise<void> {
  const value = { entry: card.entry, fleet_id: card.fleetId, format: 1 };
  await store.putIfAbsent(FLEET_KEY, Buffer.from(`${canonical(value)}\n`));
}

function admission(
  by: Signer,
  issued_at: string,
  who: Pick<AdmissionBody, 'address' | 'principal' | 'kind' | 'operator' | 'roles'>,
): SignedRecord {
  const body: AdmissionBody = {
    spec: SPEC,
    author: by.address,
    issued_at,
    ...who,
    roles: [...who.roles].sort(),
  };
  return seal('admission', body, by);
}

/** The records that admit a household to an open fleet: the host and the person themselves, the agents by their host. */
export function admissions(home: Household, now: number): SignedRecord[] {
  const at = toInstant(now);
  const { person, host, hostId, agents } = home;
  const operator = person.address;
  const hostRoles: Role[] = [...OPEN_HOST_ROLES];
  return [
    admission(host, at, {
      address: host.address,
      principal: hostId,
      kind: 'host',
      operator,
      roles: hostRoles,
    }),
    admission(person, at, {
      address: operator,
      principal: operator,
      kind: 'person',
      operator,
      roles: [],
    }),
    ...agents.map(({ id, signer }) => agentAdmission(home, id, signer, now)),
  ];
}

/** The record by which a host admits one more agent of its own. */
export function agentAdmission(
  home: Pick<Household, 'host' | 'person'>,
  id: string,
  signer: Signer,
  now: number,
): SignedRecord {
  const who = {
    address: signer.address,
    principal: id,
    kind: 'agent' as const,
    operator: home.person.address,
  };
  return admission(home.host, toInstant(now), { ...who, roles: [...OPEN_AGENT_ROLES] });
}

/**
 * Founds a fleet on an empty store: commit 1 holds the founding record and the household's admissions, the person
 * as its first admin. Of two who found at once one does; the other gets the card of the first.
 */
export async function foundFleet(
  store: ObjectStore,
  fleet: { readonly fleetId: string; readonly admission: 'open' | 'closed' },
  home: Household,
  world: World,
): Promise<FleetCard> {
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
  const [hostAdmission, , ...agentAdmissions] = admissions(home, now);
  const admin: Role[] = ['admin', 'review'];
  const personAdmission = admission(person, toInstant(now), {
    address: person.address,
    principal: person.address,
    kind: 'person',
    operator: person.address,
    roles: admin,
  });
  const records = [
    seal('fleet', body, person),
    personAdmission,
    ...(hostAdmission ? [hostAdmission] : []),
    ...agentAdmissions,
  ];
  const bytes = propose(GENESIS, records, { fleetId: fleet.fleetId, signer: host, world, now });
  const founded = await store.putIfAbsent(commitKey(1), bytes);
  const card = founded
    ? { fleetId: fleet.fleetId, entry: recordId('fleet', body) }
    : await cardOfFirstCommit(store);
  if (!card) {
    throw new CredenceError(
      'conflict',
      'fleet.taken',
      `${store.name} holds a ledger that founds no fleet`,
      {
        next: 'point `store` to an empty place',
      },
    );
  }
  await putCard(store, card);
  return card;
}
