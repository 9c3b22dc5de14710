import type { Signer, VerifyAll } from './base/ed25519.ts';
import { toInstant } from './base/time.ts';
import { noteTrouble, type Trouble } from './base/trouble.ts';
import type { World } from './base/world.ts';
import { publishBriefs, type RenderedFiles } from './brief/publish.ts';
import type { Circumstance } from './capture/envelope.ts';
import { confirmSeals, sealAll } from './digest/seal-all.ts';
import type { Extracting } from './extract/extractor.ts';
import { capturedMessages } from './extract/messages.ts';
import type { Proposals } from './extract/port.ts';
import { sealedEventsOf } from './extract/sealed-events.ts';
import { type SendParts, type SentDraft, sendProposals } from './extract/send.ts';
import type { Outbox } from './handoff/port.ts';
import { sendHandoffs } from './handoff/send.ts';
import { compact } from './lake/compact.ts';
import { drainAll } from './lake/drain.ts';
import type { Cursor, Imported } from './lake/import.ts';
import { importHistory } from './lake/import-history.ts';
import type { Manifest } from './lake/manifest.ts';
import type { ObjectStore } from './lake/objects.ts';
import type { PartCodec } from './lake/part.ts';
import type { LineReader, Spool } from './lake/port.ts';
import { recoverManifest, type SealedRevision } from './lake/recover.ts';
import type { Waiting } from './ledger/committer.ts';
import { deposit } from './ledger/inbox.ts';
import { releaseLease, takeLease } from './live/lease.ts';
import { exchange, publishRoster, readRoster } from './live/roster.ts';
import { sealOrphans } from './live/seal-orphans.ts';
import { claimsOnFile } from './query/claims.ts';
import { partsOf, sealedParts, sealedRevision } from './query/session.ts';
import { recordId, type SignedRecord } from './record/record.ts';
import type { Event } from './runtime/envelope.ts';
import type { History, HistoryFile } from './runtime/history.ts';
import type { Checkout } from './runtime/repo.ts';
import { type Believed, type BelieveParts, believe } from './snapshot/believe.ts';
import { readerOf } from './snapshot/database.ts';
import { exchangeSecret, type SecretKeeper } from './snapshot/fleet-secret.ts';
import { positionOf } from './snapshot/follow.ts';
import type { MarkFile } from './snapshot/mark.ts';
import type { Sql } from './snapshot/port.ts';
import { isScrubbed } from './snapshot/renew.ts';
import { settle } from './snapshot/settle.ts';
import { doubtStubs } from './snapshot/stubs.ts';

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
export interface Parts extends Extracting {
  readonly world: World;
  readonly identity: Identity;
  readonly mode: string;
  readonly idleMs: number;
  readonly store: ObjectStore;
  /** The fleet's secret, by which content is known that was erased; and how it is handed on. */
  readonly fleetSecret?: Uint8Array | undefined;
  readonly secret: SecretKeeper;
  readonly codec: PartCodec;
  readonly lines: LineReader;
  readonly history: History;
  readonly spool: Spool;
  readonly outbox: Outbox;
  readonly proposals: Proposals;
  readonly state: Sql;
  readonly agentState: Sql;
  readonly verifyAll: VerifyAll;
  readonly marks?: MarkFile;
  /** Hears the position while the ledger is followed. */
  readonly followed: (position: number) => void;
  /** Hears that a pass is done, what it passed over, and what it left in the inbox. */
  readonly synced?: (troubles: readonly Trouble[], waiting: readonly Waiting[]) => void;
  /** Hears the number of the session that is being sealed, and how many wait for their seal. */
  readonly sealing?: (n: number, of: number) => void;
  readonly rendered: RenderedFiles;
  /** The next number of this host's inbox items. */
  readonly nextCounter: () => number;
  readonly stemOf: (session: string) => string;
  readonly checkout: (cwd: string) => Checkout | undefined;
  readonly circumstance: (event: Event, origin: 'imported' | 'reconciled') => Circumstance;
  readonly isExcluded: (event: Event) => boolean;
  /** Called between batches of long work, so that its garbage does not pile up. */
  readonly relax: () => void;
  readonly cursor: (path: string) => Cursor | undefined;
  readonly writeCursor: (cursor: Cursor) => void;
}

/** What an import came to. */
export interface ImportReport {
  readonly imported: readonly Imported[];
  readonly troubles: readonly Trouble[];
  readonly sync: SyncReport;
}

