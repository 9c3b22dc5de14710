import * as z from 'zod';
import { ClaimId } from './knowledge.ts';
import { bodyBase } from './record.ts';

/** So many predictions of no weight are counted with every record: three right answers are no proof. */
const PSEUDO_COUNT = 12;
const PPM = 1_000_000;

/** Predictions that were answered, and those that never were. */
export interface Totals {
  readonly correct: number;
  readonly incorrect: number;
  readonly expired: number;
}

/** The track record of somebody whose predictions nobody has answered. */
export const NO_TOTALS: Totals = { correct: 0, incorrect: 0, expired: 0 };

/**
 * The Brier-style score of a track record in parts per million, 0 for always right: (12·0.5 + Σ loss) / (12 + n), the loss of a
 * wrong answer 1, of a right one 0, rounded half up. What nobody answered is not counted. Source: design page 6, "Calibration".
 */
export function scorePpm({ correct, incorrect }: Totals): number {
  const losses = PSEUDO_COUNT * 0.5 + incorrect;
  return Math.floor((losses * PPM) / (PSEUDO_COUNT + correct + incorrect) + 0.5);
}

const Count = z.int().nonnegative();

/** How one hypothesis came out, and its agent's totals with it. */
export const ScoreBody = z.strictObject({
  ...bodyBase,
  /** Whose: the `observed_by` of the hypothesis. */
  agent: z.string().min(1).max(256),
  /** The hypothesis. */
  claim_id: ClaimId,
  /** The outcome that answered it; absent where its date passed without one. */
  outcome_id: ClaimId.optional(),
  result: z.enum(['correct', 'incorrect', 'expired']),
  totals: z.strictObject({ correct: Count, incorrect: Count, expired: Count }),
  score_ppm: z.int().min(0).max(PPM),
});
export type ScoreBody = z.infer<typeof ScoreBody>;
