import type { VerifyAll } from '../base/ed25519.ts';
import { READING_MODE } from '../base/mode.ts';
import { foldCommit } from '../fold/fold-commit.ts';
import type { Change, TableName } from '../fold/state.ts';
import { commitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { type Commit, GENESIS, type Head, readCommit } from '../ledger/commit.ts';
import { type OpenedEntry, openEntries } from '../ledger/entry.ts';
import { formatFrontier, parseFrontier } from '../ledger/tree.ts';
import { applyChanges, meta, readerOf, setMeta } from './database.ts';
import type { Sql } from './port.ts';
import { publishClaims } from './publish-claims.ts';
import { AGENT_TABLES } from './schema.ts';
import { appendLeaves } from './tiles.ts';

/** Entries in one write transaction, about: short enough that readers are never kept out for long. */
const BATCH_ENTRIES = 1_000;

/** Commits that are asked for at once. */
const AHEAD_MAX = 16;

/** The head that a state database has followed the ledger to. */
export function headOf(state: Sql): Head {
  const n = Number(meta(state, 'commit') ?? 0);
  if (n === 0) return GENESIS;
  return {
    n,
    frontier: parseFrontier(meta(state, 'frontier') ?? ''),
    recordedAt: meta(state, 'recorded_at') ?? GENESIS.recordedAt,
  };
}

/** The position that a snapshot shows: the number of entries. */
export function positionOf(snapshot: Sql): number {
  return Number(meta(snapshot, 'position') ?? 0);
}

/** A commit whose records were opened: what the fold reads. */
interface OpenedCommit {
  readonly commit: Commit;
  readonly entries: readonly OpenedEntry[];
}

/** Commits that follow one another up to `head`; `broken` is why no more of them could be read. */
interface Batch {
  readonly opening: Promise<readonly OpenedCommit[]>;
  readonly head: Head;
  readonly broken: unknown;
  readonly isLast: boolean;
}

/** Folds one commit into the state. Throws `ledger.committer` where its signer may not commit: nothing of it is applied then. */
function applyCommit(state: Sql, { commit, entries }: OpenedCommit): void {
  const { checkpoint, head, leaves } = commit;
  foldCommit(readerOf(state), checkpoint, entries, (changes) => applyChanges(state, changes));
  appendLeaves(state, checkpoint.first_seq - 1, leaves);
  setMeta(state, 'commit', String(head.n));
  setMeta(state, 'position', String(head.frontier.size));
  setMeta(state, 'frontier', formatFrontier(head.frontier));
  setMeta(state, 'recorded_at', head.recordedAt);
}

/** What following reads from, and writes to. */
export interface FollowParts {
  readonly store: ObjectStore;
  readonly state: Sql;
  readonly fleetId: string;
  readonly verifyAll: VerifyAll;
  /** Hears the position after each transaction. */
  readonly followed: (position: number) => void;
}

/**
 * Follows the ledger to its end: reads commit n+1 until it is absent, checks each, folds it. Only whoever holds
 * the machine's lock may call it. Throws `ledger.*` for a commit that is broken, or by a key that may not commit,
 * once those before it are folded.
 */
export async function follow(parts: FollowParts): Promise<Head> {
  const { store, state, followed } = parts;
  const from = headOf(state);
  const objects = commitsAfter(store, from.n);
  let batch = await readBatch(objects, from, parts);
  for (;;) {
    const { opening, head, broken, isLast } = batch;
    // The signatures of the next commits are checked, on other threads, while these are folded.
    if (!isLast) batch = await readBatch(objects, head, parts);
    const commits = await opening;
    if (commits.length > 0) {
      applyBatch(state, commits);
      followed(head.frontier.size);
    }
    // Only now: what precedes a broken commit stands, whether it was followed as it came or all at once.
    if (broken !== undefined) throw broken;
    if (isLast) return head;
  }
}

/** Reads and checks commits until they are a batch, and begins to open them. Why it ended is part of the answer. */
async function readBatch(
  objects: AsyncIterator<Uint8Array, undefined>,
  from: Head,
  { fleetId, verifyAll }: FollowParts,
): Promise<Batch> {
  const commits: Commit[] = [];
  let head = from;
  let isFull = false;
  let broken: unknown;
  try {
    while (!isFull) {
      const { value: bytes } = await objects.next();
      if (bytes === undefined) break;
      const commit = readCommit(bytes, head, fleetId);
      commits.push(commit);
      head = commit.head;
      isFull = head.frontier.size - from.frontier.size >= BATCH_ENTRIES;
    }
  } catch (error) {
    broken = error;
  }
  return { opening: openCommits(commits, verifyAll), head, broken, isLast: !isFull };
}

async function openCommits(
  commits: readonly Commit[],
  verifyAll: VerifyAll,
): Promise<OpenedCommit[]> {
  const all = commits.flatMap(({ entries, head: { recordedAt } }) =>
    entries.map((entry) => ({ ...entry, recordedAt })),
  );
  const opened = await openEntries(all, verifyAll);
  return commits.map((commit) => ({ commit, entries: opened.splice(0, commit.entries.length) }));
}

/** The commits' objects from number `n` + 1 on, until one is absent: asked for ahead, by more the longer the way is. */
async function* commitsAfter(store: ObjectStore, n: number): AsyncGenerator<Uint8Array, undefined> {
  const asked: Promise<Uint8Array | undefined>[] = [];
  for (let read = 0; ; read++) {
    while (asked.length < Math.min(AHEAD_MAX, read + 1)) {
      asked.push(ask(store, n + read + asked.length + 1));
    }
    const bytes = await asked.shift();
    if (!bytes) return;
    yield bytes;
  }
}

function ask(store: ObjectStore, n: number): Promise<Uint8Array | undefined> {
  const asked = store.get(commitKey(n));
  // Where the way ends before it nobody waits for the answer; a failed one must not end the process then.
  asked.catch(() => undefined);
  return asked;
}

/** Folds commits in one transaction; where that fails, those before the one that is at fault. */
function applyBatch(state: Sql, batch: readonly OpenedCommit[]): void {
  try {
    state.transaction(() => {
      for (const commit of batch) applyCommit(state, commit);
    });
  } catch (error) {
    if (batch.length === 1) throw error;
    for (const commit of batch) state.transaction(() => applyCommit(state, commit));
  }
}

/**
 * Brings the agents' snapshot to the state's position: rows changed since its own, table by table. Whatever
 * moment it was left at, copying again from its position gives the same rows. Claims are among them in `live` alone;
 * `own` are the agents of this home.
 */
export function publishToAgents(
  state: Sql,
  agent: Sql,
  mode: string,
  own: readonly string[] = [],
): void {
  const from = positionOf(agent);
  const to = positionOf(state);
  agent.transaction(() => {
    for (const table of AGENT_TABLES) {
      for (const rows of changedSince(state, table, from)) applyChanges(agent, rows);
    }
    if (mode === READING_MODE) {
      const space = readerOf(state).get('fleet', 'fleet')?.fleet_id ?? '';
      publishClaims(state, agent, from, { space, own });
    }
    setMeta(agent, 'position', String(to));
    setMeta(agent, 'recorded_at', meta(state, 'recorded_at') ?? '');
    setMeta(agent, 'mode', mode);
  });
}

/** The rows of a table that were changed after a position, in their order, some at a time. */
function* changedSince(state: Sql, table: TableName, position: number): Generator<Change[]> {
  let at = position;
  let key = '\u{10ffff}';
  for (;;) {
    const rows = state.all(
      `SELECT * FROM ${table} WHERE (at, key) > (?, ?) ORDER BY at, key LIMIT ?`,
      at,
      key,
      BATCH_ENTRIES,
    );
    yield rows.map((row) => ({ table, row }) as unknown as Change);
    const last = rows.at(-1);
    if (!last) return;
    at = Number(last['at']);
    key = String(last['key']);
  }
}
