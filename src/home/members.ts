import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { toInstant } from '../base/time.ts';
import { principalOf, viewOf } from '../fold/view.ts';
import { type Admitted, admissionBy } from '../ledger/found.ts';
import { deposit } from '../ledger/inbox.ts';
import { type Asking, isFor, readJoinRequest } from '../ledger/join-request.ts';
import type { LedgerView, Principal } from '../ledger/port.ts';
import type { Parts } from '../pipeline.ts';
import {
  OPEN_AGENT_ROLES,
  OPEN_HOST_ROLES,
  type RevocationBody,
  type Role,
} from '../record/fleet.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { readerOf } from '../snapshot/database.ts';
import { settle } from '../snapshot/settle.ts';
import type { Home } from './home.ts';

/* What an admin says about who is in a fleet, and what anybody says about their own keys. */

type Kind = Admitted['kind'];
/** Roles that are given beside the usual ones, and to which kind of key. */
export type Extra = readonly { readonly kind: Kind; readonly role: Role }[];

/** One key that would be admitted, and what the ledger says of it, and of its name, before. */
export interface Planned extends Admitted {
  readonly was: 'new' | 'revoked' | 'other';
  /** Operators whose keys have the name already: from then on these speak as one. */
  readonly sharedWith: readonly string[];
}

/** What an admission would say; `standing` are keys that stand as asked for already. */
export interface AdmitPlan {
  readonly planned: readonly Planned[];
  readonly standing: readonly string[];
}

const USUAL: Readonly<Record<Kind, readonly Role[]>> = {
  person: [],
  host: OPEN_HOST_ROLES,
  agent: OPEN_AGENT_ROLES,
};

const sorted = (roles: readonly Role[]): Role[] => [...new Set(roles)].sort();

function follow(parts: Parts): Promise<unknown> {
  return settle({ ...parts, ...parts.identity });
}

function personOf({ keys }: Pick<Home, 'keys'>, parts: Parts) {
  const person = keys.signer('person');
  return { person, known: principalOf(readerOf(parts.state), person.address) };
}

function adminOf(home: Pick<Home, 'keys'>, parts: Parts): Signer {
  const { person, known } = personOf(home, parts);
  if (known?.roles.includes('admin')) return person;
  const admins = viewOf(readerOf(parts.state)).admins();
  throw new CredenceError('forbidden', 'fleet.role', 'only an admin of the fleet admits', {
    data: { admins: admins.map(({ address }) => address) },
    next: `give the request to one of its admins: ${admins.map(({ address }) => address).join(', ')}`,
  });
}

/**
 * Refuses a request whose keys say that somebody answers for them who did not sign it: an admin would give a stranger's key
 * the name of a member's. Throws `request.operator`.
 */
function assertVouched(
  { operator, kind, principal }: Asking,
  keys: readonly Asking[],
  view: LedgerView,
): void {
  const isOwn = keys.some((key) => {
    const standing = view.principal(key.address);
    const stands = standing?.revoked === undefined && standing?.principal === operator;
    return key.kind === 'person' && (key.address === operator || stands);
  });
  if (isOwn && (kind !== 'person' || principal === operator)) return;
  throw new CredenceError(
    'forbidden',
    'request.operator',
    `the request names ${operator} as who answers for it, and that person has not signed it`,
    { data: { operator }, next: 'ask whoever sent it how they came by that address' },
  );
}

/** The keys that a request names; or, where it is no request, those that stand under a name or an address. */
function asked(parts: Parts, entry: string, request: string): readonly Asking[] {
  const view = viewOf(readerOf(parts.state));
  const known = view.principal(request);
  const keys = known ? [known] : view.keysOf(request);
  const standing = keys.filter(({ revoked }) => known !== undefined || revoked === undefined);
  if (standing.length > 0) return standing;
  const read = readJoinRequest(request);
  if (isFor(read, entry)) {
    for (const key of read.keys) assertVouched(key, read.keys, view);
    return read.keys;
  }
  throw new CredenceError('conflict', 'request.fleet', 'the request is for another fleet', {
    next: 'the other machine has to join this one: `credence join --store <url>`',
  });
}

/**
 * What admitting would come to: a request's keys with the roles that an open fleet gives, or those that stand under a name
 * or an address with what they have, and `extra`. Throws `request.*`, and `fleet.role` where this home's person is no admin.
 */
