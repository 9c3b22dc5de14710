import { parseCanonical } from '../base/canonical.ts';
import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { toInstant } from '../base/time.ts';
import type { World } from '../base/world.ts';
import { commitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { open, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { admit } from './admit.ts';
import { type Head, propose } from './commit.ts';
import { hostIdOf } from './found.ts';
import { type InboxItem, pending } from './inbox.ts';
import type { AdmissionView } from './port.ts';

/** A record or line of the inbox that cannot be decided on yet. */
export interface Waiting {
  readonly item: string;
  readonly id: string;
  readonly for: 'admission' | 'date';
}

/** What a pass over the inbox would append, and what it leaves. */
export interface Plan {
  readonly records: readonly SignedRecord[];
  readonly waiting: readonly Waiting[];
  /** Keys of items whose every line is decided in the state already: they can go. */
  readonly done: readonly string[];
}

/** What the committer works with: where the ledger is, as whom it signs, and the state that follows it. */
export interface CommitterParts {
  readonly store: ObjectStore;
  readonly fleetId: string;
  readonly signer: Signer;
  readonly world: World;
  /** Follows the ledger to its end and answers with the head and a fresh view of the state there. */
  follow(): Promise<{ readonly head: Head; readonly view: AdmissionView }>;
}

/** Decides on the lines of one item, in their order, until the batch is full. `batch` collects what it decides on. */
function planItem(
  item: InboxItem,
  text: string,
  room: number,
  parts: {
    readonly view: AdmissionView;
    readonly signer: Signer;
    readonly now: number;
    readonly batch: Set<string>;
  },
): { records: SignedRecord[]; waiting: Waiting[]; done: boolean } {
  const { view, signer, now, batch } = parts;
  const records: SignedRecord[] = [];
  const waiting: Waiting[] = [];
  let done = true;
  const lines = text.split('\n').filter((line) => line !== '');
  for (const [index, line] of lines.entries()) {
    const lineRef = `${item.key}#${index + 1}`;
    if (records.length >= room) return { records, waiting, done: false };
    if (view.isDecided(lineRef)) continue;
    const received = tryParse(line);
    const ruling = admit(received, view, now);
    if (ruling.kind === 'decided') {
      // By this very batch: nobody can read it yet.
      if (batch.has(ruling.id)) done = false;
      continue;
    }
    done = false;
    if (ruling.kind === 'wait') {
      waiting.push({ item: item.key, id: ruling.id, for: ruling.for });
      continue;
    }
    if (ruling.kind === 'accept') {
      records.push(ruling.record.signed);
      batch.add(ruling.record.id);
      view.advance(ruling.record);
      continue;
    }
    if (ruling.id !== undefined) batch.add(ruling.id);
    const which = ruling.id === undefined ? { line: index + 1 } : { record: ruling.id };
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

function tryParse(line: string): unknown {
  try {
    return parseCanonical(line);
  } catch {
    return undefined;
  }
}

function mayCommit(parts: CommitterParts, view: AdmissionView): boolean {
  return view.principal(parts.signer.address)?.roles.includes('commit') === true;
}

/** An item whose bytes are not those that its key names is refused whole; undefined where that stands in the ledger already. */
function refuseItem(
  item: InboxItem,
  {
    view,
    signer,
    now,
  }: { readonly view: AdmissionView; readonly signer: Signer; readonly now: number },
): SignedRecord | undefined {
  if (view.isDecided(`${item.key}#0`)) return undefined;
  const body = {
    spec: SPEC,
    author: signer.address,
    issued_at: toInstant(now),
    item: item.key,
    code: 'inbox.hash',
  };
  const rejection = seal('rejection', body, signer);
  view.advance(open(rejection));
  return rejection;
}

/** Reads the inbox, or what `host` put there, and decides on it against one state. Writes nothing. */
async function plan(
  parts: CommitterParts,
  view: AdmissionView,
  now: number,
  host?: string,
): Promise<Plan> {
  const records: SignedRecord[] = [];
  const waiting: Waiting[] = [];
  const done: string[] = [];
  const batch = new Set<string>();
  for (const item of await pending(parts.store)) {
    if (host !== undefined && item.host !== host) continue;
    if (records.length >= LIMIT.commit_entries_max) break;
    const bytes = await parts.store.get(item.key);
    if (!bytes) continue; // another committer was quicker to delete it
    const room = LIMIT.commit_entries_max - records.length;
    if (sha256Hex(bytes) !== item.hash) {
      const refused = refuseItem(item, { view, signer: parts.signer, now });
      if (refused) records.push(refused);
      else done.push(item.key);
      continue;
    }
    const decided = planItem(item, Buffer.from(bytes).toString('utf8'), room, {
      view,
      signer: parts.signer,
      now,
      batch,
    });
    records.push(...decided.records);
    waiting.push(...decided.waiting);
    if (decided.done) done.push(item.key);
  }
  return { records, waiting, done };
}

/** Tries to make `bytes` commit n. An unknown outcome is settled by reading what is there. */
async function claimNumber(store: ObjectStore, n: number, bytes: Uint8Array): Promise<boolean> {
  try {
    return await store.putIfAbsent(commitKey(n), bytes);
  } catch (error) {
    const there = await store.get(commitKey(n));
    if (!there) throw error;
    return Buffer.compare(there, bytes) === 0;
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
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const { head, view } = await parts.follow();
    const now = (await parts.store.time()) ?? parts.world.now();
    const { fleetId, signer, world } = parts;
    const own = mayCommit(parts, view) ? undefined : hostIdOf(signer.address);
    const next = await plan(parts, view, now, own);
    for (const key of next.done) await parts.store.delete(key);
    const admitsItself = view.fleet()?.admission === 'open' && mayCommit(parts, view);
    if (next.records.length === 0 || (own !== undefined && !admitsItself)) return next.waiting;
    await claimNumber(
      parts.store,
      head.n + 1,
      propose(head, next.records, { fleetId, signer, world, now }),
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
