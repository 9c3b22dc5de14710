import * as z from 'zod';
import { byCodePoint } from '../base/canonical.ts';
import { Evidence } from './evidence.ts';
import { KnowledgeClaim, KnowledgeEndorsement } from './knowledge.ts';
import { InstantField, SignedText, SPEC } from './record.ts';

/** What a claim is of, which decides how it is promoted and how long it lives. Source: the seed on the claim model. */
export const ClaimType = z.enum([
  'environment',
  'convention',
  'outcome',
  'preference',
  'hypothesis',
]);
export type ClaimType = z.infer<typeof ClaimType>;

/** Entities are named shortly, and few at a time. */
const NAME_LENGTH_MAX = 256;
const SUBJECTS_MAX = 32;

/** Names of entities, sorted, each once. */
export function subjectOf(names: readonly string[]): string[] {
  const known = names.map((name) => name.normalize('NFC').replaceAll(/\s+/gu, ' ').trim());
  return [...new Set(known.filter((name) => name !== ''))].sort(byCodePoint);
}

const Subject = z
  .array(z.string().max(NAME_LENGTH_MAX))
  .max(SUBJECTS_MAX)
  .refine(
    (names) => JSON.stringify(names) === JSON.stringify(subjectOf(names)),
    'names of entities, sorted, each once',
  );

/** What a claim says of one thing, for a span of time: what can be asked for as of a moment. */
export const Fact = z.strictObject({
  subject: z.string().min(1).max(NAME_LENGTH_MAX),
  predicate: z.string().min(1).max(NAME_LENGTH_MAX),
  /** Decimals travel as strings. */
  value: z.union([SignedText, z.boolean(), z.int(), z.null()]),
  /** Half-open; an end that is absent is open. */
  valid_from: InstantField.optional(),
  valid_until: InstantField.optional(),
  cardinality: z.enum(['one', 'many']),
});
export type Fact = z.infer<typeof Fact>;

/** True of a span that holds at no instant: it ends where it starts, or before. An end that is absent is open. */
export function isEmpty({
  valid_from: from,
  valid_until: until,
}: {
  readonly valid_from?: string | undefined;
  readonly valid_until?: string | undefined;
}): boolean {
  return from !== undefined && until !== undefined && from >= until;
}

/** Whom an agent or a person speaks for: a principal's name, or `human`. */
const ObservedBy = z.string().min(1).max(NAME_LENGTH_MAX);

/** A claim of ours: agent-knowledge's, with its type, what it is about, who observed it, and the evidence that it rests on. */
export const ClaimBody = KnowledgeClaim.extend({
  spec: z.literal(SPEC),
  claim_type: ClaimType,
  subject: Subject,
  observed_by: ObservedBy,
  evidence: Evidence.min(1),
  fact: Fact.optional(),
  /** By when a hypothesis is to be answered. */
  resolves_at: InstantField.optional(),
  /** 16 random bytes in hex: the same words said twice are two observations. */
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
});
export type ClaimBody = z.infer<typeof ClaimBody>;

/** A position on a claim, with what its author saw. */
export const EndorsementBody = KnowledgeEndorsement.extend({
  spec: z.literal(SPEC),
  observed_by: ObservedBy,
  evidence: Evidence,
});
export type EndorsementBody = z.infer<typeof EndorsementBody>;

/** The kind by which agent-knowledge knows a claim. Source: design page 6, "Claim body". */
export function kindOf({
  claim_type,
  fact,
}: Pick<ClaimBody, 'claim_type' | 'fact'>): KnowledgeClaim['kind'] {
  if (fact) return 'relational';
  return claim_type === 'convention' || claim_type === 'preference' ? 'procedural' : 'semantic';
}
