import type { Signer } from './base/ed25519.ts';
import { CredenceError, codeOf, messageOf } from './base/errors.ts';
import { toInstant } from './base/time.ts';
import type { World } from './base/world.ts';
import { publishBriefs, type RenderedFiles } from './brief/publish.ts';
import type { Circumstance } from './capture/envelope.ts';
import { sealSession } from './digest/seal.ts';
import { admissionView, principalOf } from './fold/admission.ts';
import { handoffBody } from './handoff/handoff.ts';
import type { Outbox } from './handoff/port.ts';
import { compact } from './lake/compact.ts';
import { type Drained, drain } from './lake/drain.ts';
import { type Cursor, type Imported, importTranscript } from './lake/import.ts';
import { isUnsealed, type Manifest } from './lake/manifest.ts';
import type { ObjectStore } from './lake/objects.ts';
import type { PartCodec } from './lake/part.ts';
import type { LineReader, Spool } from './lake/port.ts';
import { reconcileSession } from './lake/reconcile-session.ts';
import { commitPending, type Waiting } from './ledger/committer.ts';
import { deposit } from './ledger/inbox.ts';
import { releaseLease, takeLease } from './live/lease.ts';
import { announce, liveOf, publishRoster, type Roster, readRoster } from './live/roster.ts';
import { sealedParts } from './query/session.ts';
import type { RepoMapBody } from './record/fleet.ts';
import { type SignedRecord, SPEC, seal } from './record/record.ts';
import type { Event } from './runtime/envelope.ts';
import type { History, HistoryFile } from './runtime/history.ts';
import type { Checkout } from './runtime/repo.ts';
import { readerOf } from './snapshot/database.ts';
import { follow, publishToAgents } from './snapshot/follow.ts';
import type { Sql } from './snapshot/port.ts';

/** Who acts: this host and its agents, in one fleet. */
export interface Identity {
  readonly fleetId: string;
  readonly hostId: string;
  readonly host: Signer;
  /** Runtime → agent id. */
  readonly agents: Readonly<Record<string, string>>;
  readonly signerOfAgent: (agent: string) => Signer;
}

/** The live objects that the stages work with. Tests swap parts, never settings. */
export interface Parts {
  readonly world: World;
  readonly identity: Identity;
  readonly mode: string;
  readonly idleMs: number;
  readonly store: ObjectStore;
  readonly codec: PartCodec;
  readonly lines: LineReader;
  readonly history: History;
  readonly spool: Spool;
  readonly outbox: Outbox;
  readonly state: Sql;
  readonly agentState: Sql;
  readonly rendered: RenderedFiles;
  /** The next number of this host's inbox items. */
  readonly nextCounter: () => number;
  readonly stemOf: (session: string) => string;
  readonly checkout: (cwd: string) => Checkout | undefined;
  readonly circumstance: (event: Event, origin: 'imported' | 'reconciled') => Circumstance;
  readonly cursor: (path: string) => Cursor | undefined;
  readonly writeCursor: (cursor: Cursor) => void;
}

