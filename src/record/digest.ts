import * as z from 'zod';
import { canonical } from '../base/canonical.ts';

const Count = z.int().nonnegative();

/** An exit code that is not known is `?`, and `?` is never success. */
const Exit = z.union([z.int(), z.literal('?')]);

/**
 * What a session was, derived from its captured events by arithmetic alone. Every list is sorted, so that the
 * same events give the same bytes. Source: docs/formats/digest.md.
 */
export const Digest = z.strictObject({
  version: z.literal(1),
  /** The first prompt and the last reply, cut: the only free text in a digest, and untrusted. */
  asked: z.string().optional(),
  replied: z.string().optional(),
  outcome: z.enum(['clean', 'error', 'abandoned']),
  prompts: Count,
  /** Prompts that got an answer. */
  turns: Count,
  /** Responses of the model, each counted once however many lines report it. */
  responses: Count,
  tool_calls: Count,
  tool_errors: Count,
  /** Real work: at least one edit or three tool calls. */
  worked: z.boolean(),
  files: z.array(z.strictObject({ path: z.string(), reads: Count, edits: Count })),
  commands: z.array(
    z.strictObject({ command: z.string(), runs: Count, failed: Count, exit: Exit }),
  ),
  tests: z.array(z.strictObject({ command: z.string(), runs: Count, failed: Count, exit: Exit })),
  commits: z.array(z.strictObject({ sha: z.string(), subject: z.string() })),
  git_sha_before: z.string().optional(),
  git_sha_after: z.string().optional(),
  branch: z.string().optional(),
  duration_ms: Count,
  tokens: z.strictObject({ input: Count, output: Count, cache_read: Count, cache_write: Count }),
  models: z.array(z.string()),
  cost_usd_micros: Count.optional(),
  compactions: Count,
  friction: z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('repeated_failure'), command: z.string(), count: Count }),
      z.strictObject({ kind: z.literal('repeated_edit'), path: z.string(), count: Count }),
      z.strictObject({ kind: z.literal('abandoned_after_failures'), count: Count }),
    ]),
  ),
  coverage: z.strictObject({ captured: Count, known: Count }).optional(),
  /** How many items each list lost to the size limit. */
  omitted: z.record(z.string(), Count).optional(),
});
export type Digest = z.infer<typeof Digest>;

let last: { readonly digest: Digest; readonly text: string } | undefined;

/** The canonical text of a digest. Whoever judges a session by its size folds its text next: the last one is kept. */
export function digestText(digest: Digest): string {
  if (last?.digest !== digest) last = { digest, text: canonical(digest) };
  return last.text;
}
