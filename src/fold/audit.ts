import type { VerifyAll } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { commitKey, PREFIX, parseCommitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { type Commit, GENESIS, type Head, readCommit } from '../ledger/commit.ts';
import { openEntries } from '../ledger/entry.ts';
import { root } from '../ledger/tree.ts';
import { AuditedErasures, type Unerased } from './audit-erasures.ts';
import { foldCommit } from './fold-commit.ts';
import { MapState } from './map-state.ts';
import { MEMBERSHIP } from './members.ts';

/** A head of the ledger that was seen before: by this machine when it followed, or by somebody else. */
export interface Witness {
  readonly n: number;
  readonly size: number;
  readonly root: string;
  /** Who saw it, in words. */
  readonly by: string;
}

/** What is wrong with a ledger, and where. */
export interface LedgerFault {
  readonly code: string;
  readonly commit: number;
  readonly message: string;
}

/** What reading a whole ledger came to: how far all of it holds, and what does not. */
export interface Audit {
  readonly fleetId: string | undefined;
  readonly commits: number;
  readonly entries: number;
  readonly root: string;
  readonly recordedAt: string;
  readonly fault: LedgerFault | undefined;
  /** What an accepted erasure named and the bytes still hold: the ledger holds, and it is not done yet. */
  readonly unerased: readonly Unerased[];
}

/** What an audit reads, and whom it tells. */
export interface AuditParts {
  readonly store: ObjectStore;
  readonly fleetId?: string | undefined;
  readonly verifyAll: VerifyAll;
  readonly witnesses: readonly Witness[];
  /** Hears how many commits of how many were read. */
  readonly heard: (n: number, of: number) => void;
}

/**
 * Reads a whole ledger from the bytes of its store alone, and checks all of it: form, order, roots and times of commits,
 * every signature, that each committer held the role, and that it holds what witnesses saw. Total but for a store that
 * fails: the first thing that is wrong is part of the answer.
 */
export async function audit(parts: AuditParts): Promise<Audit> {
  let sound = GENESIS;
  let fleetId = parts.fleetId;
  const erasures = new AuditedErasures();
  try {
    for await (const commit of soundCommits(parts, erasures)) {
      sound = commit.head;
      fleetId = commit.checkpoint.fleet_id;
    }
    for (const witness of parts.witnesses) {
      if (witness.n > sound.n) throw cutOff(witness, sound);
    }
    const stray = erasures.strayStub();
    if (stray) {
      const fault = { code: 'ledger.stub', ...stray };
      return { ...summary(sound), fleetId, fault, unerased: [] };
    }
  } catch (error) {
    if (!(error instanceof CredenceError) || error.category === 'unavailable') throw error;
    const fault = { code: error.code, commit: sound.n + 1, message: error.message };
    return { ...summary(sound), fleetId, fault, unerased: [] };
  }
  return { ...summary(sound), fleetId, fault: undefined, unerased: erasures.unerased() };
}

function summary({ n, frontier, recordedAt }: Head) {
  return {
    commits: n,
    entries: frontier.size,
    root: root(frontier).toString('hex'),
    recordedAt,
  };
}

/** The commits in their order, each once all of it was checked. Throws `ledger.*` for the first that does not hold. */
async function* soundCommits(parts: AuditParts, erasures: AuditedErasures): AsyncGenerator<Commit> {
  const { store, heard } = parts;
  const last = await highestCommit(store);
  const state = new MapState();
  let checking: Promise<Commit | undefined> = Promise.resolve(undefined);
  let head = GENESIS;
  let fleetId = parts.fleetId;
  for (let n = 1; n <= last; n++) {
    const read = await attempt(() => readNext(store, head, fleetId));
    const checked = await checking;
    if (checked) yield checked;
    if ('error' in read) throw read.error;
    const { commit } = read;
    head = commit.head;
    fleetId = commit.checkpoint.fleet_id;
    // Its signatures are checked on other threads while the next commit is read.
    checking = check(commit, state, parts, erasures);
    // Whoever reads on hears of it at the next turn.
    checking.catch(() => undefined);
    heard(n, last);
  }
  const checked = await checking;
  if (checked) yield checked;
}

async function attempt(
  body: () => Promise<Commit>,
): Promise<{ readonly commit: Commit } | { readonly error: unknown }> {
  try {
    return { commit: await body() };
  } catch (error) {
    return { error };
  }
}

/** The number of the last commit that the store lists. */
async function highestCommit(store: ObjectStore): Promise<number> {
  let last = 0;
  for await (const key of store.list(PREFIX.ledger))
    last = Math.max(last, parseCommitKey(key) ?? 0);
  return last;
}

async function readNext(
  store: ObjectStore,
  head: Head,
  fleetId: string | undefined,
): Promise<Commit> {
  const n = head.n + 1;
  const bytes = await store.get(commitKey(n));
  if (bytes) return readCommit(bytes, head, fleetId);
  throw wrong('missing', `commit ${n} is not there, and later ones are`);
}

async function check(
  commit: Commit,
  state: MapState,
  parts: AuditParts,
  erasures: AuditedErasures,
): Promise<Commit> {
  const { checkpoint, head } = commit;
  const entries = await openEntries(commit.entries, parts.verifyAll);
  for (const entry of entries) {
    if ('fault' in entry)
      throw wrong('record', `commit ${head.n}: entry ${entry.seq} is no record (${entry.fault})`);
  }
  // What says who may commit: the rest is as large as the ledger.
  const members = entries.filter(({ context }) => MEMBERSHIP.has(context));
  foldCommit(state, checkpoint, members, (changes) => state.apply(changes));
  erasures.see(head.n, entries, state);
  for (const { n, size, root, by } of parts.witnesses) {
    if (n !== head.n || (size === checkpoint.size && root === checkpoint.root)) continue;
    throw wrong('fork', `commit ${n} is not the one that ${by} saw: the ledger has two histories`);
  }
  return commit;
}

function cutOff({ n, by }: Witness, sound: Head): CredenceError {
  return wrong('cut_off', `the ledger ends at commit ${sound.n}, and ${by} saw commit ${n}`);
}

function wrong(code: string, message: string): CredenceError {
  return new CredenceError('incorrect', `ledger.${code}`, message, {
    next: 'restore the object from a backup; whoever followed the ledger before can say what it was',
  });
}
