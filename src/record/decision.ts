import * as z from 'zod';
import { ClaimId } from './knowledge.ts';
import { bodyBase, SignedName } from './record.ts';

/** Claims and sessions that a reason names; more are counted, not named. */
const NAMED_MAX = 64;
/** A decision rests on what was found for a claim, its positions and their sessions. */
const FINDINGS_MAX = 4_096;

/**
 * What one gate said. `reason` is a code; `has` and `needs` are the numbers of a threshold, and `names` the claims, sessions
 * or principals that the reason is about.
 */
const GateSaid = z.strictObject({
  gate: z.enum([
    'quarantine',
    'evidence',
    'contradiction',
    'provenance',
    'independence',
    'arbitration',
  ]),
  outcome: z.enum(['passed', 'failed', 'waits']),
  reason: z.string().regex(/^[a-z][a-z_.]{0,63}$/),
  has: z.int().nonnegative().optional(),
  needs: z.int().nonnegative().optional(),
  names: z.array(SignedName).max(NAMED_MAX).optional(),
});
export type GateSaid = z.infer<typeof GateSaid>;

const decided = {
  ...bodyBase,
  claim_id: ClaimId,
  /** The position of the ledger from whose state it was decided, with what was decided from there before it. */
  basis: z.int().positive(),
  /** The decision that the same run of the gate made before this one; absent in its first. What refuses that one refuses this. */
  after: ClaimId.optional(),
  /** The record of the policy that held; absent where none was set. */
  policy: ClaimId.optional(),
  /** The version of the gate that decided: only the same one must decide the same again. */
  gate_version: SignedName.min(1),
  /** What every gate said, in their order, also behind one that failed. */
  gates: z.array(GateSaid).max(8),
  /** The findings that it rests on, by record id. */
  findings: z.array(ClaimId).max(FINDINGS_MAX),
} as const;

/** Names a value that holds for a span: the current one of a key is what is settled. */
const FactKey = z.strictObject({
  segment: z.string().min(1).nullable(),
  subject: z.string().min(1).max(256),
  predicate: z.string().min(1).max(256),
});

/**
 * What the gate settles of a claim, with its reasons. Source: design page 6, "Which entry says what".
 *
 * `candidate`: it waits, or a gate failed. `promoted`: it holds, in `segment`. `contested`: it and those `against` it wait
 * for a person. `superseded`: `by` holds in its place. `expired`: its time to live is over. `joined`: it says what `into`
 * says. `settled`: of a fact's key, `in` is the current value from here on, and `out` was, if
 * there was one.
 */
export const DecisionBody = z.discriminatedUnion('kind', [
  z.strictObject({ ...decided, kind: z.literal('candidate') }),
  z.strictObject({
    ...decided,
    kind: z.literal('promoted'),
    segment: z.string().min(1).nullable(),
  }),
  z.strictObject({
    ...decided,
    kind: z.literal('contested'),
    against: z.array(ClaimId).max(NAMED_MAX),
  }),
  z.strictObject({ ...decided, kind: z.literal('superseded'), by: ClaimId }),
  z.strictObject({ ...decided, kind: z.literal('expired') }),
  z.strictObject({ ...decided, kind: z.literal('joined'), into: ClaimId }),
  z.strictObject({
    ...decided,
    kind: z.literal('settled'),
    key: FactKey,
    in: ClaimId,
    out: ClaimId.optional(),
    rule: z.string().regex(/^[a-z][a-z_]{0,63}$/),
  }),
]);
export type DecisionBody = z.infer<typeof DecisionBody>;
