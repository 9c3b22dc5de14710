import * as z from 'zod';
import { LIMIT } from '../base/limits.ts';
import { Digest } from './digest.ts';
import { bodyBase, InstantField, SignedName, SignedText } from './record.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/** One thing that a session had in front of it, with where it came from. */
export const LineageItem = z.strictObject({
  kind: z.enum(['claim', 'handoff', 'digest']),
  id: SignedName,
  source: SignedName,
  observed_by: SignedName,
});
export type LineageItem = z.infer<typeof LineageItem>;

/** One sealed revision of a session: its parts by hash, its digest, and all that had been put before it. */
export const SessionBody = z.strictObject({
  ...bodyBase,
  session: z.string().min(1).max(256),
  parent: SignedName.optional(),
  agent: SignedName,
  runtime: SignedName,
  host: SignedName,
  /** As captured; absent where the folder was gone when it was imported. */
  repo: SignedText.optional(),
  cwd: SignedText.optional(),
  revision: z.int().positive(),
  window: z.strictObject({ first: InstantField, last: InstantField }),
  parts: z
    .array(z.strictObject({ key: z.string().max(1_024), hash: Hash }))
    .min(1)
    .max(LIMIT.record_items_max),
  lineage: z.array(LineageItem).max(LIMIT.record_items_max),
  digest: Digest,
  imported: z.literal(true).optional(),
});
export type SessionBody = z.infer<typeof SessionBody>;

/** An agent's own note at the end of its work. A note, never a belief. */
export const HandoffBody = z.strictObject({
  ...bodyBase,
  session: z.string().min(1).max(256),
  agent: SignedName,
  runtime: SignedName,
  host: SignedName,
  repo: SignedText.optional(),
  status: z.enum(['done', 'partial', 'blocked']),
  summary: SignedText,
  next: SignedText.optional(),
});
export type HandoffBody = z.infer<typeof HandoffBody>;
