import * as z from 'zod';
import { LIMIT } from '../base/limits.ts';
import { ClaimId, Uuid } from './knowledge.ts';
import { bodyBase, SignedName } from './record.ts';

/** As many as one record cites, each found once. */
const EXCERPTS_MAX = 64;
/** A search for neighbours that gives more has found a topic, not a pair. */
const PAIRS_MAX = 256;

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const SessionId = z.string().min(1).max(256);

/**
 * One citation, looked up in the sealed revision of its session. `resolved`: the message is there, at that instant, and its
 * excerpt has the hash that is cited; `differs`: it is there and something of it is not so; `missing`: it is not there.
 */
const ExcerptFound = z.strictObject({
  /** The id of the citation. */
  episode: Uuid,
  session: SessionId,
  revision: z.int().positive(),
  state: z.enum(['resolved', 'differs', 'missing']),
  /** Where its message stands in the session, counted from 0; absent where it is missing. */
  position: z.int().nonnegative().optional(),
  /** The hash of what was read there. */
  excerpt_hash: Hash.optional(),
  /** What the excerpt was read from, and at which revision of it: equal ones are one source. */
  artifact: z
    .strictObject({ uri: z.string().min(1).max(4096), revision: z.string().min(1).max(256) })
    .optional(),
});
export type ExcerptFound = z.infer<typeof ExcerptFound>;

/** One thing that was before a session, from its `position` on. */
const ExposureFound = z.strictObject({
  kind: z.enum(['claim', 'handoff', 'digest', 'memory', 'fact']),
  id: SignedName.min(1),
  position: z.int().nonnegative(),
  channel: z.enum(['briefing', 'tool', 'file', 'prompt', 'parent']),
  matched: z.enum(['lineage', 'fence', 'shingles']),
});
export type ExposureFound = z.infer<typeof ExposureFound>;

/** What the judge says of a pair: once as asked, once the other way round. */
const PairAnswer = z.enum(['same', 'contradicts', 'unrelated']);

/** What the judge says of a claim and another one, both ways round. */
const PairFound = z.strictObject({ claim_id: ClaimId, answer: PairAnswer, reverse: PairAnswer });
/** What the judge says of a claim and another one, both ways round. */
export type PairFound = z.infer<typeof PairFound>;

/** Who judged: a judge of another version may answer otherwise. */
const Judge = z.strictObject({ name: SignedName.min(1), version: SignedName.min(1) });

/**
 * What decisions rest on and the ledger does not hold, told by somebody who could read it: sessions, or a model's answer.
 * One says all that was found for one claim or session, so that an empty list says that nothing was. Source: design page
 * 2, "Findings and replay".
 */
export const FindingBody = z.discriminatedUnion('kind', [
  z.strictObject({
    ...bodyBase,
    kind: z.literal('excerpt'),
    claim_id: ClaimId,
    /** The record whose citations these are: the claim itself, or a position on it. */
    record_id: ClaimId,
    excerpts: z.array(ExcerptFound).min(1).max(EXCERPTS_MAX),
  }),
  z.strictObject({
    ...bodyBase,
    kind: z.literal('exposure'),
    session: SessionId,
    revision: z.int().positive(),
    /** The position of the ledger up to which what could have been met was looked for. */
    searched: z.int().nonnegative(),
    exposures: z.array(ExposureFound).max(LIMIT.record_items_max),
  }),
  z.strictObject({
    ...bodyBase,
    kind: z.literal('pair'),
    claim_id: ClaimId,
    /** The position of the ledger up to which neighbours were looked for. */
    searched: z.int().nonnegative(),
    judge: Judge,
    pairs: z.array(PairFound).max(PAIRS_MAX),
    /** The hash of what was asked, where a model answered: the same question need not be paid for twice. */
    asked_hash: Hash.optional(),
  }),
]);
export type FindingBody = z.infer<typeof FindingBody>;
