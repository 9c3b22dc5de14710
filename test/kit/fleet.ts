import { createHash } from 'node:crypto';
import { type Signer, signerOf } from '../../src/base/ed25519.ts';
import { toInstant } from '../../src/base/time.ts';
import type { World } from '../../src/base/world.ts';
import { MapState } from '../../src/fold/map-state.ts';
import type { Change } from '../../src/fold/state.ts';
import { step } from '../../src/fold/step.ts';
import type { OpenedEntry } from '../../src/ledger/entry.ts';
import { foundingRecords, type Household, hostIdOf } from '../../src/ledger/found.ts';
import type { Digest } from '../../src/record/digest.ts';
import {
  type AdmissionBody,
  OPEN_AGENT_ROLES,
  OPEN_HOST_ROLES,
  type RepoMapBody,
  type RevocationBody,
} from '../../src/record/fleet.ts';
import {
  type OpenedRecord,
  open,
  recordId,
  type SignedRecord,
  SPEC,
  seal,
} from '../../src/record/record.ts';
import type { HandoffBody, SessionBody } from '../../src/record/session.ts';

/** The moment at which fleets of tests are founded: 5 January 2026, 12:00 UTC. */
export const T0 = Date.UTC(2026, 0, 5, 12);

/** A clock that stands still until it is set, and bytes that are the same in every run. */
export interface TestWorld extends World {
  set(ms: number): void;
}

/** A world of its own: two of different `name` draw different bytes. */
export function worldAt(ms: number = T0, name = 'world'): TestWorld {
  let now = ms;
  let drawn = 0;
  return {
    now: () => now,
    random(bytes) {
      drawn += 1;
      return createHash('sha512').update(`${name} ${drawn}`).digest().subarray(0, bytes);
    },
    set(next) {
      now = next;
    },
  };
}

/** The key that belongs to a name: the same one in every run. */
export function keyOf(name: string): Signer {
  return signerOf(createHash('sha256').update(name).digest());
}

/** The SHA-256 of a name in hex, for where any hash will do. */
export function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

/** Every household that the tests of a file have asked for. */
const households = new Map<string, Household>();

/** A person with one host and its agents; agent `a` of household `ann` is called `ann-a`. */
export function householdOf(name: string, agents: readonly string[] = ['cc']): Household {
  const host = keyOf(`${name} host`);
  const home = {
    person: keyOf(`${name} person`),
    host,
    hostId: hostIdOf(host.address),
    agents: agents.map((agent) => ({
      id: `${name}-${agent}`,
      signer: keyOf(`${name} agent ${agent}`),
    })),
  };
  households.set(`${name} ${agents.join()}`, home);
  return home;
}

/** An open fleet that every household of the tests is in, the person of each with the roles of an admin; before position 1. */
export function fleetRows(): Change[] {
  const fleet = { key: 'fleet', at: 0, fleet_id: 'fleet', admission: 'open', record: '' };
  const rows = [...households.values()].flatMap(({ person, host, hostId, agents }) => {
    const row = (address: string, principal: string, kind: string, roles: readonly string[]) => ({
      table: 'principals' as const,
      row: {
        key: address,
        at: 0,
        principal,
        kind,
        operator: person.address,
        roles: [...roles].sort().join(' '),
        admitted: 0,
        since: toInstant(T0),
        revoked: null,
      },
    });
    return [
      row(host.address, hostId, 'host', OPEN_HOST_ROLES),
      row(person.address, person.address, 'person', ['admin', 'review']),
      ...agents.map(({ id, signer }) => row(signer.address, id, 'agent', OPEN_AGENT_ROLES)),
    ];
  });
  return [{ table: 'fleet', row: fleet }, ...rows];
}

/** A state that holds that fleet, and nothing else. */
export function fleetState(): MapState {
  const state = new MapState();
  state.apply(fleetRows());
  return state;
}

function agentOf(home: Household): Household['agents'][number] {
  const [agent] = home.agents;
  if (!agent) throw new Error('a household without an agent');
  return agent;
}

/** The digest of a session in which nothing happened but one answered prompt, with what a test cares for. */
export function digestOf(fields: Partial<Digest> = {}): Digest {
  return {
    version: 1,
    outcome: 'clean',
    prompts: 1,
    turns: 1,
    responses: 1,
    tool_calls: 0,
    tool_errors: 0,
    worked: false,
    files: [],
    commands: [],
    tests: [],
    commits: [],
    duration_ms: 60_000,
    tokens: { input: 10, output: 20, cache_read: 0, cache_write: 0 },
    models: ['model'],
    compactions: 0,
    friction: [],
    ...fields,
  };
}

