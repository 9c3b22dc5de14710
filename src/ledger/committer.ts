import type { Signer, VerifyAll } from '../base/ed25519.ts';
import { CredenceError, codeOf } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { isInstant, toInstant, toMs } from '../base/time.ts';
import type { World } from '../base/world.ts';
import { commitKey } from '../lake/layout.ts';
import { getOrNote, type ObjectStore } from '../lake/objects.ts';
import { type OpenedRecord, open, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { admitOpened, type Ruling, type WaitsFor } from './admit.ts';
import { type Head, propose } from './commit.ts';
import { type InboxItem, pending } from './inbox.ts';
import { lineOpener, type OpenedLine, type OpenLines } from './opened-lines.ts';
import type { AdmissionView } from './port.ts';

/** What of the inbox cannot be decided on yet: a record, or (`access`) an item that this host may not read. */
export interface Waiting {
  readonly item: string;
  readonly id: string;
  readonly for: WaitsFor | 'access';
  /** Whose record it is, by its signature; absent where it could not be read. */
  readonly author?: string;
  /** The instant that it claims for itself, where it does. */
  readonly at?: string;
}

/** A record that cannot be decided on yet. */
function waitingOf(item: string, reason: Waiting['for'], record: OpenedRecord): Waiting {
  const { id, author, body } = record;
  const at = body['issued_at'] ?? body['asserted_at'];
  return {
    item,
    id,
    for: reason,
    author,
    ...(typeof at === 'string' && isInstant(at) ? { at } : {}),
  };
}

/** What a pass over the inbox would append, and what it leaves. */
export interface Plan {
  readonly records: readonly SignedRecord[];
  /** The canonical texts of those that were read: lines of the inbox. */
  readonly texts: ReadonlyMap<SignedRecord, string>;
  readonly waiting: readonly Waiting[];
  /** Keys of items whose every line is decided in the state already: they can go. */
  readonly done: readonly string[];
}

/** What the committer works with: where the ledger is, as whom it signs, and the state that follows it. */
export interface CommitterParts {
  readonly store: ObjectStore;
  readonly fleetId: string;
  readonly signer: Signer;
  /** Under which id the signer puts its records into the inbox. */
  readonly hostId: string;
  readonly world: World;
  /** Checks the signatures of the inbox. */
  readonly verifyAll: VerifyAll;
  /** Follows the ledger to its end and answers with the head and a fresh view of the state there. */
  follow(): Promise<{ readonly head: Head; readonly view: AdmissionView }>;
}

/** Lines that are opened at once: a batch may be full long before an item ends. */
const OPENED_AT_ONCE = LIMIT.commit_entries_max;

async function* openedLines(
  lines: readonly string[],
  openLines: OpenLines,
): AsyncGenerator<readonly [line: string, opened: OpenedLine]> {
  for (let at = 0; at < lines.length; at += OPENED_AT_ONCE) {
    const some = lines.slice(at, at + OPENED_AT_ONCE);
    for (const [i, opened] of (await openLines(some)).entries()) yield [some[i] ?? '', opened];
  }
}

/** Decides on the lines of one item, in their order, until the batch is full. `batch` collects what it decides on. */
async function planItem(
  item: InboxItem,
  text: string,
  room: number,
  parts: {
    readonly view: AdmissionView;
    readonly signer: Signer;
    readonly now: number;
    readonly batch: Set<string>;
    readonly texts: Map<SignedRecord, string>;
    readonly openLines: OpenLines;
  },
): Promise<{ records: SignedRecord[]; waiting: Waiting[]; done: boolean }> {
  const { view, signer, now, batch, texts } = parts;
  const records: SignedRecord[] = [];
  const waiting: Waiting[] = [];
  let done = true;
  const lines = text.split('\n').filter((line) => line !== '');
  let number = 0;
  for await (const [line, opened] of openedLines(lines, parts.openLines)) {
    number += 1;
    const lineRef = `${item.key}#${number}`;
    if (records.length >= room) return { records, waiting, done: false };
    if (view.isDecided(lineRef)) continue;
    const ruling = admitLine(opened, view, now);
    if (ruling.kind === 'decided') {
      // By this very batch: nobody can read it yet.
      if (batch.has(ruling.id)) done = false;
      continue;
    }
    done = false;
    if (ruling.kind === 'wait') {
      waiting.push(waitingOf(item.key, ruling.for, ruling.record));
      continue;
    }
    if (ruling.kind === 'accept') {
      records.push(ruling.record.signed);
      texts.set(ruling.record.signed, line);
      batch.add(ruling.record.id);
      view.advance(ruling.record);
      // What comes after it is judged by a state that was folded anew.
      if (ruling.record.context === 'erasure') return { records, waiting, done: false };
      continue;
    }
    // A rejection counts only by the word of one who may commit: a newcomer's own admission may still be to come.
    if (!mayCommit(signer, view)) continue;
    if (ruling.id !== undefined) batch.add(ruling.id);
    const which = ruling.id === undefined ? { line: number } : { record: ruling.id };
    const body = {
      spec: SPEC,
      author: signer.address,
      issued_at: toInstant(now),
      item: item.key,
      code: ruling.code,
    };
    const rejection = seal('rejection', { ...body, ...which } as typeof body, signer);
    records.push(rejection);
    view.advance(open(rejection));
  }
  return { records, waiting, done };
}

function admitLine(opened: OpenedLine, view: AdmissionView, now: number): Ruling {
  if ('fault' in opened) return { kind: 'reject', code: opened.fault };
  return admitOpened(opened.record, view, now);
}

function mayCommit({ address }: Signer, view: AdmissionView): boolean {
  return view.principal(address)?.roles.includes('commit') === true;
}

/** Refuses an item whole. */
function refuseItem(
  item: InboxItem,
  code: string,
  {
    view,
    signer,
    now,
  }: { readonly view: AdmissionView; readonly signer: Signer; readonly now: number },
): SignedRecord {
  const body = {
    spec: SPEC,
    author: signer.address,
    issued_at: toInstant(now),
    item: item.key,
    code,
  };
  const rejection = seal('rejection', body, signer);
  view.advance(open(rejection));
  return rejection;
}

/**
 * What an item says, or the code for which it is refused whole; undefined where it is not there, as after another
 * committer was quicker. One that may not be read waits: it may be whole, and others may be able to.
 */
async function readItem(
  store: ObjectStore,
  item: InboxItem,
  waiting: Waiting[],
): Promise<{ readonly text: string } | { readonly refused: string } | undefined> {
  let isTooLarge = false;
  const bytes = await getOrNote(store, item.key, LIMIT.inbox_item_bytes_max, (error) => {
    isTooLarge = codeOf(error) === 'store.too_large';
    if (!isTooLarge) waiting.push({ item: item.key, id: item.hash, for: 'access' });
  });
  if (isTooLarge) return { refused: 'inbox.size' };
  if (!bytes) return undefined;
  const isWhole = sha256Hex(bytes) === item.hash;
  return isWhole ? { text: Buffer.from(bytes).toString('utf8') } : { refused: 'inbox.hash' };
}

/** Reads the inbox, or what `host` put there, and decides on it against one state. Writes nothing. */
async function plan(
  parts: CommitterParts,
  view: AdmissionView,
  now: number,
  openLines: OpenLines,
  host?: string,
): Promise<Plan> {
  const records: SignedRecord[] = [];
  const waiting: Waiting[] = [];
  const done: string[] = [];
  const batch = new Set<string>();
  const texts = new Map<SignedRecord, string>();
  let taken = 0;
  for (const item of await pending(parts.store)) {
    if (host !== undefined && item.host !== host) continue;
    const room = LIMIT.commit_entries_max - records.length;
    if (room <= 0 || taken >= LIMIT.commit_bytes_max) break;
    // By what it would commit itself: what came after that would be said by a key which may not.
    if (host === undefined && !mayCommit(parts.signer, view)) break;
    const read = await readItem(parts.store, item, waiting);
    if (!read) continue;
    if ('refused' in read) {
      const { signer } = parts;
      if (view.isDecided(`${item.key}#0`)) done.push(item.key);
      else if (mayCommit(signer, view))
        records.push(refuseItem(item, read.refused, { view, signer, now }));
      continue;
    }
    const decided = await planItem(item, read.text, room, {
      view,
      signer: parts.signer,
      now,
      batch,
      texts,
      openLines,
    });
    records.push(...decided.records);
    if (decided.records.length > 0) taken += read.text.length;
    waiting.push(...decided.waiting);
    if (decided.done) done.push(item.key);
    if (records.at(-1)?.context === 'erasure') break;
  }
  return { records, texts, waiting, done };
}

/**
 * The instant of the commit that would follow `head`, in milliseconds: the store's time, else this machine's, and never before
 * the last commit. Dates are judged by it, so that a clock which is behind refuses nothing that the ledger is past already.
 */
export async function commitTime(
  head: Head,
  { store, world }: Pick<CommitterParts, 'store' | 'world'>,
): Promise<number> {
  return Math.max(toMs(head.recordedAt), (await store.time()) ?? world.now());
}

/**
 * Tries to make `bytes` commit n. Whether it did is for following to see, which reads what stands there: nobody is told of a
 * commit on the word of a write. Throws where the outcome is unknown and nothing stands there yet.
 */
async function claimNumber(store: ObjectStore, n: number, bytes: Uint8Array): Promise<void> {
  try {
    await store.putIfAbsent(commitKey(n), bytes);
  } catch (error) {
    if (!(await store.get(commitKey(n)))) throw error;
  }
}

/**
 * Appends all of the inbox that can be decided, in as many commits as it takes, and deletes an item only once
 * the state holds every record of it. Any number of committers may run at once: a taken number means following
 * what took it and deciding anew. Resolves with what still waits.
 *
 * A signer that may not commit writes nothing, since no follower gets past a commit of theirs; but in an open fleet
 * a host's first commit may be the one that admits it. That one holds what the host itself put into the inbox.
 */
export async function commitPending(parts: CommitterParts): Promise<readonly Waiting[]> {
  const openLines = lineOpener(parts.verifyAll);
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const { head, view } = await parts.follow();
    const now = await commitTime(head, parts);
    const { fleetId, signer, world } = parts;
    const own = mayCommit(signer, view) ? undefined : parts.hostId;
    const next = await plan(parts, view, now, openLines, own);
    for (const key of next.done) await parts.store.delete(key);
    const admitsItself = view.fleet()?.admission === 'open' && mayCommit(signer, view);
    if (next.records.length === 0 || (own !== undefined && !admitsItself)) return next.waiting;
    await claimNumber(
      parts.store,
      head.n + 1,
      propose(head, next.records, { fleetId, signer, world, now, texts: next.texts }),
    );
  }
  throw new CredenceError(
    'busy',
    'ledger.contended',
    'other committers took every number that was tried',
    {
      next: 'run `credence sync --once` again',
    },
  );
}