/** Something that went wrong with one session and did not stop the others. */
export interface Trouble {
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

/** What a sync came to. */
export interface SyncReport {
  readonly drained: number;
  readonly sealed: number;
  readonly handoffs: number;
  readonly position: number;
  readonly waiting: readonly Waiting[];
  readonly troubles: readonly Trouble[];
}

/**
 * One sync, top to bottom: what an earlier one left behind, then spool → lake → digest → inbox → ledger → fold →
 * snapshot → briefings. Whoever calls it holds the machine's lock. Throws where the store is out of reach.
 */
export async function sync(parts: Parts): Promise<SyncReport> {
  const troubles: Trouble[] = [];
  await settle(parts);
  const drained = await drainAll(parts, troubles);
  const sealed = await sealAll(parts, drained, troubles);
  sweepSent(parts.spool);
  const handoffs = await sendHandoffs(parts);
  const { position, waiting } = await settle(parts);
  const roster = await tellWhoIsLive(parts, drained);
  render(parts, roster);
  return { drained: drained.length, sealed, handoffs, position, waiting, troubles };
}

/** A maintenance pass: the lease, a sync, and what one host does for all. Undefined where another host holds the lease. */
export async function maintain(
  parts: Parts,
): Promise<(SyncReport & { readonly compacted: number }) | undefined> {
  const { store, world, identity } = parts;
  if (!(await takeLease(store, identity.hostId, world.now()))) return undefined;
  const report = await sync(parts);
  await publishRoster(store, await readRoster(store, world.now()));
  const compacted = await compact(store, parts.codec, sealedParts(parts.state), world.now());
  await releaseLease(store, identity.hostId, world.now());
  return { ...report, compacted };
}

/** Imports transcripts one after another. Sessions that hooks captured are compared with theirs instead. */
export async function importHistory(
  parts: Parts,
  files: Iterable<HistoryFile>,
  progress: (file: HistoryFile, bytes: number) => void,
): Promise<{ readonly imported: readonly Imported[]; readonly troubles: readonly Trouble[] }> {
  const imported: Imported[] = [];
  const troubles: Trouble[] = [];
  for (const file of files) {
    try {
      imported.push(await importFile(parts, file, (bytes) => progress(file, bytes)));
    } catch (error) {
      note(troubles, file.path, error);
    }
  }
  return { imported, troubles };
}

/** Re-homes sessions whose folder is gone, by maps that this host signs; those that stand already are not said again. */
export async function mapRepos(
  parts: Parts,
  maps: readonly { readonly pattern: string; readonly remote: string }[],
  host: string | undefined,
): Promise<{ readonly added: number; readonly known: number; readonly unresolved: number }> {
  const { identity, world, state } = parts;
  await settle(parts);
  const standing = readerOf(state).where('repo_maps');
  const fresh = maps.filter(
    ({ pattern, remote }) =>
      !standing.some(
        (map) => map.pattern === pattern && map.remote === remote && map.host === (host ?? null),
      ),
  );
  const records = fresh.map(({ pattern, remote }) => {
    const body: RepoMapBody = {
      spec: SPEC,
      author: identity.host.address,
      issued_at: toInstant(world.now()),
      pattern,
      remote,
      ...(host === undefined ? {} : { host }),
    };
    return seal('repo-map', body, identity.host);
  });
  if (records.length > 0) await deposit(parts.store, identity.hostId, parts.nextCounter(), records);
  await sync(parts);
  const unresolved = readerOf(state).where('sessions', 'repo', null).length;
  return { added: fresh.length, known: maps.length - fresh.length, unresolved };
}

/** A file that was written this lately may end in half a line. */
const SETTLED_MS = 60_000;

async function importFile(
  parts: Parts,
  file: HistoryFile,
  progress: (bytes: number) => void,
): Promise<Imported> {
  const stem = parts.stemOf(file.source.session);
  const manifest = parts.spool.manifest(file.runtime, stem);
  if (manifest && !manifest.imported) {
    const circumstance = (event: Event) => parts.circumstance(event, 'reconciled');
    const after = await reconcileSession(
      { ...manifest, transcript: file.path },
      { ...parts, circumstance },
    );
    if (isUnsealed(after.manifest)) parts.spool.writeManifest(stem, after.manifest);
    return {
      path: file.path,
      tally: after.tally,
      isNew: after.manifest.parts.length > manifest.parts.length,
    };
  }
  const settled = parts.world.now() - file.modifiedAt >= SETTLED_MS;
  const circumstance = (event: Event) => parts.circumstance(event, 'imported');
  return importTranscript(file, settled, { ...parts, circumstance, progress });
}

/** One session's trouble is noted and passed over; a store that is out of reach is everybody's. */
function note(troubles: Trouble[], id: string, error: unknown): void {
  if (error instanceof CredenceError && error.category === 'unavailable') throw error;
  troubles.push({ id, code: codeOf(error), message: messageOf(error) });
}

/** inbox → ledger → fold → snapshot. A host that may not commit only follows. */
async function settle(
  parts: Parts,
): Promise<{ readonly position: number; readonly waiting: readonly Waiting[] }> {
  const { store, state, world, identity } = parts;
  const followed = async () => {
    const head = await follow(store, state, identity.fleetId);
    return { head, view: admissionView(readerOf(state), head.frontier.size) };
  };
  const { head } = await followed();
  const roles = principalOf(readerOf(state), identity.host.address)?.roles ?? [];
  // A host that is not admitted yet may be admitted by the very commit that it makes, in an open fleet.
  const mayCommit = roles.includes('commit') || (roles.length === 0 && isOpen(parts));
  const committer = {
    store,
    fleetId: identity.fleetId,
    signer: identity.host,
    world,
    follow: followed,
  };
  const waiting = head.n > 0 && mayCommit ? await commitPending(committer) : [];
  publishToAgents(state, parts.agentState, parts.mode);
  return { position: (await followed()).head.frontier.size, waiting };
}

function isOpen(parts: Parts): boolean {
  return readerOf(parts.state).get('fleet', 'fleet')?.admission === 'open';
}

/** spool → lake. */
async function drainAll(parts: Parts, troubles: Trouble[]): Promise<Drained[]> {
  const { spool, store, codec, idleMs } = parts;
  const drained: Drained[] = [];
  for (const session of spool.sessions()) {
    try {
      drained.push(await drain(session, { spool, store, codec, idleMs, now: parts.world.now() }));
    } catch (error) {
      note(troubles, session.stem, error);
    }
  }
  return drained;
}

/** lake → digest → inbox, for sessions that are over; a subagent is over with its parent. */
async function sealAll(
  parts: Parts,
  drained: readonly Drained[],
  troubles: Trouble[],
): Promise<number> {
  const running = new Set(
    drained
      .filter((one) => !one.over)
      .map((one) => one.manifest?.session ?? one.open[0]?.envelope.session_id),
  );
  let sealed = 0;
  for (const { stem, manifest } of parts.spool.unsealed()) {
    const silent = Math.abs(parts.world.now() - manifest.last_at) >= parts.idleMs;
    const parentOver = manifest.parent !== undefined && !running.has(manifest.parent);
    if (running.has(manifest.session) || !(manifest.ended || silent || parentOver)) continue;
    try {
      await sealOne(parts, stem, manifest);
      sealed += 1;
    } catch (error) {
      note(troubles, manifest.session, error);
    }
  }
  return sealed;
}

async function sealOne(parts: Parts, stem: string, unsealed: Manifest): Promise<void> {
  const { identity, spool } = parts;
  const circumstance = (event: Event) => parts.circumstance(event, 'reconciled');
  const { manifest, coverage } = unsealed.imported
    ? { manifest: unsealed, coverage: undefined }
    : await reconcileSession(unsealed, { ...parts, circumstance });
  if (manifest !== unsealed) spool.writeManifest(stem, manifest);
  const known = readerOf(parts.state).get('sessions', manifest.session);
  const revision = Math.max(manifest.revision, known?.revision ?? 0) + 1;
  const isCommitted = known?.host === identity.hostId && known.parts === partsJson(manifest);
  if (!isCommitted) {
    const by = { host: identity.hostId, signer: identity.host, revision };
    const record = await sealSession(manifest, by, parts, coverage);
    if (record) await send(parts, record);
  }
  const done = {
    ...manifest,
    revision: isCommitted ? known.revision : revision,
    sealed_parts: manifest.parts.length,
  };
  spool.writeManifest(stem, done);
}

/** What a seal names is in the store for good: its spool files go, those too that an earlier run left behind. */
function sweepSent(spool: Spool): void {
  for (const session of spool.sessions()) {
    const manifest = spool.manifest(session.runtime, session.stem);
    if (!manifest || isUnsealed(manifest)) continue;
    for (const file of session.files) {
      if (file.state === 'sent' && file.n <= manifest.drained) spool.remove(session, file);
    }
  }
}

/** The parts of a manifest as the fold keeps those of a session. */
function partsJson(manifest: Manifest): string {
  return JSON.stringify(manifest.parts.map(({ key, hash }) => ({ key, hash })));
}

async function send(parts: Parts, record: SignedRecord): Promise<void> {
  await deposit(parts.store, parts.identity.hostId, parts.nextCounter(), [record]);
}

/** handoff → inbox: signed with the agent's key, and gone from the outbox only once the store has it. */
async function sendHandoffs(parts: Parts): Promise<number> {
  const { identity, outbox } = parts;
  const notes = outbox.list();
  for (const { name, draft } of notes) {
    const signer = identity.signerOfAgent(draft.agent);
    const body = handoffBody(draft, { address: signer.address, host: identity.hostId });
    await send(parts, seal('handoff', body, signer));
    outbox.remove(name);
  }
  return notes.length;
}

async function tellWhoIsLive(parts: Parts, drained: readonly Drained[]): Promise<Roster> {
  const { store, identity, world } = parts;
  const agents = liveOf(drained, {
    spool: parts.spool,
    agents: identity.agents,
    checkout: parts.checkout,
    now: world.now(),
  });
  await announce(store, identity.hostId, agents, world.now());
  return readRoster(store, world.now());
}

/** snapshot → briefing files. */
function render(parts: Parts, roster: Roster): void {
  const repos = parts.agentState
    .all('SELECT DISTINCT repo FROM sessions WHERE repo IS NOT NULL')
    .map((row) => String(row['repo']));
  parts.rendered.write('roster.json', JSON.stringify(roster.agents));
  const live = roster.agents.flatMap((agent) =>
    agent.sessions.flatMap((session) => session.repo ?? []),
  );
  publishBriefs(parts.agentState, parts.rendered, {
    agents: [...new Set(Object.values(parts.identity.agents))],
    repos: [...new Set([...repos, ...live])],
    live: roster.agents,
    intents: roster.intents,
    world: parts.world,
  });
}
