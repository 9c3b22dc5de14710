import type { VerifyAll } from '../base/ed25519.ts';
import { commitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { type Commit, type Head, readCommit } from '../ledger/commit.ts';
import { type OpenedEntry, openEntries } from '../ledger/entry.ts';
import { openMarked, type VerifiedMark } from './mark.ts';

/** Entries whose signatures are checked at once, about: so many are in memory twice, these and the next. */
const BATCH_ENTRIES = 1_000;

/** Commits that are asked for at once. */
const AHEAD_MAX = 8;

/** A commit whose records were opened: what the fold reads. */
export interface OpenedCommit {
  readonly commit: Commit;
  readonly entries: readonly OpenedEntry[];
  /** The size of its object. */
  readonly bytes: number;
}

/** Commits that follow one another up to `head`; `broken` is why no more of them could be read. */
export interface Batch {
  readonly opening: Promise<readonly OpenedCommit[]>;
  readonly head: Head;
  /** The bytes that were read for it. */
  readonly read: number;
  readonly broken: unknown;
  readonly isLast: boolean;
}

/**
 * Reads and checks commits until they are a batch, and begins to open them. Why it ended is part of the answer. Those up to
 * a mark and those beyond it are never of one batch.
 */
export async function readBatch(
  objects: AsyncIterator<Uint8Array, undefined>,
  from: Head,
  { fleetId, verifyAll }: { readonly fleetId: string; readonly verifyAll: VerifyAll },
  assumed: VerifiedMark | undefined,
): Promise<Batch> {
  const mark = assumed && from.n < assumed.n ? assumed : undefined;
  const commits: (Commit & { readonly bytes: number })[] = [];
  let [head, read] = [from, 0];
  let isFull = false;
  let broken: unknown;
  try {
    while (!isFull) {
      const { value: bytes } = await objects.next();
      if (bytes === undefined) break;
      read += bytes.length;
      const commit = readCommit(bytes, head, fleetId);
      commits.push({ ...commit, bytes: bytes.length });
      head = commit.head;
      isFull = head.frontier.size - from.frontier.size >= BATCH_ENTRIES || head.n === mark?.n;
    }
  } catch (error) {
    broken = error;
  }
  const opening = openCommits(commits, verifyAll, mark);
  return { opening, head, read, broken, isLast: !isFull };
}

async function openCommits(
  commits: readonly (Commit & { readonly bytes: number })[],
  verifyAll: VerifyAll,
  mark: VerifiedMark | undefined,
): Promise<OpenedCommit[]> {
  const all = commits.flatMap(({ entries, head: { recordedAt } }) =>
    entries.map((entry) => ({ ...entry, recordedAt })),
  );
  const opened = await (mark ? openMarked(all, mark) : openEntries(all, verifyAll));
  return commits.map((commit) => ({
    commit,
    entries: opened.splice(0, commit.entries.length),
    bytes: commit.bytes,
  }));
}

/** The commits' objects from number `n` + 1 on, until one is absent: asked for ahead, by more the longer the way is. */
export async function* commitsAfter(
  store: Pick<ObjectStore, 'get'>,
  n: number,
): AsyncGenerator<Uint8Array, undefined> {
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

function ask(store: Pick<ObjectStore, 'get'>, n: number): Promise<Uint8Array | undefined> {
  const asked = store.get(commitKey(n));
  // Where the way ends before it nobody waits for the answer; a failed one must not end the process then.
  asked.catch(() => undefined);
  return asked;
}
