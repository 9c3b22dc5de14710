import * as z from 'zod';
import { uuid8Of } from '../base/uuid.ts';
import { ClaimType } from './claim.ts';
import { ArtifactRef, ClaimId, Scope, Uuid } from './knowledge.ts';
import { bodyBase, InstantField, SignedText } from './record.ts';

/** A new attempt to have a rejected claim promoted, by its author. */
export const ProposalBody = z.strictObject({
  ...bodyBase,
  claim_id: ClaimId,
  attempt: z.int().min(2),
});
export type ProposalBody = z.infer<typeof ProposalBody>;

/** The id of a claim's promotion: derived, so that everyone who reviews an attempt names the same one. */
export function promotionId(claimId: string, attempt: number): string {
  return uuid8Of(`promotion\n${claimId}\n${attempt}`);
}

/** What an episode tells of. */
const EpisodeKind = z.enum(['observation', 'outcome', 'correction', 'surprise']);

/** An observation that claims may rest on: free text, under an id of the observer's choice. */
export const EpisodeBody = z.strictObject({
  ...bodyBase,
  id: Uuid,
  scope: Scope,
  kind: EpisodeKind,
  content: SignedText,
  refs: z.array(ArtifactRef),
  occurred_at: InstantField,
});
export type EpisodeBody = z.infer<typeof EpisodeBody>;

/** How claims of a scope are promoted. The newest of a scope holds, for what comes after it. */
export const PolicyBody = z.strictObject({
  ...bodyBase,
  scope: Scope,
  mode: z.enum(['gates', 'auto', 'review']),
  required_approvals: z.int().min(1).max(1000),
  protected_topics: z.array(z.string()),
  staleness_horizon_seconds: z.int().positive().optional(),
  /** How many independent observations gates ask of a type; what is absent is as its type has it. */
  needs: z.partialRecord(ClaimType, z.int().min(1).max(1000)).optional(),
  /** How far a challenger's independent count must come up to an incumbent's to contest it, in parts per million. */
  contest_ratio_ppm: z.int().min(0).max(10_000_000).optional(),
});
export type PolicyBody = z.infer<typeof PolicyBody>;

/** Says that an artifact changed: claims that refer to it are suspect until somebody meets them again. */
export const ArtifactChangeBody = z.strictObject({
  ...bodyBase,
  space: z.string().min(1),
  uri: z.string().min(1).max(4096),
  changed_at: InstantField,
});
export type ArtifactChangeBody = z.infer<typeof ArtifactChangeBody>;
