import type { VerifyAll } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { READING_MODE } from '../base/mode.ts';
import type { Change, TableName } from '../fold/state.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { relaxer } from '../lake/relaxing.ts';
import { GENESIS, type Head } from '../ledger/commit.ts';
import { parseFrontier } from '../ledger/tree.ts';
import { commitsAfter, type OpenedCommit, readBatch } from './batch.ts';
import { applyChanges, dropIndexes, makeIndexes, meta, readerOf, setMeta } from './database.ts';
import { rowsOf } from './first-rows.ts';
import { assume, assumedBy, confirm, type MarkFile, noteVerified, unproven } from './mark.ts';
import { Pending } from './pending.ts';
import type { Sql } from './port.ts';
import { publishClaims } from './publish-claims.ts';
import { emptySnapshot, forget, MustForget, scrub } from './renew.ts';
import { AGENT_TABLES, agentTables } from './schema.ts';
import { nameOfStubs } from './stubs.ts';

/** Rows of a table that are copied at once. */
const ROWS_MAX = 1_000;

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

/** What following reads from, and writes to. */
export interface FollowParts {
  readonly store: Pick<ObjectStore, 'get'>;
  readonly state: Sql;
  readonly fleetId: string;
  readonly verifyAll: VerifyAll;
  /** Up to where this machine has checked every signature: below that a state which is built again need not. */
  readonly marks?: MarkFile | undefined;
  /** Hears the position after each transaction. */
  readonly followed: (position: number) => void;
  /** Called whenever so much was read that its garbage should not pile up. */
  readonly relax?: () => void;
}

/**
 * Follows the ledger to its end: reads commit n+1 until it is absent, checks each, folds it. An erasure of what the
 * state holds empties it, and it follows from commit 1 again. Only whoever holds the machine's lock may call it. Throws
 * `ledger.*` for a commit that is broken, or by a key that may not commit, once those before it are folded;
 * `state.unproven`, and forgets the mark, where a state was built on one that the ledger does not bear out: then the state
 * is to be deleted, and the ledger followed again.
 */
export async function follow(parts: FollowParts): Promise<Head> {
  const { state, fleetId, marks } = parts;
  scrub(state);
  for (;;) {
    try {
      const head = await followToEnd(parts);
      if (marks) noteVerified(state, head, fleetId, marks);
      return head;
    } catch (error) {
      if (error instanceof MustForget) forget(state, error.named, headOf(state));
      else throw refuted(error, parts);
    }
  }
}

/** The error itself, unless a mark is what misled: then that is forgotten. */
function refuted(error: unknown, { state, marks }: FollowParts): unknown {
  const assumed = assumedBy(state);
  // A store that did not answer says nothing about the ledger.
  if (!assumed || !(error instanceof CredenceError) || !isRefuted(error)) return error;
  marks?.remove();
  return unproven(assumed);
}

function isRefuted({ category, code }: CredenceError): boolean {
  return category === 'incorrect' || code === 'state.unproven';
}

async function followToEnd(parts: FollowParts): Promise<Head> {
  const { store, state, fleetId, marks, followed } = parts;
  const from = headOf(state);
  let assumed = assume(state, from, fleetId, marks);
  if (from.n === 0) dropIndexes(state);
  const pending = new Pending(state, rowsOf(state));
  const write = () => {
    const head = pending.write();
    if (!head) return;
    if (assumed && confirm(state, head, assumed)) assumed = undefined;
    followed(head.frontier.size);
  };
  const rest = relaxer(parts.relax ?? (() => {}));
  const objects = commitsAfter(store, from.n);
  let batch = await readBatch(objects, from, parts, assumed);
  for (;;) {
    const { opening, head, read, broken, isLast } = batch;
    // The signatures of the next commits are checked, on other threads, while these are folded.
    if (!isLast) batch = await readBatch(objects, head, parts, assumed);
    for (let left = await opening; left.length > 0; ) {
      left = left.slice(foldOnto(pending, left));
      if (pending.isDue) write();
    }
    rest(read);
    if (isLast || head.n === assumed?.n) write();
    // Only now: what precedes a broken commit stands, whether it was followed as it came or all at once.
    if (!isLast) continue;
    if (broken === undefined && assumed) throw unproven(assumed);
    makeIndexes(state);
    if (broken !== undefined) throw broken;
    return head;
  }
}

/** Folds commits until what is pending is due, and answers how many; where one is at fault, those before it are written. */
function foldOnto(pending: Pending, commits: readonly OpenedCommit[]): number {
  try {
    return pending.fold(commits);
  } catch (error) {
    if (!(error instanceof MustForget)) pending.write();
    throw error;
  }
}

/**
 * Brings the agents' snapshot to the state's position: rows changed since its own, table by table. Whatever
 * moment it was left at, copying again from its position gives the same rows. Where positions were erased since, all is
 * copied anew. Claims are among them in `live` alone; `own` are the agents of this home.
 */
export function publishToAgents(
  state: Sql,
  agent: Sql,
  mode: string,
  own: readonly string[] = [],
): void {
  const to = positionOf(state);
  agent.transaction(() => {
    const stubs = nameOfStubs(state);
    if (nameOfStubs(agent) !== stubs) emptySnapshot(agent, agentTables(mode));
    const from = positionOf(agent);
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
    setMeta(agent, 'erased', stubs);
  });
  scrub(agent);
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
      ROWS_MAX,
    );
    yield rows.map((row) => ({ table, row }) as unknown as Change);
    const last = rows.at(-1);
    if (!last) return;
    at = Number(last['at']);
    key = String(last['key']);
  }
}