/** What a maintenance pass came to. */
export interface MaintReport extends SyncReport, Believed {
  readonly compacted: number;
}

/** Records that go into the inbox as one item. */
const RECORDS_MAX = 200;

/** What a sync came to. */
export interface SyncReport {
  readonly drained: number;
  readonly sealed: number;
  readonly handoffs: number;
  /** Claims and positions of this home's agents that were sent, by their names in the queue. */
  readonly proposed: readonly Pick<SentDraft, 'name' | 'id'>[];
  readonly position: number;
  readonly waiting: readonly Waiting[];
  readonly troubles: readonly Trouble[];
  /** Files that commits changed and claims refer to, where a machine's syncs look for them. */
  readonly changed?: { readonly paths: number; readonly leftOut: number };
}

/**
 * One sync, top to bottom: what an earlier one left behind, then spool → lake → digest → inbox → ledger → fold →
 * snapshot → briefings. Whoever calls it holds the machine's lock. Throws where the store is out of reach.
 */
export async function sync(parts: Parts): Promise<SyncReport> {
  const flow = { ...parts, ...parts.identity, now: parts.world.now() };
  const { send, refusals } = sending(parts);
  const troubles: Trouble[] = [];
  await settle(flow);
  confirmSeals({ ...flow, known: knownRevision(parts) });
  const drained = await drainAll({ ...flow, recover: recoverFrom(parts) }, troubles);
  const unread = (session: string, error: unknown) => noteTrouble(troubles, session, error);
  const known = counted(parts, knownRevision(parts));
  const sealed = await sealAll(drained, { ...flow, known, send, unread }, troubles);
  const handoffs = await sendHandoffs(parts.outbox, flow, send, troubles);
  const drafts = await sendProposals(parts.proposals, proposing(parts), send, troubles);
  const { position, waiting } = await settle(flow);
  confirmSeals({ ...flow, known: knownRevision(parts) });
  await exchangeSecret(flow);
  troubles.push(...refusals());
  noteRefused(parts, drafts);
  const roster = await exchange(drained, { ...flow, ...forgottenUpTo(parts) }, troubles);
  const agents = Object.values(parts.identity.agents);
  const refused = parts.proposals.refused();
  publishBriefs(parts.agentState, parts.rendered, { agents, roster, now: flow.now, refused });
  parts.synced?.(troubles, waiting);
  const proposed = drafts.map(({ name, id }) => ({ name, id }));
  return { drained: drained.length, sealed, handoffs, proposed, position, waiting, troubles };
}

/** What agents' drafts are made into claims with: what was captured, and what is claimed already. */
function proposing(parts: Parts): SendParts {
  const { state, identity, world, checkout } = parts;
  return {
    ...identity,
    now: world.now(),
    messagesOf: capturedMessages({ ...parts, sealed: (session) => partsOf(state, session) }),
    onFile: claimsOnFile(readerOf(state), identity.fleetId),
    topOf: (cwd) => checkout(cwd)?.root,
    repoOf: (session) => readerOf(state).get('sessions', session)?.repo ?? undefined,
  };
}

/** What the ledger refused of agents' drafts is kept, so that they hear of it. */
function noteRefused({ state, proposals, world }: Parts, sent: readonly SentDraft[]): void {
  for (const { name, draft, id } of sent) {
    const code = readerOf(state).get('decided', id)?.code ?? undefined;
    if (code === undefined) continue;
    const message = 'the ledger refused it';
    proposals.refuse({ name, draft, code, message, at: toInstant(world.now()) });
  }
}

/** How far this machine has followed, for erasures: said only once no byte of what was erased is left in its snapshots. */
function forgottenUpTo({ state, agentState }: Parts): { readonly position?: number } {
  return isScrubbed(state) && isScrubbed(agentState) ? { position: positionOf(state) } : {};
}

/** What the ledger has of a session. */
function knownRevision({ state }: Parts) {
  return (session: string) => readerOf(state).get('sessions', session);
}

/** Tells `sealing` of each session that is asked for: sealing asks once for each. */
function counted({ spool, sealing }: Parts, known: ReturnType<typeof knownRevision>) {
  const waiting = sealing ? spool.unsealed().length : 0;
  let asked = 0;
  return (session: string) => {
    asked += 1;
    sealing?.(asked, waiting);
    return known(session);
  };
}

