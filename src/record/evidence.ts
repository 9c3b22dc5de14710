import * as z from 'zod';
import { byCodePoint, canonical } from '../base/canonical.ts';
import { sha256Hex } from '../base/hash.ts';
import { uuid8Of } from '../base/uuid.ts';
import { InstantField, SignedName } from './record.ts';

/** Evidence of one record: more than a session's worth of citations is no evidence, but a copy. */
const CITATIONS_MAX = 64;

/**
 * A message of a captured session, as it was redacted and kept. `range` narrows it to some of its bytes, from `start` up
 * to `end`. The hash and the instant are computed from the capture, never taken from whoever cites.
 */
export const Citation = z.strictObject({
  session_id: z.string().min(1).max(256),
  message_id: SignedName.min(1),
  range: z
    .strictObject({ start: z.int().nonnegative(), end: z.int().positive() })
    .refine(({ start, end }) => start < end, 'a range that holds something')
    .optional(),
  excerpt_hash: z.string().regex(/^[0-9a-f]{64}$/),
  observed_at: InstantField,
});
export type Citation = z.infer<typeof Citation>;

/** What a claim, or a position on one, rests on. */
export const Evidence = z.array(Citation).max(CITATIONS_MAX);

/** The id of the episode that a citation is: a UUID of version 8 of its hash, so that the same citation is the same episode. */
export function episodeIdOf(citation: Citation): string {
  return uuid8Of(canonical(citation));
}

/** The ids of what is cited, sorted, each once: a body that has evidence names these as its episodes, and no other. */
export function episodeIds(evidence: readonly Citation[]): string[] {
  return [...new Set(evidence.map(episodeIdOf))].sort(byCodePoint);
}

/** Words of printable ASCII with single spaces between them: nothing about them is to be normalised. */
const NORMAL = /^[!-~]+(?: [!-~]+)*$/;

/** A text as it is compared: in NFC, its white space as single spaces, none around it. */
export function normalised(text: string): string {
  return NORMAL.test(text) ? text : text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
}

/** The hash of an excerpt: the SHA-256 of its normalised text. Equal ones are one source. */
export function excerptHash(excerpt: string): string {
  return sha256Hex(normalised(excerpt));
}
