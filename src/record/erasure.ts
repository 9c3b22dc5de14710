import * as z from 'zod';
import { bodyBase, SignedText } from './record.ts';

/**
 * The contexts whose records can be erased: those that hold what somebody said. Never what the fleet is made of
 * (membership, policies, rejections, erasures), nor session records, whose parts would have to be rewritten with them.
 */
export const ERASABLE: ReadonlySet<string> = new Set([
  'claim',
  'endorsement',
  'verdict',
  'retirement',
  'proposal',
  'finding',
  'decision',
  'episode',
  'handoff',
  'artifact-change',
  'bundle-import',
]);

/** The most positions that one erasure names: a body is read and judged whole. */
const ENTRIES_MAX = 10_000;
/** A claim with a fact leaves three; an import of a bundle as many for each record that it carries. */
const TOMBSTONES_MAX = 4 * ENTRIES_MAX;

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/** In ascending order, each once, so that what is erased has one spelling. */
function isAscending<T>(items: readonly T[], key: (item: T) => number | string): boolean {
  return items.every((item, i) => {
    const before = items[i - 1];
    return before === undefined || key(before) < key(item);
  });
}

/**
 * Erases the records of entries: of each its commitment is kept, and nothing else. `context` says what stood there, for
 * the certificate, since nothing else can once it is gone. `tombstones` are HMACs under the fleet's secret, by which a
 * copy that comes back is known.
 */
export const ErasureBody = z.strictObject({
  ...bodyBase,
  entries: z
    .array(
      z.strictObject({
        seq: z.int().positive(),
        commitment: Hash,
        context: z.string().regex(/^[a-z][a-z-]{0,31}$/),
      }),
    )
    .min(1)
    .max(ENTRIES_MAX)
    .refine((entries) => isAscending(entries, ({ seq }) => seq), 'positions in order, each once'),
  reason: SignedText,
  tombstones: z
    .array(Hash)
    .max(TOMBSTONES_MAX)
    .refine((hashes) => isAscending(hashes, (hash) => hash), 'hashes in order, each once'),
});
export type ErasureBody = z.infer<typeof ErasureBody>;
