import fc from 'fast-check';
import { verifyHere } from '../../src/base/ed25519.ts';
import { toInstant } from '../../src/base/time.ts';
import { uuid4 } from '../../src/base/uuid.ts';
import { admissionView } from '../../src/fold/admission.ts';
import { MapState } from '../../src/fold/map-state.ts';
import { COLUMNS, type Reader, type TableName } from '../../src/fold/state.ts';
import { step } from '../../src/fold/step.ts';
import { commitKey } from '../../src/lake/layout.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { GENESIS, readCommit } from '../../src/ledger/commit.ts';
import { commitPending } from '../../src/ledger/committer.ts';
import { erasedEntry, type OpenedEntry, openEntries } from '../../src/ledger/entry.ts';
import { findEntry } from '../../src/ledger/find.ts';
import { deposit } from '../../src/ledger/inbox.ts';
import { tombstonesOf } from '../../src/ledger/tombstone.ts';
import type { ErasureBody } from '../../src/record/erasure.ts';
import { promotionId } from '../../src/record/governance.ts';
import { KNOWLEDGE_SPEC } from '../../src/record/knowledge.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../../src/record/record.ts';
import { readerOf } from '../../src/snapshot/database.ts';
import { headOf } from '../../src/snapshot/follow.ts';
import type { Sql } from '../../src/snapshot/port.ts';
import { sweepErased } from '../../src/snapshot/sweep.ts';
import { handoffBody, hashOf, householdOf, keyOf, noted, T0, worldAt } from './fleet.ts';
import { followOn, foundOn, newSql } from './member.ts';

/** The home that founded the fleet, and is its admin. */
const FOUNDER = householdOf('ann');
/** The fleet's secret of tests. */
const SECRET = Buffer.alloc(32, 7);
const SPEAKERS = [keyOf('speaker one'), keyOf('speaker two'), keyOf('speaker three')] as const;
const SPACE = 'elsewhere';

/** Every row of every table, in order. */
export function tablesOf(reader: Reader): Record<string, unknown[]> {
  const names = Object.keys(COLUMNS) as TableName[];
  return Object.fromEntries(
    names.map((name) => [name, reader.where(name).map((row) => ({ ...row }))]),
  );
}

/** All entries of a ledger as its bytes have them, opened. */
export async function entriesIn(store: ObjectStore): Promise<OpenedEntry[]> {
  const entries: OpenedEntry[] = [];
  let head = GENESIS;
  for (;;) {
    const bytes = await store.get(commitKey(head.n + 1));
    if (!bytes) return entries;
    const commit = readCommit(bytes, head, 'fleet');
    head = commit.head;
    const { recordedAt } = head;
    const dated = commit.entries.map((entry) => ({ ...entry, recordedAt }));
    entries.push(...(await openEntries(dated, verifyHere)));
  }
}

/** Folds entries in memory with the given positions as stubs from the start. The oracle: it never begins anew. */
export function foldWithStubs(
  entries: readonly OpenedEntry[],
  stubs: ReadonlySet<number>,
): MapState {
  const state = new MapState();
  for (const entry of entries) {
    const { seq, commitment } = entry;
    const isStub = stubs.has(seq) && commitment !== undefined;
    state.apply(step(state, isStub ? erasedEntry(seq, commitment) : entry));
  }
  return state;
}

/** A host at work on a ledger of claims, that can erase. */
export interface Eraser {
  readonly store: ObjectStore;
  readonly state: Sql;
  say(...records: readonly SignedRecord[]): Promise<void>;
  sweep(): Promise<void>;
}

/** A fleet on a store, with its founder at work; `state` is empty. */
export async function eraserOn(
  store: ObjectStore,
  state: Sql = newSql(),
  secret: Uint8Array | undefined = SECRET,
): Promise<Eraser> {
  await foundOn(store, FOUNDER);
  let counter = 0;
  const world = worldAt(T0, 'eraser');
  const follow = async () => {
    const head = await followOn(store, state, 'fleet');
    return { head, view: admissionView(readerOf(state), head.frontier.size, secret) };
  };
  await follow();
  return {
    store,
    state,
    async say(...records) {
      counter += 1;
      if (records.length > 0) await deposit(store, FOUNDER.hostId, counter, records);
      const { host: signer, hostId } = FOUNDER;
      await commitPending({
        store,
        fleetId: 'fleet',
        signer,
        hostId,
        world,
        verifyAll: verifyHere,
        follow,
      });
    },
    sweep: () => sweepErased(store, state),
  };
}

const speaker = (i: number) => SPEAKERS[i % SPEAKERS.length] ?? SPEAKERS[0];

/** A claim of one of three who speak for themselves. */
export function claimOf(
  who: number,
  statement: string,
  more: { readonly supersedes?: string | null; readonly episodes?: readonly string[] } = {},
): SignedRecord {
  const by = speaker(who);
  const body = {
    spec: KNOWLEDGE_SPEC,
    author: by.address,
    scope: { space: SPACE, segment: null },
    kind: 'semantic',
    statement,
    topics: [],
    refs: [],
    episodes: [...(more.episodes ?? [])],
    asserted_at: toInstant(T0),
    supersedes: more.supersedes ?? null,
  };
  return seal('claim', body, by);
}

/** A position on a claim. */
export function endorsementOf(who: number, claim: string, basis: string): SignedRecord {
  const by = speaker(who);
  const body = {
    ...{ spec: KNOWLEDGE_SPEC, author: by.address, claim_id: claim, verdict: 'corroborate' },
    ...{ basis, episodes: [], issued_at: toInstant(T0) },
  };
  return seal('endorsement', body, by);
}

