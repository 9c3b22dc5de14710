import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { toInstant } from '../base/time.ts';
import { textOf } from '../base/unknown.ts';
import { admissionView } from '../fold/admission.ts';
import { positionsAbout } from '../fold/held.ts';
import { admit } from '../ledger/admit.ts';
import { commitmentOf, type WholeEntry } from '../ledger/entry.ts';
import { findEntry } from '../ledger/find.ts';
import { deposit } from '../ledger/inbox.ts';
import { tombstonesOf } from '../ledger/tombstone.ts';
import { type Parts, sync } from '../pipeline.ts';
import { erasureOf } from '../query/erasure.ts';
import { positionMeant } from '../query/prove.ts';
import { ERASABLE, type ErasureBody } from '../record/erasure.ts';
import { open, recordId, SPEC, seal } from '../record/record.ts';
import { readerOf } from '../snapshot/database.ts';
import { headOf } from '../snapshot/follow.ts';
import { settle } from '../snapshot/settle.ts';

/** One entry that an erasure would take. `isDependent` where it goes because it names a claim that goes. */
export interface Target {
  readonly seq: number;
  readonly context: string;
  readonly commitment: string;
  /** As the ledger has it: whoever prints it sanitises it. */
  readonly author: string;
  readonly text: string;
  readonly isDependent: boolean;
}

/** What an erasure would take, and what would only go on to refer to it. */
export interface ErasurePlan {
  readonly targets: readonly Target[];
  /** Claims that supersede one that goes, or rest on an episode that does: they stay. */
  readonly referring: readonly { readonly id: string; readonly seq: number }[];
  /** By which copies are known: none where this home has not the fleet's secret. */
  readonly tombstones: readonly string[];
}

/** The field of a record that says most, by its context. */
const TEXT: Readonly<Record<string, string>> = {
  claim: 'statement',
  endorsement: 'basis',
  verdict: 'basis',
  retirement: 'reason',
  episode: 'content',
  handoff: 'summary',
  'artifact-change': 'uri',
};

/**
 * What erasing these would take: positions, records' ids or their beginnings, or ids of episodes. What names a claim that
 * goes, goes too. Throws `entry.*`, `erasure.context`, `erasure.repeated`.
 */
export async function planErasure(parts: Parts, refs: readonly string[]): Promise<ErasurePlan> {
  await settle({ ...parts, ...parts.identity });
  const { state, store } = parts;
  const reader = readerOf(state);
  const asked = new Set<number>();
  const claims = new Set<string>();
  for (const ref of refs) {
    const carried = carriedClaim(parts, ref);
    if (carried) {
      claims.add(carried.claim);
      asked.add(carried.at);
      continue;
    }
    const seq = erasable(parts, ref);
    asked.add(seq);
    const content = reader.get('contents', String(seq));
    if (content?.context === 'claim' && content.about !== null) claims.add(content.about);
  }
  const dependent = new Set([...claims].flatMap((claim) => positionsAbout(reader, claim)));
  for (const seq of asked) dependent.delete(seq);
  const targets: Target[] = [];
  const marks = new Set<string>();
  for (const seq of [...asked, ...dependent].sort((a, b) => a - b)) {
    const entry = await findEntry(store, seq, headOf(state).n);
    if (!('record' in entry)) throw gone(String(seq), seq, erasureOf(state, seq));
    targets.push(targetOf(entry, dependent.has(seq)));
    for (const mark of marksOf(parts, entry)) marks.add(mark);
  }
  return { targets, referring: referringTo(parts, targets), tombstones: [...marks].sort() };
}

function targetOf(entry: WholeEntry, isDependent: boolean): Target {
  const { seq, record } = entry;
  const { context, body } = record;
  const commitment = commitmentOf(entry).toString('hex');
  const text = textOf(body[TEXT[context] ?? '']) ?? '';
  return { seq, context, commitment, author: body.author, text, isDependent };
}

function marksOf({ fleetSecret }: Parts, { record }: WholeEntry): string[] {
  const { context, body } = record;
  if (!fleetSecret) return [];
  return tombstonesOf(fleetSecret, { id: recordId(context, body), context, body: body as never });
}

