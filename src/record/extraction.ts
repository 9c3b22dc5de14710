import * as z from 'zod';
import { bodyBase, SignedName, SignedText } from './record.ts';

const Count = z.int().nonnegative();

/**
 * How far the extraction of a sealed revision has come, so that no two machines pay for the same. `started`: somebody is at
 * it; `submitted`: a batch of a provider has it, under `batch_id`; `done`; `failed`: free for another try, as is one that
 * was not finished within a day. Source: design page 6, "sync and maint".
 */
export const ExtractionBody = z.strictObject({
  ...bodyBase,
  session: z.string().min(1).max(256),
  revision: z.int().positive(),
  /** Which extractor, with its version and model: another one may find more. */
  extractor: SignedName.min(1),
  state: z.enum(['started', 'submitted', 'done', 'failed']),
  batch_id: SignedName.min(1).optional(),
  spend_usd_micros: Count.optional(),
  /** Claims that it gave, and those that were dropped since a citation did not resolve or their form was wrong. */
  drafts: Count.optional(),
  dropped: Count.optional(),
  error: SignedText.optional(),
});
export type ExtractionBody = z.infer<typeof ExtractionBody>;
