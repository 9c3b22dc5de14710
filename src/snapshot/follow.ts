import { CredenceError } from '../base/errors.ts';
import { principalOf } from '../fold/admission.ts';
import type { Change, TableName } from '../fold/state.ts';
import { step } from '../fold/step.ts';
import { commitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { type Commit, GENESIS, type Head, readCommit } from '../ledger/commit.ts';
import { openEntry } from '../ledger/entry.ts';
import { formatFrontier, parseFrontier } from '../ledger/tree.ts';
import { applyChanges, meta, readerOf, setMeta } from './database.ts';
import type { Sql } from './port.ts';
import { AGENT_TABLES } from './schema.ts';

/** Entries in one write transaction, about: short enough that readers are never kept out for long. */
const BATCH_ENTRIES = 1_000;

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

/** Folds one commit into the state. Throws `ledger.committer` where its signer may not commit: nothing of it is applied then. */
function applyCommit(state: Sql, commit: Commit): void {
  const reader = readerOf(state);
  const { checkpoint, entries, head } = commit;
  const mayCommit = () => principalOf(reader, checkpoint.author)?.roles.includes('commit') === true;
  const before = mayCommit();
  for (const entry of entries) applyChanges(state, step(reader, openEntry(entry)));
  // The first commit's signer, and in an open fleet a host's that admits itself, is judged by the roles that the
  // commit's own entries grant: otherwise nobody could found a fleet, or join one that nobody else is at work in.
  const selfAdmitted = checkpoint.n === 1 || reader.get('fleet', 'fleet')?.admission === 'open';
  if (!before && !(selfAdmitted && mayCommit())) {
    throw new CredenceError(
      'incorrect',
      'ledger.committer',
      `commit ${checkpoint.n}: its signer may not commit`,
      {
        data: { n: checkpoint.n },
        next: 'the store holds a commit by a key without that role; ask an admin of the fleet',
      },
    );
  }
  setMeta(state, 'commit', String(head.n));
  setMeta(state, 'position', String(head.frontier.size));
  setMeta(state, 'frontier', formatFrontier(head.frontier));
  setMeta(state, 'recorded_at', head.recordedAt);
}

/**
 * Follows the ledger to its end: reads commit n+1 until it is absent, checks each, folds it. Only whoever holds
 * the machine's lock may call it. `progress` hears the position after each transaction. Throws `ledger.*` for a
 * commit that is broken, or by a key that may not commit, once those before it are folded.
 */
export async function follow(
  store: ObjectStore,
  state: Sql,
  fleetId: string,
  progress: (position: number) => void = () => {},
): Promise<Head> {
  let head = headOf(state);
  let next = ask(store, head.n + 1);
  for (;;) {
    const batch: Commit[] = [];
    let entries = 0;
    let broken: unknown;
    while (entries < BATCH_ENTRIES && broken === undefined) {
      const bytes = await next;
      if (!bytes) break;
      try {
        const commit = readCommit(bytes, head, fleetId);
        head = commit.head;
        batch.push(commit);
        entries += commit.entries.length;
        // Asked for ahead, while the commit just read is folded.
        next = ask(store, head.n + 1);
      } catch (error) {
        broken = error;
      }
    }
    if (batch.length > 0) {
      applyBatch(state, batch);
      progress(head.frontier.size);
    }
    // Only now: what precedes a broken commit stands, whether it was followed as it came or all at once.
    if (broken !== undefined) throw broken;
    if (batch.length === 0) return head;
  }
}

function ask(store: ObjectStore, n: number): Promise<Uint8Array | undefined> {
  const asked = store.get(commitKey(n));
  // Where folding fails nobody waits for the answer; a failed one must not end the process then.
  asked.catch(() => undefined);
  return asked;
}

/** Folds commits in one transaction; where that fails, those before the one that is at fault. */
function applyBatch(state: Sql, batch: readonly Commit[]): void {
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
 * moment it was left at, copying again from its position gives the same rows.
 */
export function publishToAgents(state: Sql, agent: Sql, mode: string): void {
  const from = positionOf(agent);
  const to = positionOf(state);
  agent.transaction(() => {
    for (const table of AGENT_TABLES) applyChanges(agent, changedSince(state, table, from));
    setMeta(agent, 'position', String(to));
    setMeta(agent, 'recorded_at', meta(state, 'recorded_at') ?? '');
    setMeta(agent, 'mode', mode);
  });
}

function changedSince(state: Sql, table: TableName, at: number): Change[] {
  return state
    .all(`SELECT * FROM ${table} WHERE at > ? ORDER BY at, key`, at)
    .map((row) => ({ table, row }) as unknown as Change);
}