export async function planAdmission(
  home: Pick<Home, 'keys'>,
  parts: Parts,
  wanted: { readonly entry: string; readonly request: string; readonly extra: Extra },
): Promise<AdmitPlan> {
  await follow(parts);
  adminOf(home, parts);
  const view = viewOf(readerOf(parts.state));
  const planned: Planned[] = [];
  const standing: string[] = [];
  for (const asking of asked(parts, wanted.entry, wanted.request)) {
    const { address, principal, kind, operator } = asking;
    const known = view.principal(address);
    const extra = wanted.extra.filter((one) => one.kind === kind).map(({ role }) => role);
    const held = known && known.revoked === undefined ? known.roles : USUAL[kind];
    const roles = sorted([...held, ...extra]);
    const isSame =
      known?.revoked === undefined &&
      known?.principal === principal &&
      known.kind === kind &&
      known.operator === operator &&
      sorted(known.roles).join() === roles.join();
    if (isSame) {
      standing.push(address);
      continue;
    }
    const holders = view.keysOf(principal).filter((key) => key.address !== address);
    const sharedWith = holders.map((key) => key.operator).filter((other) => other !== operator);
    const was = !known ? 'new' : known.revoked === undefined ? 'other' : 'revoked';
    planned.push({ ...asking, roles, was, sharedWith: [...new Set(sharedWith)] });
  }
  return { planned, standing };
}

/** Admits what was planned; true where the ledger has taken it, false where it waits. Throws the code of a refusal. */
export async function admitAll(
  home: Pick<Home, 'keys' | 'world'>,
  parts: Parts,
  { planned }: AdmitPlan,
): Promise<boolean> {
  const admin = adminOf(home, parts);
  const at = toInstant(home.world.now());
  const records = planned.map(({ was: _, sharedWith: __, ...key }) => admissionBy(admin, at, key));
  return say(
    parts,
    records.map(({ record }) => record),
  );
}

/** Puts records into the ledger, in their order. */
async function say(parts: Parts, records: readonly SignedRecord[]): Promise<boolean> {
  if (records.length === 0) return true;
  await deposit(parts.store, parts.identity.hostId, parts.nextCounter(), records);
  await follow(parts);
  const reader = readerOf(parts.state);
  const decided = records.map(({ context, body }) =>
    reader.get('decided', recordId(context, body)),
  );
  const code = decided.find((row) => typeof row?.code === 'string')?.code;
  if (typeof code !== 'string') return decided.every((row) => row !== undefined);
  throw new CredenceError('incorrect', code, `the ledger refused it (${code})`, {
    next: '`credence agents` says who is in the fleet, and under which names',
  });
}

/** Keys that a revocation would end, and whose signature ends each. */
export interface RevokePlan {
  readonly keys: readonly (Principal & { readonly by: string })[];
}

/** Who of this home may end a key: its person, where they answer for it or are an admin. Throws `revocation.role`. */
function enderOf(home: Pick<Home, 'keys'>, parts: Parts, target: Principal): Signer {
  const { person, known } = personOf(home, parts);
  const isOwn = target.operator === known?.principal;
  if (known?.revoked === undefined && (known?.roles.includes('admin') || isOwn)) return person;
  throw new CredenceError(
    'forbidden',
    'revocation.role',
    `${target.principal} is another person's, and this home's person is no admin`,
    {
      data: { address: target.address },
      next: 'ask an admin of the fleet, or whoever answers for it',
    },
  );
}

/** What revoking an address, or every key of a name, would come to. Throws `revocation.*`. */
export async function planRevocation(
  home: Pick<Home, 'keys'>,
  parts: Parts,
  name: string,
): Promise<RevokePlan> {
  await follow(parts);
  const view = viewOf(readerOf(parts.state));
  const known = view.principal(name);
  const found = view.keysOf(name);
  // A person goes by their first key, so that its address is a name, too.
  const keys = known && (known.principal !== name || found.length < 2) ? [known] : found;
  if (keys.length === 0) {
    throw new CredenceError('missing', 'revocation.unknown', 'nobody in the fleet is called so', {
      next: '`credence agents` lists names and keys',
    });
  }
  const standing = keys.filter(({ revoked }) => revoked === undefined);
  if (standing.length === 0) {
    throw new CredenceError('conflict', 'revocation.known', 'it is revoked already', {
      next: '`credence agents` says since when',
    });
  }
  const ended = new Set(standing.map(({ address }) => address));
  if (view.admins().every(({ address }) => ended.has(address))) {
    throw new CredenceError('conflict', 'revocation.last_admin', 'the fleet has no other admin', {
      next: 'make another one first: `credence fleet admit <name> --role admin`',
    });
  }
  const planned = standing.map((key) => ({ ...key, by: enderOf(home, parts, key).address }));
  // A key that ends itself signs nothing after that.
  return { keys: planned.sort((a, b) => Number(a.address === a.by) - Number(b.address === b.by)) };
}

/** Revokes what was planned; true where the ledger has taken it, false where it waits. Throws the code of a refusal. */
export async function revokeAll(
  home: Pick<Home, 'keys' | 'world'>,
  parts: Parts,
  { keys }: RevokePlan,
  reason: string | undefined,
): Promise<boolean> {
  const { person } = personOf(home, parts);
  const at = toInstant(home.world.now());
  const records = keys.map(({ address }) => {
    const body: RevocationBody = {
      spec: SPEC,
      author: person.address,
      issued_at: at,
      address,
      ...(reason === undefined ? {} : { reason }),
    };
    return seal('revocation', body, person);
  });
  return say(parts, records);
}