/** A maintenance pass: the lease, a sync, and what one host does for all. Undefined where another host holds the lease. */
export async function maintain(parts: Parts): Promise<MaintReport | undefined> {
  const { store, world, identity } = parts;
  if (!(await takeLease(store, identity.hostId, world.now()))) return undefined;
  try {
    return await maintainAll(parts);
  } finally {
    await releaseLease(store, identity.hostId, world.now());
  }
}

async function maintainAll(parts: Parts): Promise<MaintReport> {
  const { store, world, identity } = parts;
  const now = world.now();
  const flow = { ...parts, ...identity, now };
  doubtStubs(parts.state);
  const report = await sync(parts);
  // The sync said what of it can't be read.
  const roster = await readRoster(store, now, []);
  await publishRoster(store, roster);
  const named = new Set(sealedParts(parts.state).flatMap((session) => session.keys));
  const { send, refusals } = sending(parts);
  const isAccepted = (id: string) => readerOf(parts.state).get('decided', id)?.code === null;
  const troubles = [...report.troubles];
  const others = { ...flow, known: knownRevision(parts), isAccepted, send };
  const orphans = await sealOrphans(others, named, roster.agents, troubles);
  const { waiting } = orphans > 0 ? await settle(flow) : report;
  const believed = await believe(believing(parts, troubles));
  troubles.push(...refusals());
  const compacted = await compact(parts, sealedParts(parts.state), world.now(), troubles);
  parts.synced?.([...troubles, ...(believed.model?.troubles ?? [])], waiting);
  const sealed = report.sealed + orphans;
  const position = positionOf(parts.state);
  return { ...report, ...believed, position, waiting, troubles, sealed, compacted };
}

/** What is believed follows from what the ledger has, and from sealed sessions. */
export function believing(parts: Parts, troubles: Trouble[]): BelieveParts {
  const { state, identity, world } = parts;
  const flow = { ...parts, ...identity, now: world.now() };
  const unread = (session: string, error: unknown) => noteTrouble(troubles, session, error);
  return {
    ...flow,
    ...proposing(parts),
    sealedEvents: sealedEventsOf((session) => sealedRevision(state, session), parts, unread),
    async commit(records) {
      for (let from = 0; from < records.length; from += RECORDS_MAX)
        await sendTo(parts, records.slice(from, from + RECORDS_MAX));
      await settle(flow);
    },
  };
}

/** Imports transcripts, then syncs: what was imported is sealed, and in the next briefing. `progress` hears the bytes read of a file. */
export async function importAll(
  parts: Parts,
  files: Iterable<HistoryFile>,
  progress: (file: HistoryFile, bytes: number) => void,
): Promise<ImportReport> {
  const flow = { ...parts, ...parts.identity, now: parts.world.now(), recover: recoverFrom(parts) };
  // What hooks saw first, so that no transcript is taken to tell of it earlier. The sync at the end says what is wrong with it.
  const drained = await drainAll({ ...flow, everything: true }, []);
  // And a sign of life: whoever keeps the fleet in order must not take half an import for what a dead host left.
  await exchange(drained, flow, []);
  const { imported, troubles } = await importHistory(files, flow, progress);
  const synced = await sync(parts);
  parts.synced?.([...troubles, ...synced.troubles], synced.waiting);
  return { imported, troubles, sync: synced };
}

/** Finds a forgotten session of this host's in the ledger, and makes its manifest again. */
function recoverFrom(parts: Parts): (session: string) => Promise<Manifest | undefined> {
  return async (session) => {
    const row = readerOf(parts.state).get('sessions', session);
    if (!row || row.host !== parts.identity.hostId) return undefined;
    const sealed = {
      revision: row.revision,
      parts: JSON.parse(row.parts) as SealedRevision['parts'],
    };
    return recoverManifest(sealed, parts);
  };
}

/** Puts records into the inbox, and tells afterwards which of them the ledger refused. */
function sending(parts: Parts) {
  const sent: SignedRecord[] = [];
  const send = async (record: SignedRecord) => {
    await sendTo(parts, [record]);
    sent.push(record);
  };
  const refusals = () =>
    sent.flatMap(({ context, body }): Trouble[] => {
      const id = recordId(context, body);
      const code = readerOf(parts.state).get('decided', id)?.code ?? undefined;
      if (code === undefined) return [];
      const message = `the ledger refused the ${context} record ${id.slice(0, 12)}`;
      return [{ id: String(body['session'] ?? id), code, message }];
    });
  return { send, refusals };
}

async function sendTo(parts: Parts, records: readonly SignedRecord[]): Promise<void> {
  await deposit(parts.store, parts.identity.hostId, parts.nextCounter(), records);
}
