import { lastDecision } from '../fold/belief.ts';
import { policyOf } from '../fold/knowledge.ts';
import type { Reader } from '../fold/state.ts';
import type { Fact } from '../record/claim.ts';
import type { GateSaid } from '../record/decision.ts';
import { KNOWLEDGE_SPEC } from '../record/knowledge.ts';
import { SPEC } from '../record/record.ts';
import type { ClaimView } from './claims.ts';

/** A message that a claim, or a position on it, rests on. `range` are bytes of the message, half-open. */
export interface CitationView {
  readonly record: string;
  readonly verdict: string;
  readonly session: string;
  readonly message: string;
  readonly range: { readonly start: number; readonly end: number } | undefined;
  readonly excerptHash: string;
  readonly observedAt: string;
}

/** A position that was taken on a claim; `stands` where its identity took no later one. */
export interface PositionView {
  readonly id: string;
  readonly observedBy: string;
  readonly verdict: string;
  readonly basis: string;
  readonly issuedAt: string;
  readonly stands: boolean;
}

/** One attempt to have a claim promoted, with what reviewers said. */
export interface AttemptView {
  readonly id: string;
  readonly attempt: number;
  readonly proposer: string;
  readonly status: 'pending' | 'accepted' | 'rejected';
  readonly approvals: number;
  readonly verdicts: readonly {
    readonly by: string;
    readonly verdict: string;
    readonly basis: string;
    readonly issuedAt: string;
  }[];
}

/** How claims of a scope are promoted. */
export interface PolicyView {
  readonly mode: 'gates' | 'auto' | 'review';
  readonly requiredApprovals: number;
}

/** What gates decided on a claim, as the ledger has it. */
export interface DecisionView {
  readonly id: string;
  readonly kind: string;
  readonly issuedAt: string;
  readonly gates: readonly GateSaid[];
  readonly findings: readonly string[];
}

/** All that is known of a claim beside its standing. */
export interface ClaimDetail {
  readonly citations: readonly CitationView[];
  readonly positions: readonly PositionView[];
  readonly attempts: readonly AttemptView[];
  /** What gates said of it last; undefined where none has yet. */
  readonly decision: DecisionView | undefined;
  readonly policy: PolicyView;
  readonly supersededBy: string | undefined;
  readonly fact: Fact | undefined;
  readonly resolvesAt: string | undefined;
  /** The latest changes of what it refers to, as far as any was told. */
  readonly changes: readonly { readonly uri: string; readonly changedAt: string }[];
  /** Why a candidate is one; empty for what is no candidate. */
  readonly waits: readonly Wait[];
}

/** What a candidate waits for. */
export type Wait =
  | { readonly for: 'seal'; readonly sessions: readonly string[] }
  | { readonly for: 'review'; readonly approvals: number; readonly required: number }
  | { readonly for: 'gates' }
  | { readonly for: 'nothing' };

const byInstant = <T extends { readonly observedAt: string }>(a: T, b: T) =>
  a.observedAt < b.observedAt ? -1 : a.observedAt > b.observedAt ? 1 : 0;

function citationsOf(reader: Reader, claim: string): CitationView[] {
  return reader
    .where('citations', 'claim', claim)
    .map(({ record, verdict, session, message, range, excerpt_hash, observed_at }) => {
      const [start = 0, end = 0] = (range ?? '').split('-').map(Number);
      return {
        record,
        verdict,
        session,
        message,
        range: range === null ? undefined : { start, end },
        excerptHash: excerpt_hash,
        observedAt: observed_at,
      };
    })
    .sort(byInstant);
}

/** In the order of the ledger. */
function positionsOf(reader: Reader, claim: string): PositionView[] {
  const rows = reader.where('endorsements', 'claim', claim).sort((a, b) => a.at - b.at);
  const latest = new Map<string, { readonly key: string; readonly issued_at: string }>();
  for (const row of rows) {
    const known = latest.get(row.observed_by);
    if (!known || known.issued_at <= row.issued_at) latest.set(row.observed_by, row);
  }
  return rows.map(({ key, observed_by, verdict, basis, issued_at }) => ({
    id: key,
    observedBy: observed_by,
    verdict,
    basis,
    issuedAt: issued_at,
    stands: latest.get(observed_by)?.key === key,
  }));
}

function attemptsOf(reader: Reader, claim: string): AttemptView[] {
  return reader
    .where('promotions', 'claim', claim)
    .sort((a, b) => a.attempt - b.attempt)
    .map(({ key, attempt, proposer, status, approvals }) => ({
      id: key,
      attempt,
      proposer,
      status,
      approvals,
      verdicts: reader
        .where('verdicts', 'promotion', key)
        .sort((a, b) => a.at - b.at)
        .map(({ principal, verdict, basis, issued_at }) => {
          return { by: principal, verdict, basis, issuedAt: issued_at };
        }),
    }));
}

function decisionOn(reader: Reader, claim: string): DecisionView | undefined {
  const row = lastDecision(reader, claim);
  if (!row) return undefined;
  const { key: id, kind, issued_at: issuedAt, gates, findings } = row;
  return { id, kind, issuedAt, gates: JSON.parse(gates), findings: JSON.parse(findings) };
}

/** How a claim is promoted where it wants to live. */
function policyFor(reader: Reader, { scope, claimType }: ClaimView): PolicyView {
  // Only claims of ours have a type.
  const spec = claimType === undefined ? KNOWLEDGE_SPEC : SPEC;
  const { mode, requiredApprovals } = policyOf(reader, scope, spec);
  return { mode, requiredApprovals };
}

/** True where a verdict decides on a claim: gates ask for one of a preference, and of nothing else; what an agent only supposes stays that. */
export function verdictDecides(reader: Reader, claim: ClaimView): boolean {
  if (claim.claimType === 'hypothesis') return false;
  return claim.claimType === 'preference' || policyFor(reader, claim).mode !== 'gates';
}

function waitsOf(
  reader: Reader,
  claim: ClaimView,
  citations: readonly CitationView[],
  approvals: number,
): Wait[] {
  if (claim.status !== 'candidate') return [];
  const cited = citations.filter(({ record }) => record === claim.id);
  const sessions = [...new Set(cited.map(({ session }) => session))];
  const unsealed = sessions.filter((session) => reader.get('sessions', session) === undefined);
  const { mode, requiredApprovals: required } = policyFor(reader, claim);
  return [
    ...(unsealed.length > 0 ? [{ for: 'seal' as const, sessions: unsealed }] : []),
    claim.claimType === 'hypothesis'
      ? { for: 'nothing' }
      : mode === 'gates'
        ? { for: 'gates' }
        : { for: 'review', approvals, required },
  ];
}

/** All that a state has about a claim. */
export function detailOf(reader: Reader, claim: ClaimView): ClaimDetail {
  const row = reader.get('claims', claim.id);
  const citations = citationsOf(reader, claim.id);
  const attempts = attemptsOf(reader, claim.id);
  return {
    citations,
    positions: positionsOf(reader, claim.id),
    attempts,
    decision: decisionOn(reader, claim.id),
    policy: policyFor(reader, claim),
    supersededBy: row?.superseded_by ?? undefined,
    fact: row?.fact ? (JSON.parse(row.fact) as Fact) : undefined,
    resolvesAt: row?.resolves_at ?? undefined,
    changes: claim.refs.flatMap(({ uri }) => {
      const change = reader.get('artifacts', JSON.stringify([claim.scope.space, uri]));
      return change ? [{ uri, changedAt: change.changed_at }] : [];
    }),
    waits: waitsOf(reader, claim, citations, attempts.at(-1)?.approvals ?? 0),
  };
}