/** The body of a session's first revision, sealed by the household's host. */
export function sessionBody(
  home: Household,
  session: string,
  fields: Partial<SessionBody> = {},
): SessionBody {
  return {
    spec: SPEC,
    author: home.host.address,
    issued_at: toInstant(T0),
    session,
    agent: agentOf(home).id,
    runtime: 'claude-code',
    host: home.hostId,
    repo: 'github.com/acme/web',
    cwd: '/home/me/web',
    revision: 1,
    window: { first: toInstant(T0 - 60_000), last: toInstant(T0) },
    parts: [{ key: `sessions/${hashOf(session).slice(0, 8)}`, hash: hashOf(session) }],
    lineage: [],
    digest: digestOf(),
    ...fields,
  };
}

/** The members that are there, without those of the given names: a body that lacks an optional field. */
export function without<T extends object, K extends keyof T>(
  members: T,
  ...names: K[]
): Omit<T, K> {
  const kept = Object.entries(members).filter(([name]) => !names.includes(name as K));
  return Object.fromEntries(kept) as Omit<T, K>;
}

/** A sealed session whose folder is gone: no repo was captured. */
export function homelessBody(
  home: Household,
  session: string,
  cwd: string,
  fields: Partial<SessionBody> = {},
): SessionBody {
  return { ...without(sessionBody(home, session), 'repo'), cwd, ...fields };
}

/** The body of an agent's note. */
export function handoffBody(
  home: Household,
  session: string,
  fields: Partial<HandoffBody> = {},
): HandoffBody {
  const { id, signer } = agentOf(home);
  return {
    spec: SPEC,
    author: signer.address,
    issued_at: toInstant(T0),
    session,
    agent: id,
    runtime: 'claude-code',
    host: home.hostId,
    repo: 'github.com/acme/web',
    status: 'partial',
    summary: 'The parser is done, the printer is not.',
    ...fields,
  };
}

/** The body of a map from a path glob to a remote. */
export function repoMapBody(
  by: Signer,
  pattern: string,
  remote: string,
  fields: Partial<RepoMapBody> = {},
): RepoMapBody {
  return {
    spec: SPEC,
    author: by.address,
    issued_at: toInstant(T0),
    pattern,
    remote,
    ...fields,
  };
}

/** The body of an admission. `principal` is the address where none is given, and so is the operator. */
export function admissionBody(
  by: Signer,
  address: string,
  fields: Partial<AdmissionBody> = {},
): AdmissionBody {
  return {
    spec: SPEC,
    author: by.address,
    issued_at: toInstant(T0),
    address,
    principal: address,
    kind: 'agent',
    operator: address,
    roles: [],
    ...fields,
  };
}

/** The body of a revocation. */
export function revocationBody(
  by: Signer,
  address: string,
  fields: Partial<RevocationBody> = {},
): RevocationBody {
  return { spec: SPEC, author: by.address, issued_at: toInstant(T0), address, ...fields };
}

/** A session's record, signed by its host. */
export function sealed(home: Household, body: SessionBody): SignedRecord {
  return seal('session', body, home.host);
}

/** A note's record, signed by its agent. */
export function noted(home: Household, body: HandoffBody): SignedRecord {
  return seal('handoff', body, agentOf(home).signer);
}

/** The id of a record. */
export function idOf(record: SignedRecord): string {
  return open(record).id;
}

/** Records as the entries that a fold reads, from position `first` on. */
export function entriesOf(records: readonly SignedRecord[], first = 1): OpenedEntry[] {
  return records.map((record, i) => ({
    seq: first + i,
    context: record.context,
    record: open(record),
  }));
}

/** An entry whose record nobody signed: for folds, which ask for no signature. */
export function entryOf(seq: number, context: string, body: SignedRecord['body']): OpenedEntry {
  const signed: SignedRecord = { context, body, signature: '' };
  const opened = { context, author: body.author, body: body as OpenedRecord['body'], signed };
  return { seq, context, record: { id: recordId(context, body), ...opened } };
}

/** Folds entries onto a state in memory, one after another. */
export function foldOnto(state: MapState, entries: readonly OpenedEntry[]): MapState {
  for (const entry of entries) state.apply(step(state, entry));
  return state;
}

/** The state after records that stand in a ledger in this order: one that they found, or that of {@link fleetRows}. */
export function stateOf(records: readonly SignedRecord[]): MapState {
  const founds = records[0]?.context === 'fleet';
  return foldOnto(founds ? new MapState() : fleetState(), entriesOf(records));
}

/** The records that found the fleet `fleet`: the fleet itself, and the admissions of one household. */
export function foundingOf(home: Household, admission: 'open' | 'closed' = 'open'): SignedRecord[] {
  return foundingRecords({ fleetId: 'fleet', admission, nonce: '00' }, home, toInstant(T0));
}
