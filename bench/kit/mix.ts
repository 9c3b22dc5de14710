import { createHash } from 'node:crypto';
import { type Signer, signerOf } from '../../src/base/ed25519.ts';
import { type Instant, toInstant } from '../../src/base/time.ts';
import type { World } from '../../src/base/world.ts';
import { commitKey } from '../../src/lake/layout.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { GENESIS, propose, readCommit } from '../../src/ledger/commit.ts';
import { foundFleet, type Household, hostIdOf } from '../../src/ledger/found.ts';
import type { Digest } from '../../src/record/digest.ts';
import { KNOWLEDGE_SPEC, type KnowledgeClaim } from '../../src/record/knowledge.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../../src/record/record.ts';
import type { HandoffBody, SessionBody } from '../../src/record/session.ts';

/*
 * A ledger as a fleet of eight agents leaves it: of a hundred entries 35 claims, 40 endorsements, 15 handoffs and 10
 * sealed sessions, each with a small digest and the handoff that it took. Without a clock or chance: every run has the same.
 */

const signer = (name: string): Signer => signerOf(createHash('sha256').update(name).digest());
const host = signer('host');

/** The fleet that says it. */
export const HOME: Household = {
  person: signer('person'),
  host,
  hostId: hostIdOf(host.address),
  agents: Array.from({ length: 8 }, (_, i) => ({ id: `agent-${i}`, signer: signer(`agent ${i}`) })),
};
/** Its id. */
export const FLEET = 'bench';
const NOW = Date.UTC(2026, 2, 1);
/** A clock that stands still, and salts that are all alike. */
export const WORLD: World = { now: () => NOW, random: (n) => new Uint8Array(n).fill(3) };

/** Entries in a commit: as many as a committer puts into one. */
export const PER_COMMIT = 1_000;

function digest(i: number): Digest {
  const files = [0, 1, 2].map((k) => ({
    path: `src/area-${(i + k) % 97}/file-${i % 991}.ts`,
    reads: k,
    edits: 1,
  }));
  const commands = [{ command: `npm run task-${i % 53}`, runs: 1, failed: 0, exit: 0 as const }];
  return {
    version: 1,
    asked: `please change part ${i % 1013} so that it waits for ${i % 31}`,
    outcome: 'clean',
    prompts: 3,
    turns: 3,
    responses: 20,
    tool_calls: 30,
    tool_errors: 3,
    worked: true,
    files,
    commands,
    tests: commands,
    commits: [],
    duration_ms: 600_000,
    tokens: { input: 1_000, output: 2_000, cache_read: 30_000, cache_write: 4_000 },
    models: ['model-a'],
    compactions: 0,
    friction: [],
  };
}

interface Turn {
  readonly i: number;
  readonly at: Instant;
  readonly agent: Household['agents'][number];
  /** Ids of claims and handoffs that came before. */
  readonly claims: readonly string[];
  readonly handoffs: readonly string[];
}

function claim({ i, at, agent }: Turn): SignedRecord {
  const body: KnowledgeClaim = {
    spec: KNOWLEDGE_SPEC,
    author: agent.signer.address,
    scope: { space: FLEET, segment: `repo:example.com/team/repo-${i % 10}` },
    kind: 'semantic',
    statement: `part ${i} waits for its queue before it answers, and part ${i % 1013} does not`,
    topics: ['queue', `topic-${i % 10}`],
    refs: [{ uri: `file:src/part-${i % 991}.ts`, kind: 'file' }],
    episodes: [],
    asserted_at: at,
    supersedes: null,
  };
  return seal('claim', body, agent.signer);
}

function endorsement({ i, at, agent, claims }: Turn): SignedRecord {
  const body = {
    spec: KNOWLEDGE_SPEC,
    author: agent.signer.address,
    claim_id: claims[(i * 7) % claims.length] ?? '',
    verdict: i % 10 === 0 ? 'contradict' : 'corroborate',
    basis: `met it again while at work on part ${i}`,
    episodes: [],
    issued_at: at,
  };
  return seal('endorsement', body, agent.signer);
}

function handoff({ i, at, agent }: Turn): SignedRecord {
  const body: HandoffBody = {
    spec: SPEC,
    author: agent.signer.address,
    issued_at: at,
    session: `session-${i}`,
    agent: agent.id,
    runtime: 'claude-code',
    host: HOME.hostId,
    repo: `example.com/team/repo-${i % 10}`,
    status: 'partial',
    summary: `part ${i} waits now; its tests do not yet say so, and the limit is a guess`,
    next: 'write the tests',
  };
  return seal('handoff', body, agent.signer);
}

function session({ i, at, agent, handoffs }: Turn): SignedRecord {
  const id = handoffs.at(-1 - (i % 3));
  const body: SessionBody = {
    spec: SPEC,
    author: host.address,
    issued_at: at,
    session: `session-${i}`,
    agent: agent.id,
    runtime: 'claude-code',
    host: HOME.hostId,
    repo: `example.com/team/repo-${i % 10}`,
    revision: 1,
    window: { first: at, last: at },
    parts: [{ key: `sessions/part-${i}.parquet`, hash: 'a'.repeat(64) }],
    lineage: id ? [{ kind: 'handoff', id, source: 'brief', observed_by: agent.id }] : [],
    digest: digest(i),
  };
  return seal('session', body, host);
}

/** One record of each kind, in the order in which a hundred have them. */
function recordAt(turn: Turn): SignedRecord {
  const place = (turn.i * 37) % 100;
  if (place < 35 || turn.claims.length === 0) return claim(turn);
  if (place < 75) return endorsement(turn);
  return place < 90 ? handoff(turn) : session(turn);
}

/** The records, without end, or with one at `count`. */
export function* mixed(count = Number.POSITIVE_INFINITY): Generator<SignedRecord> {
  const claims: string[] = [];
  const handoffs: string[] = [];
  for (let i = 0; i < count; i++) {
    const agent = HOME.agents[(i * 5) % HOME.agents.length];
    if (!agent) return;
    const record = recordAt({
      i,
      at: toInstant(NOW - 40 * 86_400_000 + i * 1_000),
      agent,
      claims,
      handoffs,
    });
    const ids = { claim: claims, handoff: handoffs }[record.context];
    ids?.push(recordId(record.context, record.body));
    if (ids && ids.length > 1_000) ids.shift();
    yield record;
  }
}

/** Founds the fleet on a store, and commits records to it without asking whether they would be admitted. */
export async function ledgerIn(store: ObjectStore, entries: number): Promise<void> {
  await foundFleet(store, { fleetId: FLEET, admission: 'open' }, HOME, WORLD);
  const first = await store.get(commitKey(1));
  let head = first ? readCommit(first, GENESIS, FLEET).head : GENESIS;
  for (const batch of batches(mixed(entries), PER_COMMIT)) {
    const bytes = propose(head, batch, { fleetId: FLEET, signer: host, world: WORLD, now: NOW });
    await store.put(commitKey(head.n + 1), bytes);
    head = readCommit(bytes, head, FLEET).head;
  }
}

/** Items of a sequence, so many at a time. */
export function* batches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
