import { byCodePoint, canonical } from '../base/canonical.ts';
import { hashParts } from '../base/hash.ts';
import type { ClaimType } from '../record/claim.ts';
import { normalised } from '../record/evidence.ts';
import {
  type ArtifactChangeBody,
  type EpisodeBody,
  type PolicyBody,
  type ProposalBody,
  promotionId,
} from '../record/governance.ts';
import {
  KNOWLEDGE_SPEC,
  type KnowledgeClaim,
  type KnowledgeEndorsement,
  type KnowledgeRetirement,
  type KnowledgeVerdict,
  type Scope,
} from '../record/knowledge.ts';
import type { Folding } from './folding.ts';
import type { ClaimRow, EndorsementRow, PolicyRow, PromotionRow } from './knowledge-rows.ts';
import type { Change, Reader } from './state.ts';

/** The key of a scope's policy: spaces and segments are any text, so they are kept apart as JSON. */
export function scopeKey({ space, segment }: Scope): string {
  return JSON.stringify([space, segment]);
}

/** How claims of a scope are promoted. */
export interface Policy {
  readonly mode: 'gates' | 'auto' | 'review';
  readonly requiredApprovals: number;
  readonly protectedTopics: readonly string[];
  readonly horizonSeconds: number | undefined;
  /** The record that set it; undefined for what holds where none was set. */
  readonly record: string | undefined;
  /** How many independent observations gates ask of a type, where that differs from the type's own. */
  readonly needs: Readonly<Partial<Record<ClaimType, number>>>;
  /** How far a challenger's independent count must come up to an incumbent's to contest it: 0 for any. */
  readonly contestRatio: number;
}

const PPM = 1_000_000;

const NO_POLICY: Omit<Policy, 'mode'> = {
  requiredApprovals: 1,
  protectedTopics: [],
  horizonSeconds: undefined,
  record: undefined,
  needs: {},
  contestRatio: 0,
};

/**
 * The policy that holds for claims of a specification in a scope. Where none was set, the fleet's own space has gates,
 * and so has a claim of our own anywhere; agent-knowledge in other spaces is accepted at once, as that format has it.
 */
export function policyOf(reader: Reader, scope: Scope, spec: string): Policy {
  const row: PolicyRow | undefined = reader.get('policies', scopeKey(scope));
  if (row) {
    return {
      mode: row.mode as Policy['mode'],
      requiredApprovals: row.required_approvals,
      protectedTopics: JSON.parse(row.protected_topics) as string[],
      horizonSeconds: row.horizon_seconds ?? undefined,
      record: row.record,
      needs: JSON.parse(row.needs) as Policy['needs'],
      contestRatio: row.contest_ratio_ppm / PPM,
    };
  }
  const isForeign = scope.space !== reader.get('fleet', 'fleet')?.fleet_id;
  const mode = isForeign && spec === KNOWLEDGE_SPEC ? 'auto' : 'gates';
  return { ...NO_POLICY, mode };
}

/** What an agent only supposes never leaves it, whatever a policy says. */
function isSupposed(claim: ClaimRow): boolean {
  return claim.claim_type === 'hypothesis';
}

/** What a promotion is when it opens. */
function opening(policy: Policy, claim: ClaimRow): 'pending' | 'accepted' {
  const isOpen = policy.mode === 'auto' && !isSupposed(claim) && !isProtected(policy, claim);
  return isOpen ? 'accepted' : 'pending';
}

function isProtected({ protectedTopics }: Policy, { topics }: ClaimRow): boolean {
  return (JSON.parse(topics) as string[]).some((topic) => protectedTopics.includes(topic));
}

/** A promotion, and its claim, which has the same outcome; once accepted, it supersedes what it says that it does. */
export function decided(reader: Reader, claim: ClaimRow, promotion: PromotionRow): Change[] {
  const { key, at, status, supersedes, promoted_at } = claim;
  const since = promoted_at ?? (status === 'accepted' ? at : null);
  const rows: Change[] = [
    { table: 'promotions', row: promotion },
    { table: 'claims', row: { ...claim, promoted_at: since } },
  ];
  const older =
    status === 'accepted' && supersedes !== null ? reader.get('claims', supersedes) : undefined;
  if (older) rows.push({ table: 'claims', row: { ...older, at, superseded_by: key } });
  return rows;
}

/** A claim, and the promotion that this attempt opens. */
export function promoted(folding: Folding, claim: ClaimRow, attempt: number): Change[] {
  const { reader, principal, at } = folding;
  const scope = { space: claim.space, segment: claim.segment };
  const { wasHeld } = folding;
  const status = wasHeld ? 'pending' : opening(policyOf(reader, scope, claim.spec), claim);
  const key = promotionId(claim.key, attempt);
  const promotion: PromotionRow = {
    key,
    at,
    claim: claim.key,
    attempt,
    proposer: principal,
    status,
    decided_at: status === 'pending' ? null : at,
    approvals: 0,
  };
  return decided(reader, { ...claim, at, status, promotion: key, attempt }, promotion);
}

/** A claim, and its first promotion. */
export function foldClaim(folding: Folding, body: KnowledgeClaim): Change[] {
  const { principal } = folding;
  return promoted(folding, claimRow(folding, body, { observed_by: principal }), 1);
}

