import { isUtf8 } from 'node:buffer';
import { canonical, parseCanonical } from '../base/canonical.ts';
import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { type Instant, toInstant, toMs } from '../base/time.ts';
import type { World } from '../base/world.ts';
import { parserOf } from '../record/fits.ts';
import { CheckpointBody } from '../record/fleet.ts';
import { open, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { commitmentOf, Entry, type EntryWithText, lineOf, withText } from './entry.ts';
import { append, EMPTY, type Frontier, leafHash, root } from './tree.ts';

/** All that a follower or a committer has to know of the commits before. */
export interface Head {
  readonly n: number;
  readonly frontier: Frontier;
  readonly recordedAt: Instant;
}

/** The head of a ledger that has no commit yet. */
export const GENESIS: Head = { n: 0, frontier: EMPTY, recordedAt: toInstant(0) };

/** One commit, as read from its object and checked against the head before it. */
export interface Commit {
  readonly checkpoint: CheckpointBody;
  readonly entries: readonly EntryWithText[];
  /** The leaf of each entry in the tree. */
  readonly leaves: readonly Buffer[];
  /** The head after it. */
  readonly head: Head;
}

function leavesOf(entries: readonly EntryWithText[]): Buffer[] {
  return entries.map((entry) => leafHash(commitmentOf(entry)));
}

/**
 * Orders records into the commit that follows `head`. Pure but for the salts; writes nothing. `texts` holds the canonical
 * texts of those that came as such: they are not encoded again.
 */
export function propose(
  head: Head,
  records: readonly SignedRecord[],
  by: {
    readonly fleetId: string;
    readonly signer: Signer;
    readonly world: World;
    readonly now: number;
    readonly texts?: ReadonlyMap<SignedRecord, string>;
  },
): Uint8Array {
  const firstSeq = head.frontier.size + 1;
  const entries = records.map((record, i) => ({
    seq: firstSeq + i,
    salt: Buffer.from(by.world.random(16)).toString('hex'),
    record,
    recordText: by.texts?.get(record) ?? canonical(record),
  }));
  const frontier = leavesOf(entries).reduce(append, head.frontier);
  const recordedAt = toInstant(Math.max(toMs(head.recordedAt), by.now));
  const body: CheckpointBody = {
    spec: SPEC,
    author: by.signer.address,
    issued_at: recordedAt,
    fleet_id: by.fleetId,
    n: head.n + 1,
    first_seq: firstSeq,
    size: frontier.size,
    root: root(frontier).toString('hex'),
    recorded_at: recordedAt,
  };
  const checkpoint = canonical(seal('checkpoint', body, by.signer));
  return Buffer.from([checkpoint, ...entries.map(lineOf)].map((line) => `${line}\n`).join(''));
}

function fail(n: number, code: string, what: string): never {
  throw new CredenceError('incorrect', `ledger.${code}`, `commit ${n}: ${what}`, {
    data: { n },
    next: 'the store was altered or belongs to another fleet; run `credence doctor`, and restore the object from a backup',
  });
}

/** Reads a commit's object and checks all that the head before it determines. Throws `ledger.*`, naming the commit. */
export function readCommit(bytes: Uint8Array, before: Head, fleetId: string | undefined): Commit {
  const n = before.n + 1;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  // Bytes that are no UTF-8 would be read as replacement characters: not what was signed.
  if (!isUtf8(bytes) || !text.endsWith('\n')) fail(n, 'torn', 'it is not whole lines of UTF-8');
  const [first = '', ...rest] = text.slice(0, -1).split('\n');
  const checkpoint = openCheckpoint(n, first);
  if (fleetId !== undefined && checkpoint.fleet_id !== fleetId)
    fail(n, 'fleet', 'it belongs to another fleet');
  if (checkpoint.n !== n) fail(n, 'number', `it says that it is commit ${checkpoint.n}`);
  const entries = rest.map((line, i) => readEntry(n, line, before.frontier.size + 1 + i));
  const leaves = leavesOf(entries);
  const frontier = leaves.reduce(append, before.frontier);
  if (checkpoint.first_seq !== before.frontier.size + 1 || checkpoint.size !== frontier.size) {
    fail(n, 'size', 'its checkpoint does not span its entries');
  }
  if (checkpoint.root !== root(frontier).toString('hex'))
    fail(n, 'root', 'its entries do not hash to its root');
  if (toMs(checkpoint.recorded_at) < toMs(before.recordedAt))
    fail(n, 'time', 'it is dated before the commit before it');
  return { checkpoint, entries, leaves, head: { n, frontier, recordedAt: checkpoint.recorded_at } };
}

function openCheckpoint(n: number, line: string): CheckpointBody {
  try {
    const record = open(parseCanonical(line));
    if (record.context === 'checkpoint') return CheckpointBody.parse(record.body);
  } catch (cause) {
    throw new CredenceError(
      'incorrect',
      'ledger.checkpoint',
      `commit ${n}: its checkpoint cannot be trusted`,
      {
        cause,
        data: { n },
      },
    );
  }
  return fail(n, 'checkpoint', 'its first line is not a checkpoint');
}

const parseEntry = parserOf<Entry>(Entry);

function readEntry(n: number, line: string, seq: number): EntryWithText {
  const received = parse(n, line);
  if (!parseEntry(received).success) return fail(n, 'entry', `entry ${seq} is not an entry`);
  // As received, not as parsed: the schema leaves out a member called `__proto__`, and the root covers it.
  const entry = received as Entry;
  if (entry.seq !== seq) fail(n, 'seq', `entry ${seq} says that it is ${entry.seq}`);
  // Of a stub the root covers the commitment alone: no other byte may stand there.
  if ('commitment' in entry && lineOf(entry) !== line)
    fail(n, 'entry', `entry ${seq} is not a stub`);
  return withText(entry, line);
}

function parse(n: number, line: string): unknown {
  try {
    return parseCanonical(line);
  } catch {
    return fail(n, 'entry', 'an entry is not canonical JSON');
  }
}
