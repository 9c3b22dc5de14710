import * as z from 'zod';
import { byCodePoint } from '../base/canonical.ts';
import { InstantField, SignedText } from './record.ts';

/** The specification of agent-knowledge records. Its bodies keep their bytes for ever. */
export const KNOWLEDGE_SPEC = 'fg-agent-knowledge/v1';

const base = { spec: z.literal(KNOWLEDGE_SPEC), author: z.string() } as const;
/** The id of a claim: of its record, 64 hex digits. */
export const ClaimId = z.string().regex(/^[0-9a-f]{64}$/);
/** A UUID of any version, in small letters. */
export const Uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);

/** Where a claim wants to live: a space, and a segment that narrows it; `null` is all of the space. */
export const Scope = z.strictObject({
  space: z.string().min(1),
  segment: z.string().min(1).nullable(),
});
export type Scope = z.infer<typeof Scope>;

/** An artifact that a claim is about: what makes it suspect once it changes. */
export const ArtifactRef = z.strictObject({
  uri: z.string().min(1),
  kind: z.string().nullable(),
});
export type ArtifactRef = z.infer<typeof ArtifactRef>;

/** A file of a repo, as claims refer to it. */
export function repoUri(repo: string, path: string): string {
  return `repo://${repo}/${path}`;
}

/** Lower case, sorted, each once: topics that differ in these alone would make two claims of one. */
export function topicsOf(topics: readonly string[]): string[] {
  return [...new Set(topics.map((topic) => topic.toLowerCase()))].sort(byCodePoint);
}

/** True where {@link topicsOf} would change nothing. */
export function areTopics(topics: readonly string[]): boolean {
  return topics.every((topic, i) => {
    const before = topics[i - 1];
    const isNext = before === undefined || byCodePoint(before, topic) < 0;
    return isNext && topic.toLowerCase() === topic;
  });
}

const Topics = z.array(z.string()).refine(areTopics, 'topics in lower case, sorted, each once');

/** A signed statement. Never edited: a revision is another claim that supersedes it. */
export const KnowledgeClaim = z.strictObject({
  ...base,
  scope: Scope,
  kind: z.enum(['semantic', 'procedural', 'relational']),
  statement: SignedText.refine((text) => text.trim() !== '', 'a statement'),
  topics: Topics,
  refs: z.array(ArtifactRef),
  episodes: z.array(Uuid),
  asserted_at: InstantField,
  supersedes: ClaimId.nullable(),
});
export type KnowledgeClaim = z.infer<typeof KnowledgeClaim>;

/** A signed position on a claim. The latest of an identity is the one that stands. */
export const KnowledgeEndorsement = z.strictObject({
  ...base,
  claim_id: ClaimId,
  verdict: z.enum(['corroborate', 'contradict']),
  basis: SignedText,
  episodes: z.array(Uuid),
  issued_at: InstantField,
});
export type KnowledgeEndorsement = z.infer<typeof KnowledgeEndorsement>;

/** A reviewer's verdict on a promotion. */
export const KnowledgeVerdict = z.strictObject({
  ...base,
  promotion_id: Uuid,
  verdict: z.enum(['approve', 'reject']),
  basis: SignedText,
  issued_at: InstantField,
});
export type KnowledgeVerdict = z.infer<typeof KnowledgeVerdict>;

/** The author's own withdrawal of a claim. */
export const KnowledgeRetirement = z.strictObject({
  ...base,
  claim_id: ClaimId,
  reason: SignedText,
  issued_at: InstantField,
});
export type KnowledgeRetirement = z.infer<typeof KnowledgeRetirement>;
