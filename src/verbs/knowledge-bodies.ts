import type { Instant } from '../base/time.ts';
import { defined } from '../base/unknown.ts';
import { uuid4 } from '../base/uuid.ts';
import type { EpisodeBody, PolicyBody, ProposalBody } from '../record/governance.ts';
import {
  KNOWLEDGE_SPEC,
  type KnowledgeClaim,
  type KnowledgeEndorsement,
  type KnowledgeRetirement,
  type KnowledgeVerdict,
  type Scope,
  topicsOf,
} from '../record/knowledge.ts';
import { SPEC } from '../record/record.ts';

/*
 * What callers say, and the bodies that it is signed as.
 */

/** What is observed. */
export interface Observation {
  readonly scope: Scope;
  readonly kind: EpisodeBody['kind'];
  readonly content: string;
  readonly refs?: EpisodeBody['refs'];
  readonly occurredAt?: Instant;
}

/** What is claimed. */
export interface Proposition {
  readonly scope: Scope;
  readonly kind: KnowledgeClaim['kind'];
  readonly statement: string;
  readonly topics?: readonly string[];
  readonly refs?: KnowledgeClaim['refs'];
  readonly episodes?: readonly string[];
  readonly assertedAt?: Instant;
  readonly supersedes?: string | null;
}

/** What of a policy a caller sets. */
export interface PolicyWish {
  readonly mode: PolicyBody['mode'];
  readonly required_approvals?: number;
  readonly protected_topics?: readonly string[];
  readonly staleness_horizon_seconds?: number;
}

/** A position on a claim. */
export type Position = Pick<KnowledgeEndorsement, 'verdict' | 'basis'> &
  Partial<Pick<KnowledgeEndorsement, 'episodes' | 'issued_at'>>;

/** What a briefing is asked for. */
export interface BriefWish {
  readonly task?: string;
  readonly topics?: readonly string[];
  readonly refs?: readonly string[];
  readonly limit?: number;
}

/** Who says something, and when. */
interface Said {
  readonly author: string;
  readonly now: Instant;
}

/** `random` are 16 bytes, for the id. */
export function episodeBody(
  seen: Observation,
  { author, now }: Said,
  random: Uint8Array,
): EpisodeBody {
  return {
    spec: SPEC,
    author,
    issued_at: now,
    id: uuid4(random),
    scope: seen.scope,
    kind: seen.kind,
    content: seen.content,
    refs: [...(seen.refs ?? [])],
    occurred_at: seen.occurredAt ?? now,
  };
}

/** A claim of agent-knowledge, as it is signed. */
export function claimBody(claim: Proposition, { author, now }: Said): KnowledgeClaim {
  return {
    spec: KNOWLEDGE_SPEC,
    scope: claim.scope,
    kind: claim.kind,
    statement: claim.statement,
    topics: topicsOf(claim.topics ?? []),
    refs: [...(claim.refs ?? [])],
    episodes: [...(claim.episodes ?? [])],
    author,
    asserted_at: claim.assertedAt ?? now,
    supersedes: claim.supersedes ?? null,
  };
}

/** A new attempt at a claim that was rejected. */
export function proposalBody(claim: string, attempt: number, { author, now }: Said): ProposalBody {
  return { spec: SPEC, author, issued_at: now, claim_id: claim, attempt };
}

/** A verdict on a promotion. */
export function verdictBody(
  promotion: string,
  verdict: KnowledgeVerdict['verdict'],
  basis: string,
  { author, now }: Said,
): KnowledgeVerdict {
  return { spec: KNOWLEDGE_SPEC, promotion_id: promotion, verdict, basis, author, issued_at: now };
}

/** A position on a claim. */
export function endorsementBody(
  claim: string,
  { verdict, basis, episodes = [], issued_at }: Position,
  { author, now }: Said,
): KnowledgeEndorsement {
  return {
    spec: KNOWLEDGE_SPEC,
    claim_id: claim,
    verdict,
    basis,
    episodes,
    author,
    issued_at: issued_at ?? now,
  };
}

/** The withdrawal of a claim. */
export function retirementBody(
  claim: string,
  reason: string,
  { author, now }: Said,
): KnowledgeRetirement {
  return { spec: KNOWLEDGE_SPEC, claim_id: claim, reason, author, issued_at: now };
}

/** How claims of a scope are promoted. */
export function policyBody(scope: Scope, wish: PolicyWish, { author, now }: Said): PolicyBody {
  return {
    spec: SPEC,
    author,
    issued_at: now,
    scope,
    mode: wish.mode,
    required_approvals: wish.required_approvals ?? 1,
    protected_topics: topicsOf(wish.protected_topics ?? []),
    ...defined({ staleness_horizon_seconds: wish.staleness_horizon_seconds }),
  };
}