/** A claim that only imports of bundles carry, by its id or a beginning of it: it has no entry of its own. */
function carriedClaim({ state }: Parts, ref: string) {
  if (!/^[0-9a-f]{8,64}$/.test(ref)) return undefined;
  const [row, other] = state.all(
    'SELECT claim, MIN(at) AS at FROM carried WHERE claim >= ? AND claim < ? GROUP BY claim LIMIT 2',
    ref,
    `${ref}g`,
  );
  if (!row || other) return undefined;
  const claim = String(row['claim']);
  const decided = readerOf(state).get('decided', claim);
  return decided?.context === 'claim' ? undefined : { claim, at: Number(row['at']) };
}

/** The position that is meant, of something that can be erased and was not. */
function erasable({ state }: Parts, ref: string): number {
  const reader = readerOf(state);
  const seq = reader.get('episodes', ref)?.at ?? positionMeant(state, ref);
  const erasure = erasureOf(state, seq);
  if (erasure !== undefined) throw gone(ref, seq, erasure);
  if (reader.get('contents', String(seq))) return seq;
  throw new CredenceError(
    'incorrect',
    'erasure.context',
    `position ${seq} holds nothing that can be erased`,
    {
      data: { ref, seq },
      next: `what can be erased: ${[...ERASABLE].join(', ')}; a session's record would need its parts rewritten`,
    },
  );
}

function gone(ref: string, seq: number, erasure: string | undefined): CredenceError {
  const by = erasure === undefined ? '' : ` by ${erasure.slice(0, 12)}`;
  return new CredenceError('conflict', 'erasure.repeated', `position ${seq} was erased${by}`, {
    data: { ref, seq },
    next:
      erasure === undefined ? 'run `credence verify`' : `credence erase --certificate ${erasure}`,
  });
}

function referringTo({ state }: Parts, targets: readonly Target[]) {
  const reader = readerOf(state);
  const going = new Set(targets.map(({ seq }) => seq));
  const claims = reader.where('claims');
  const ids = new Set(claims.filter(({ seq }) => going.has(seq)).map(({ key }) => key));
  for (const { key, at } of reader.where('episodes')) if (going.has(at)) ids.add(key);
  const refers = ({ supersedes, episodes }: (typeof claims)[number]) =>
    [supersedes, ...(JSON.parse(episodes) as string[])].some((id) => id !== null && ids.has(id));
  return claims
    .filter((claim) => !going.has(claim.seq) && refers(claim))
    .map(({ key, seq }) => ({ id: key, seq }));
}

/**
 * Erases what was planned: the erasure is committed, the fold begins anew without it, and the commits concerned are
 * overwritten. Resolves with the erasure's id. Throws `erasure.*`, before anything is stored, for what the ledger refuses.
 */
export async function erase(
  parts: Parts,
  plan: ErasurePlan,
  reason: string,
  by: Signer,
): Promise<string> {
  const { state, store, world, identity } = parts;
  const now = (await store.time()) ?? world.now();
  const body: ErasureBody = {
    spec: SPEC,
    author: by.address,
    issued_at: toInstant(world.now()),
    entries: plan.targets.map(({ seq, commitment, context }) => ({ seq, commitment, context })),
    reason,
    tombstones: [...plan.tombstones],
  };
  const record = seal('erasure', body, by);
  const { id } = open(record);
  const ruling = admit(record, admissionView(readerOf(state), headOf(state).frontier.size), now);
  if (ruling.kind !== 'accept')
    throw refused(ruling.kind === 'reject' ? ruling.code : 'record.admission');
  await deposit(store, identity.hostId, parts.nextCounter(), [record]);
  await sync(parts);
  const decided = readerOf(state).get('decided', id);
  if (!decided) throw refused('record.waits');
  const unusable = readerOf(state).get('unusable', String(decided.at))?.code;
  const code = decided.code ?? unusable;
  if (code !== undefined) throw refused(code);
  return id;
}

const NEXT: Readonly<Record<string, string>> = {
  'erasure.role': 'ask an admin of the fleet, or whoever answers for the author',
  'erasure.incomplete': 'something was said of the claim meanwhile: run the command again',
  'record.admission': 'run `credence sync --once` until this home is admitted',
  'record.waits': 'this host may not commit: it is done once another host syncs',
};

function refused(code: string): CredenceError {
  const next = NEXT[code] ?? 'run the command again';
  return new CredenceError('incorrect', code, 'the ledger does not take this erasure', { next });
}