/** An observation. */
export function episodeOf(who: number, content: string): SignedRecord {
  const by = speaker(who);
  const body = {
    ...{ spec: SPEC, author: by.address, issued_at: toInstant(T0) },
    ...{ id: uuid4(Buffer.from(hashOf(content), 'hex').subarray(0, 16)), kind: 'observation' },
    ...{ scope: { space: SPACE, segment: null }, content, refs: [], occurred_at: toInstant(T0) },
  };
  return seal('episode', body, by);
}

/** An erasure of positions of a ledger, by the founder unless told, with what names a claim among them. */
export async function erasureOf(
  { store, state }: Pick<Eraser, 'store' | 'state'>,
  seqs: readonly number[],
  by = FOUNDER.person,
  fields: Partial<ErasureBody> = {},
): Promise<SignedRecord> {
  const reader = readerOf(state);
  const all = new Set(seqs);
  for (const seq of seqs) {
    const row = reader.get('contents', String(seq));
    if (row?.context !== 'claim') continue;
    for (const { key } of reader.where('contents', 'about', row.about)) all.add(Number(key));
  }
  const marks = new Set<string>();
  for (const seq of all) {
    const entry = await findEntry(store, seq, headOf(state).n);
    if (!('record' in entry)) continue;
    const { context, body } = entry.record;
    const id = recordId(context, body);
    for (const mark of tombstonesOf(SECRET, { id, context, body: body as never })) marks.add(mark);
  }
  const body: ErasureBody = {
    ...{ spec: SPEC, author: by.address, issued_at: toInstant(T0), reason: 'asked for' },
    entries: [...all]
      .sort((a, b) => a - b)
      .map((seq) => {
        const row = reader.get('contents', String(seq));
        const { context = 'claim', commitment = '0'.repeat(64) } = row ?? {};
        return { seq, context, commitment: commitment ?? '' };
      }),
    tombstones: [...marks].sort(),
    ...fields,
  };
  return seal('erasure', body, by);
}

/** One thing that happens in a ledger of claims; numbers choose among what is there. */
export interface Turn {
  readonly what:
    | 'claim'
    | 'episode'
    | 'endorse'
    | 'review'
    | 'again'
    | 'retire'
    | 'note'
    | 'policy'
    | 'erase';
  readonly who: number;
  readonly of: number;
  readonly also: number;
}

/** Stories of claims and what is said of them, with erasures between. */
export const anyTurns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    what: fc.constantFrom<Turn['what']>(
      ...(['claim', 'claim', 'episode', 'endorse', 'endorse', 'review'] as const),
      ...(['again', 'retire', 'note', 'policy', 'erase', 'erase'] as const),
    ),
    who: fc.nat(2),
    of: fc.nat(20),
    also: fc.nat(20),
  }),
  { minLength: 4, maxLength: 14 },
);

const pick = <T>(items: readonly T[], i: number): T | undefined => items[i % (items.length || 1)];

/** The record that a turn comes to in a state; undefined where there is nothing for it to speak of. `n` makes texts differ. */
export async function recordOf(
  eraser: Eraser,
  { what, who, of, also }: Turn,
  n: number,
): Promise<SignedRecord | undefined> {
  const reader = readerOf(eraser.state);
  const claims = reader.where('claims');
  const claim = pick(claims, of);
  const by = speaker(who);
  const base = { spec: KNOWLEDGE_SPEC, author: by.address, issued_at: toInstant(T0) };
  const own = { ...base, spec: SPEC };
  const text = `secret-text-${n}`;
  switch (what) {
    case 'claim': {
      const mine = pick(
        claims.filter(({ author }) => author === by.address),
        of,
      );
      const episode = pick(reader.where('episodes'), also)?.key;
      const supersedes = also % 2 ? (mine?.key ?? null) : null;
      return claimOf(who, text, { supersedes, episodes: episode ? [episode] : [] });
    }
    case 'episode':
      return episodeOf(who, text);
    case 'note':
      return noted(FOUNDER, handoffBody(FOUNDER, `s${of}`, { summary: text }));
    case 'endorse':
      return claim && endorsementOf(who, claim.key, text);
    case 'review': {
      if (!claim) return undefined;
      const promotion_id = promotionId(claim.key, claim.attempt);
      const verdict = also % 2 ? 'approve' : 'reject';
      return seal('verdict', { ...base, promotion_id, verdict, basis: text } as never, by);
    }
    case 'again': {
      if (!claim) return undefined;
      const author = SPEAKERS.find(({ address }) => address === claim.author) ?? by;
      const body = {
        ...own,
        author: author.address,
        claim_id: claim.key,
        attempt: claim.attempt + 1,
      };
      return seal('proposal', body, author);
    }
    case 'retire': {
      if (!claim) return undefined;
      const author = SPEAKERS.find(({ address }) => address === claim.author) ?? by;
      const body = { ...base, author: author.address, claim_id: claim.key, reason: text };
      return seal('retirement', body, author);
    }
    case 'policy': {
      const body = {
        ...{ ...own, author: FOUNDER.person.address, scope: { space: SPACE, segment: null } },
        ...{ mode: of % 2 ? 'auto' : 'review', required_approvals: 1, protected_topics: [] },
      };
      return seal('policy', body, FOUNDER.person);
    }
    case 'erase': {
      const here = pick(reader.where('contents'), of)?.key;
      const other = pick(reader.where('contents'), also)?.key;
      if (here === undefined) return undefined;
      const seqs = also % 3 ? [Number(here)] : [Number(here), Number(other)];
      return erasureOf(eraser, seqs);
    }
  }
}
