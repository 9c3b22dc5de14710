import * as z from 'zod';
import { ClaimId } from './knowledge.ts';
import { bodyBase, InstantField, SignedText } from './record.ts';

/** A dispute that a person can read. */
const CLAIMS_MAX = 32;

/** When a claim holds: half-open, an end that is absent is open. */
const HeldSpan = z.strictObject({
  claim_id: ClaimId,
  valid_from: InstantField.optional(),
  valid_until: InstantField.optional(),
});

/**
 * A person's ruling on a dispute. The first claim is the one that it is about. `keep`: it holds, and the others are
 * rejected. `reject`: all of them are rejected. `both_hold`: they don't contradict each other, each in its span where
 * `spans` says one. `split`: it does not say what the others say. Source: design page 6, "Settlement".
 */
export const SettlementBody = z.strictObject({
  ...bodyBase,
  claims: z.array(ClaimId).min(1).max(CLAIMS_MAX),
  ruling: z.enum(['keep', 'reject', 'both_hold', 'split']),
  spans: z.array(HeldSpan).max(CLAIMS_MAX).optional(),
  reason: SignedText,
});
export type SettlementBody = z.infer<typeof SettlementBody>;