/** What a claim is before its first promotion; `own` is what only claims of ours say. */
export function claimRow(
  { record, principal, at }: Folding,
  body: Omit<KnowledgeClaim, 'spec'> & { readonly spec: string },
  own: Pick<ClaimRow, 'observed_by'> &
    Partial<Pick<ClaimRow, 'claim_type' | 'subject' | 'fact' | 'resolves_at'>>,
): ClaimRow {
  const { claim_type = null, subject = '[]', fact = null, resolves_at = null, observed_by } = own;
  return {
    key: record.id,
    at,
    seq: at,
    spec: body.spec,
    space: body.scope.space,
    segment: body.scope.segment,
    kind: body.kind,
    statement: body.statement,
    topics: JSON.stringify(body.topics),
    refs: canonical(body.refs),
    episodes: JSON.stringify(body.episodes),
    author: body.author,
    principal,
    asserted_at: body.asserted_at,
    supersedes: body.supersedes,
    status: 'pending',
    promoted_at: null,
    against: '[]',
    independent: null,
    witnesses: '[]',
    joined_into: null,
    promotion: '',
    attempt: 0,
    retired: null,
    superseded_by: null,
    claim_type,
    subject,
    observed_by,
    fact,
    resolves_at,
    said: saidOf({ space: body.scope.space, claim_type, subject, statement: body.statement }),
  };
}

/** What tells two claims that say the same from two that do not: the exact words, but for white space. `subject` is JSON. */
export function saidOf(
  claim: Pick<ClaimRow, 'space' | 'claim_type' | 'subject' | 'statement'>,
): string {
  const { space, claim_type, subject, statement } = claim;
  return hashParts([space, claim_type ?? '', subject, normalised(statement)]);
}

/** The next attempt at a claim that was rejected. */
export function foldProposal(folding: Folding, body: ProposalBody): Change[] {
  const claim = folding.reader.get('claims', body.claim_id);
  return claim ? promoted(folding, claim, body.attempt) : [];
}

/** A position on a claim. */
export function foldEndorsement(folding: Folding, body: KnowledgeEndorsement): Change[] {
  const row = endorsementRow(folding, body, folding.principal);
  return [{ table: 'endorsements', row }];
}

/** A position, as taken by whom it is for. */
export function endorsementRow(
  { record, principal, at }: Folding,
  body: Omit<KnowledgeEndorsement, 'spec'>,
  observedBy: string,
): EndorsementRow {
  return {
    key: record.id,
    at,
    claim: body.claim_id,
    principal,
    author: body.author,
    verdict: body.verdict,
    basis: body.basis,
    episodes: JSON.stringify(body.episodes),
    issued_at: body.issued_at,
    observed_by: observedBy,
  };
}

/** A reviewer's verdict: one rejection rejects, enough approvals accept. What gates decide no verdict decides. */
export function foldVerdict(folding: Folding, body: KnowledgeVerdict): Change[] {
  const { reader, record, principal, at } = folding;
  const promotion = reader.get('promotions', body.promotion_id);
  const claim = promotion && reader.get('claims', promotion.claim);
  if (!promotion || !claim) return [];
  const verdict: Change = {
    table: 'verdicts',
    row: {
      key: `${promotion.key}\n${principal}`,
      at,
      record: record.id,
      promotion: promotion.key,
      principal,
      verdict: body.verdict,
      basis: body.basis,
      issued_at: body.issued_at,
    },
  };
  const approvals = promotion.approvals + (body.verdict === 'approve' ? 1 : 0);
  const policy = policyOf(reader, { space: claim.space, segment: claim.segment }, claim.spec);
  const status = isSupposed(claim) ? 'pending' : outcome(policy, body.verdict, approvals);
  const next = {
    ...promotion,
    at,
    approvals,
    status,
    decided_at: status === 'pending' ? null : at,
  };
  return [verdict, ...decided(reader, { ...claim, at, status }, next)];
}

function outcome(
  policy: Policy,
  verdict: 'approve' | 'reject',
  approvals: number,
): 'pending' | 'accepted' | 'rejected' {
  if (policy.mode === 'gates') return 'pending';
  if (verdict === 'reject') return 'rejected';
  return approvals >= policy.requiredApprovals ? 'accepted' : 'pending';
}

/** The author's withdrawal. */
export function foldRetirement({ reader, at }: Folding, body: KnowledgeRetirement): Change[] {
  const claim = reader.get('claims', body.claim_id);
  return claim ? [{ table: 'claims', row: { ...claim, at, retired: at } }] : [];
}

/** An episode as its observer tells it. */
export function foldEpisode({ principal, at }: Folding, body: EpisodeBody): Change[] {
  const row = {
    key: body.id,
    at,
    space: body.scope.space,
    segment: body.scope.segment,
    kind: body.kind,
    principal,
    content: body.content,
    refs: canonical(body.refs),
    occurred_at: body.occurred_at,
  };
  return [{ table: 'episodes', row }];
}

/** The policy of a scope from here on. */
export function foldPolicy({ record, at }: Folding, body: PolicyBody): Change[] {
  const row: PolicyRow = {
    key: scopeKey(body.scope),
    at,
    record: record.id,
    mode: body.mode,
    required_approvals: body.required_approvals,
    protected_topics: JSON.stringify([...body.protected_topics].sort(byCodePoint)),
    horizon_seconds: body.staleness_horizon_seconds ?? null,
    needs: canonical(body.needs ?? {}),
    contest_ratio_ppm: body.contest_ratio_ppm ?? 0,
  };
  return [{ table: 'policies', row }];
}

/** The latest change of an artifact, whichever came first. */
export function foldArtifactChange({ reader, at }: Folding, body: ArtifactChangeBody): Change[] {
  const key = JSON.stringify([body.space, body.uri]);
  const known = reader.get('artifacts', key);
  if (known && known.changed_at >= body.changed_at) return [];
  return [{ table: 'artifacts', row: { key, at, changed_at: body.changed_at } }];
}
