import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signerOf } from '../src/base/ed25519.ts';
import { toInstant } from '../src/base/time.ts';
import { briefFile } from '../src/brief/publish.ts';
import { fence } from '../src/capture/fence.ts';
import { audit } from '../src/fold/audit.ts';
import { openSqlite } from '../src/io/sqlite.ts';
import { openVerifier } from '../src/io/verifier.ts';
import { commitKey } from '../src/lake/layout.ts';
import type { ObjectStore } from '../src/lake/objects.ts';
import { GENESIS, propose, readCommit } from '../src/ledger/commit.ts';
import { foundFleet, hostIdOf } from '../src/ledger/found.ts';
import type { Digest } from '../src/record/digest.ts';
import { SPEC, seal } from '../src/record/record.ts';
import type { SessionBody } from '../src/record/session.ts';
import { prepare } from '../src/snapshot/database.ts';
import { follow, publishToAgents } from '../src/snapshot/follow.ts';
import { AGENT_TABLES, TABLES } from '../src/snapshot/schema.ts';
import { openMemoryStore } from '../test/kit/memory-store.ts';
import { ratio, signatureRate } from './kit/figures.ts';

/*
 * A first follow of a ledger of session records, and a briefing from many sessions, beside the bare signature check
 * that following cannot do without. Entries: the first argument, 100,000 unless given.
 */
const ENTRIES = Number(process.argv[2] ?? 100_000);
const PER_COMMIT = 500;
const NOW = Date.UTC(2026, 2, 1);
const host = signerOf(new Uint8Array(32).fill(7));
const person = signerOf(new Uint8Array(32).fill(8));
const world = { now: () => NOW, random: (bytes: number) => new Uint8Array(bytes).fill(3) };

function digest(i: number): Digest {
  const files = Array.from({ length: 8 }, (_, k) => ({
    path: `src/area-${(i + k) % 97}/file-${(i * 7 + k) % 991}.ts`,
    reads: k,
    edits: k % 3,
  }));
  const commands = Array.from({ length: 6 }, (_, k) => ({
    command: `npm run task-${(i + k) % 53} -- --flag ${k}`,
    runs: 1 + (k % 3),
    failed: k % 2,
    exit: k % 2,
  }));
  return {
    version: 1,
    asked: `please change the behaviour of part ${i % 1013} so that it waits for ${i % 31}`,
    replied: 'It waits now, and the tests say so.',
    outcome: i % 9 === 0 ? 'error' : 'clean',
    prompts: 3,
    turns: 3,
    responses: 20,
    tool_calls: 30,
    tool_errors: 3,
    worked: true,
    files,
    commands,
    tests: commands.slice(0, 2),
    commits: [{ sha: 'abc1234', subject: `part: wait for ${i % 31}` }],
    duration_ms: 600_000,
    tokens: { input: 1_000, output: 2_000, cache_read: 30_000, cache_write: 4_000 },
    models: ['model-a'],
    compactions: 0,
    friction: [],
  };
}

function record(i: number) {
  const at = toInstant(NOW - (ENTRIES - i) * 60_000);
  const body: SessionBody = {
    spec: SPEC,
    author: host.address,
    issued_at: at,
    session: `session-${i}`,
    agent: `cc-${i % 40}`,
    runtime: 'claude-code',
    host: hostIdOf(host.address),
    repo: `example.com/team/repo-${i % 10}`,
    revision: 1,
    window: { first: at, last: at },
    parts: [{ key: `sessions/part-${i}.parquet`, hash: 'a'.repeat(64) }],
    lineage: [],
    digest: digest(i),
  };
  return seal('session', body, host);
}

async function ledgerOf(entries: number): Promise<ObjectStore> {
  const store = openMemoryStore();
  const home = { person, host, hostId: hostIdOf(host.address), agents: [] };
  await foundFleet(store, { fleetId: 'bench', admission: 'open' }, home, world);
  const first = await store.get(commitKey(1));
  let head = first ? readCommit(first, GENESIS, 'bench').head : GENESIS;
  for (let i = 0; i < entries; i += PER_COMMIT) {
    const records = Array.from({ length: Math.min(PER_COMMIT, entries - i) }, (_, k) =>
      record(i + k),
    );
    const bytes = propose(head, records, { fleetId: 'bench', signer: host, world, now: NOW });
    await store.put(commitKey(head.n + 1), bytes);
    head = readCommit(bytes, head, 'bench').head;
  }
  return store;
}

const store = await ledgerOf(ENTRIES);
const folder = mkdtempSync(join(tmpdir(), 'credence-bench-'));
const state = openSqlite(join(folder, 'state.sqlite'));
prepare(state, TABLES);
const bare = signatureRate();
const { verifyAll, close } = openVerifier();
let start = performance.now();
await follow({ store, state, fleetId: 'bench', verifyAll, followed: () => {} });
const seconds = (performance.now() - start) / 1_000;
const bareSeconds = ENTRIES / bare;
console.log(
  `first follow of ${ENTRIES} entries: ${seconds.toFixed(1)} s; the signature checks alone ${bareSeconds.toFixed(1)} s; ${ratio(seconds, bareSeconds)}`,
);

start = performance.now();
const whole = await audit({ store, verifyAll, witnesses: [], heard: () => {} });
const audited = (performance.now() - start) / 1_000;
console.log(
  `the same verified from its bytes, ${whole.entries} entries: ${audited.toFixed(1)} s; ${ratio(audited, bareSeconds)}`,
);

const agent = openSqlite(join(folder, 'agent.sqlite'));
prepare(agent, AGENT_TABLES);
start = performance.now();
publishToAgents(state, agent, 'agent');
console.log(`the agents' snapshot of it: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
const render = () =>
  fence(briefFile(agent, { repo: 'example.com/team/repo-3', live: [], now: NOW }).lines, NOW);
for (let i = 0; i < 20; i++) render();
start = performance.now();
for (let i = 0; i < 50; i++) render();
console.log(
  `a briefing from ${ENTRIES / 10} sessions in one repo, ${ENTRIES} in all: ${((performance.now() - start) / 50).toFixed(2)} ms warm`,
);
close();
state.close();
agent.close();
rmSync(folder, { recursive: true });
