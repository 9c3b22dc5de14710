import * as z from 'zod';
import { bodyBase, SignedText } from './record.ts';

/**
 * An admin's word on a principal: how much its facts weigh in arbitration, and whether what it says is held back. What is
 * absent stays as it was. `principal` is a name, an address, or `token:<name>`; it need not be known yet.
 */
export const TrustBody = z.strictObject({
  ...bodyBase,
  principal: z.string().min(1).max(256),
  weight_ppm: z.int().min(0).max(1_000_000).optional(),
  status: z.enum(['active', 'quarantined']).optional(),
  reason: SignedText.optional(),
});
export type TrustBody = z.infer<typeof TrustBody>;
