import { CredenceError } from '../base/errors.ts';
import {
  isTellable,
  type Otherwise,
  type Recorded,
  restsOnErased,
  tellAgain,
} from '../gate/replay.ts';
import { parseCommitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { GENESIS, readCommit } from '../ledger/commit.ts';
import { findEntries } from '../ledger/find.ts';
import { DecisionBody } from '../record/decision.ts';
import { recordId } from '../record/record.ts';
import { commitsAfter } from './batch.ts';
import { readerOf } from './database.ts';
import { follow } from './follow.ts';
import type { Sql } from './port.ts';

/** A decision that is not what its basis gives. */
export interface Refuted {
  readonly seq: number;
  readonly id: string;
  readonly claim: string;
  /** What was recorded, and what is decided from the same basis now: nothing where that is nothing. */
  readonly kind: DecisionBody['kind'];
  readonly again: DecisionBody['kind'] | null;
}

/** What telling all decisions of a ledger again came to. */
export interface Replay {
  readonly decisions: number;
  /** Decisions that come out as they were recorded. */
  readonly same: number;
  /** Those that nobody can tell again, since what they rest on was erased. */
  readonly erased: number;
  /** Those of a gate of another version, which need not decide as this one does. */
  readonly otherVersion: number;
  readonly refuted: readonly Refuted[];
}

/** What a replay works with. */
export interface ReplayParts {
  readonly store: ObjectStore;
  readonly fleetId: string;
  /** An empty state, which nobody else needs. */
  readonly scratch: Sql;
  /** Hears how many decisions of how many were told again. */
  readonly heard: (n: number, of: number) => void;
}

/** The decisions of one run of a gate, by their positions. */
interface Run {
  readonly basis: number;
  readonly seqs: number[];
}

/**
 * Tells every decision of a ledger again, each from the state at its basis, and from nothing else: no session is read and nobody is
 * asked. The ledger is one that `audit` found sound: its signatures are not checked again. Throws `ledger.*` as following it does.
 */
export async function replay(parts: ReplayParts): Promise<Replay> {
  const { store, fleetId, scratch, heard } = parts;
  const { runs, commitAt, commits } = await runsIn(store, fleetId);
  const of = runs.reduce((sum, { seqs }) => sum + seqs.length, 0);
  const counts = { decisions: of, same: 0, erased: 0, otherVersion: 0 };
  const refuted: Refuted[] = [];
  let n = 0;
  for (const { basis, seqs } of runs) {
    const recorded = await decisionsAt(store, seqs, commits);
    const tellable = recorded.filter(({ body }) => isTellable(body));
    counts.otherVersion += recorded.length - tellable.length;
    const commit = commitAt.get(basis);
    if (commit !== undefined) await followTo(commit, parts);
    const reader = readerOf(scratch);
    const differing = commit === undefined ? tellable.map(unfounded) : tellAgain(reader, tellable);
    const wrong = differing.filter(({ body }) => !restsOnErased(reader, body));
    counts.same += tellable.length - differing.length;
    counts.erased += differing.length - wrong.length;
    refuted.push(...wrong.map(refutedBy));
    n += seqs.length;
    heard(n, of);
  }
  return { ...counts, refuted };
}

/** A gate decides from what a commit left: a basis within one was never anybody's state. */
const unfounded = (one: Recorded): Otherwise => ({ ...one, again: undefined });

function refutedBy({ seq, body, again }: Otherwise): Refuted {
  const { claim_id: claim, kind } = body;
  return { seq, id: recordId('decision', body), claim, kind, again: again?.kind ?? null };
}

/** The runs of gates in a ledger in the order of their bases, and the commit that ends at each position where one does. */
async function runsIn(store: ObjectStore, fleetId: string) {
  const runs = new Map<string, Run>();
  const commitAt = new Map<number, number>();
  let head = GENESIS;
  for await (const bytes of commitsAfter(store, 0)) {
    const commit = readCommit(bytes, head, fleetId);
    head = commit.head;
    commitAt.set(head.frontier.size, head.n);
    for (const entry of commit.entries) {
      if (!('record' in entry) || entry.record.context !== 'decision') continue;
      const { basis, author, issued_at } = entry.record.body;
      const key = JSON.stringify([basis, author, issued_at]);
      const run = runs.get(key);
      if (run) run.seqs.push(entry.seq);
      else runs.set(key, { basis: Number(basis), seqs: [entry.seq] });
    }
  }
  const inOrder = [...runs.values()].sort((a, b) => a.basis - b.basis);
  return { runs: inOrder, commitAt, commits: head.n };
}

async function decisionsAt(
  store: ObjectStore,
  seqs: readonly number[],
  commits: number,
): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  for await (const entry of findEntries(store, seqs, commits)) {
    const body = 'record' in entry ? DecisionBody.safeParse(entry.record.body).data : undefined;
    if (body) recorded.push({ seq: entry.seq, body });
  }
  return recorded;
}

/** Follows the ledger to the end of a commit, as if it ended there. */
async function followTo(n: number, { store, fleetId, scratch }: ReplayParts): Promise<void> {
  const head = await follow({
    store: {
      get: async (key) => ((parseCommitKey(key) ?? 0) > n ? undefined : await store.get(key)),
    },
    state: scratch,
    fleetId,
    verifyAll: async (checks) => checks.map(() => true),
    followed: () => {},
  });
  if (head.n === n) return;
  throw new CredenceError('unavailable', 'ledger.missing', `commit ${n} is not there any more`, {
    next: 'run it again',
  });
}
