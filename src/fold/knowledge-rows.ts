import type { Columns, Keyed } from './row.ts';

/** What became of a claim; retirement and supersession stand beside it. */
export type ClaimState = 'pending' | 'accepted' | 'rejected' | 'contested' | 'expired' | 'joined';

/**
 * key: the claim id. `seq` is where its entry stands, `principal` who its author was there, `promotion` its newest
 * attempt; `retired` is the position of that, `superseded_by` the accepted claim that says so. Lists are JSON.
 */
export interface ClaimRow extends Keyed {
  readonly seq: number;
  readonly spec: string;
  readonly space: string;
  /** Where it lives now: where it was asserted, until a promotion lifts it. */
  readonly segment: string | null;
  readonly kind: string;
  readonly statement: string;
  readonly topics: string;
  readonly refs: string;
  readonly episodes: string;
  readonly author: string;
  readonly principal: string;
  readonly asserted_at: string;
  readonly supersedes: string | null;
  readonly status: ClaimState;
  /** The position of its first promotion by a gate, a person or a policy; null where it never was. */
  readonly promoted_at: number | null;
  /** The claims that it is contested with. */
  readonly against: string;
  /** How many independent observations the last decision found for it; null where gates decided nothing. */
  readonly independent: number | null;
  /** JSON: the agents whose those observations are, as far as the decision names their sessions. */
  readonly witnesses: string;
  /** The claim that says the same, whose standing is its standing. */
  readonly joined_into: string | null;
  readonly promotion: string;
  readonly attempt: number;
  readonly retired: number | null;
  readonly superseded_by: string | null;
  /** Null for a claim of agent-knowledge, which has no type. */
  readonly claim_type: string | null;
  readonly subject: string;
  /** The agent that observed it, or `human`; of a claim of agent-knowledge its author's principal. */
  readonly observed_by: string;
  readonly fact: string | null;
  readonly resolves_at: string | null;
  /** The hash of what it says, whoever says it: space, type, subject and the normalised statement. */
  readonly said: string;
}

/** key: the promotion id. `decided_at` is the position that decided it. */
export interface PromotionRow extends Keyed {
  readonly claim: string;
  readonly attempt: number;
  readonly proposer: string;
  readonly status: 'pending' | 'accepted' | 'rejected';
  readonly decided_at: number | null;
  readonly approvals: number;
}

/** key: `<promotion>\n<principal>`. */
export interface VerdictRow extends Keyed {
  readonly record: string;
  readonly promotion: string;
  readonly principal: string;
  readonly verdict: string;
  readonly basis: string;
  readonly issued_at: string;
}

/** key: the record id. Every position that was ever taken; which one stands is derived. */
export interface EndorsementRow extends Keyed {
  readonly claim: string;
  readonly principal: string;
  readonly author: string;
  readonly verdict: string;
  readonly basis: string;
  readonly episodes: string;
  readonly issued_at: string;
  readonly observed_by: string;
}

/** key: `<record id>\n<episode id>`. A message of a session that a claim, or a position on it, rests on. */
export interface CitationRow extends Keyed {
  readonly claim: string;
  /** The claim itself, or an endorsement of it. */
  readonly record: string;
  readonly verdict: string;
  readonly observed_by: string;
  readonly episode: string;
  readonly session: string;
  readonly message: string;
  /** `<start>-<end>`, or null for all of the message. */
  readonly range: string | null;
  readonly excerpt_hash: string;
  readonly observed_at: string;
}

/** key: the episode id. */
export interface EpisodeRow extends Keyed {
  readonly space: string;
  readonly segment: string | null;
  readonly kind: string;
  readonly principal: string;
  readonly content: string;
  readonly refs: string;
  readonly occurred_at: string;
}

/** key: `[space, segment]` as JSON. */
export interface PolicyRow extends Keyed {
  readonly record: string;
  readonly mode: string;
  readonly required_approvals: number;
  readonly protected_topics: string;
  readonly horizon_seconds: number | null;
  /** JSON: how many independent observations its gates ask of a type, where that differs. */
  readonly needs: string;
  readonly contest_ratio_ppm: number;
}

/** key: `[space, uri]` as JSON. The latest change that was told of. */
export interface ArtifactRow extends Keyed {
  readonly changed_at: string;
}

/** The tables of claims, and of what is said about them. */
export interface KnowledgeTables {
  readonly claims: ClaimRow;
  readonly promotions: PromotionRow;
  readonly verdicts: VerdictRow;
  readonly endorsements: EndorsementRow;
  readonly citations: CitationRow;
  readonly episodes: EpisodeRow;
  readonly policies: PolicyRow;
  readonly artifacts: ArtifactRow;
}

/** Their columns. */
export const KNOWLEDGE_COLUMNS: {
  readonly [T in keyof KnowledgeTables]: Columns<KnowledgeTables[T]>;
} = {
  claims: {
    columns: [
      'seq',
      'spec',
      'space',
      'segment',
      'kind',
      'statement',
      'topics',
      'refs',
      'episodes',
      'author',
      'principal',
      'asserted_at',
      'supersedes',
      'status',
      'promoted_at',
      'against',
      'independent',
      'witnesses',
      'joined_into',
      'promotion',
      'attempt',
      'retired',
      'superseded_by',
      'claim_type',
      'subject',
      'observed_by',
      'fact',
      'resolves_at',
      'said',
    ],
    indexed: ['space', 'said', 'status', 'joined_into', 'subject'],
  },
  promotions: {
    columns: ['claim', 'attempt', 'proposer', 'status', 'decided_at', 'approvals'],
    indexed: ['claim', 'status'],
  },
  verdicts: {
    columns: ['record', 'promotion', 'principal', 'verdict', 'basis', 'issued_at'],
    indexed: ['promotion'],
  },
  endorsements: {
    columns: [
      'claim',
      'principal',
      'author',
      'verdict',
      'basis',
      'episodes',
      'issued_at',
      'observed_by',
    ],
    indexed: ['claim'],
  },
  citations: {
    columns: [
      'claim',
      'record',
      'verdict',
      'observed_by',
      'episode',
      'session',
      'message',
      'range',
      'excerpt_hash',
      'observed_at',
    ],
    indexed: ['claim', 'session', 'episode'],
  },
  episodes: {
    columns: ['space', 'segment', 'kind', 'principal', 'content', 'refs', 'occurred_at'],
    indexed: [],
  },
  policies: {
    columns: [
      'record',
      'mode',
      'required_approvals',
      'protected_topics',
      'horizon_seconds',
      'needs',
      'contest_ratio_ppm',
    ],
    indexed: [],
  },
  artifacts: { columns: ['changed_at'], indexed: [] },
};
