import { isEmpty } from '../../record/claim.ts';
import type { DecisionBody } from '../../record/decision.ts';
import { type ScoreBody, scorePpm } from '../../record/score.ts';
import type { SettlementBody } from '../../record/settlement.ts';
import type { TrustBody } from '../../record/trust.ts';
import type { KnownClaim, LedgerView, Principal } from '../port.ts';

/*
 * What the ledger takes of gates, and of people who settle what gates leave. Whether a decision is the one that the state
 * before it gives is for whoever replays it: `verify --replay`.
 */

/** The claims that a decision speaks of beside its own. */
function othersIn(body: DecisionBody): readonly string[] {
  switch (body.kind) {
    case 'contested':
      return body.against;
    case 'superseded':
      return [body.by];
    case 'joined':
      return [body.into];
    case 'settled':
      return [body.in, ...(body.out === undefined ? [] : [body.out])];
    default:
      return [];
  }
}

/** Claims that are ruled on together are of one space, and in the ledger. */
function togetherRefusal(ids: readonly string[], view: LedgerView): string | undefined {
  const claims: KnownClaim[] = [];
  for (const id of ids) {
    const claim = view.claim(id);
    if (claim) claims.push(claim);
    else if (!view.mayBeErased()) return 'claim.unknown';
  }
  return new Set(claims.map(({ space }) => space)).size > 1 ? 'scope.crossed' : undefined;
}

/**
 * Something became of the claim since: a person settled it, its author took it back, or another gate decided. And what follows a
 * decision that was refused may rest on it.
 */
function isStale({ claim_id, basis, after }: DecisionBody, view: LedgerView): boolean {
  const before = after === undefined ? null : view.outcomeOf(after);
  if (before === undefined ? !view.mayBeErased() : before !== null) return true;
  const changed = view.claim(claim_id)?.changed ?? 0;
  if (changed <= basis) return false;
  const last = view.decided(claim_id);
  return !(last && last.at === changed && last.basis === basis);
}

/** By whoever holds the gate's role. A hypothesis is promoted by nobody, whatever was found for it. */
export function decisionRefusal(
  body: DecisionBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (!author.roles.includes('gate')) return 'decision.role';
  const { claim_id, kind, findings } = body;
  const code = togetherRefusal([claim_id, ...othersIn(body)], view);
  if (code !== undefined) return code;
  if (isStale(body, view)) return 'decision.stale';
  const isOnlySupposed = view.claim(claim_id)?.claim_type === 'hypothesis';
  if (kind === 'promoted' && isOnlySupposed) return 'decision.hypothesis';
  // A claim that is settled against can be the current one; it says nothing of itself in any other way.
  if (kind !== 'settled' && othersIn(body).includes(claim_id)) return 'decision.itself';
  const areFound = view.mayBeErased() || findings.every((id) => view.isFound(id));
  return areFound ? undefined : 'finding.unknown';
}

/** Each hypothesis is scored once, for the agent whose it is, and its totals go on from those before. */
export function scoreRefusal(
  body: ScoreBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (!author.roles.includes('gate')) return 'score.role';
  const { agent, claim_id, outcome_id, result, totals } = body;
  if ((result === 'expired') !== (outcome_id === undefined)) return 'score.outcome';
  const code = togetherRefusal([claim_id, ...(outcome_id === undefined ? [] : [outcome_id])], view);
  if (code !== undefined) return code;
  const hypothesis = view.claim(claim_id);
  if (hypothesis && hypothesis.claim_type !== 'hypothesis') return 'score.hypothesis';
  if (hypothesis && hypothesis.observed_by !== agent) return 'score.agent';
  if (view.isScored(claim_id)) return 'score.repeated';
  const before = view.totals(agent);
  const expected = { ...before, [result]: before[result] + 1 };
  const follows = (['correct', 'incorrect', 'expired'] as const).every(
    (name) => totals[name] === expected[name],
  );
  if (!follows) return 'score.totals';
  return body.score_ppm === scorePpm(totals) ? undefined : 'score.value';
}

/** Which fields of a ruling go together. */
function formRefusal({ claims, ruling, spans = [] }: SettlementBody): string | undefined {
  const needs = ruling === 'both_hold' || ruling === 'split' ? 2 : 1;
  if (claims.length < needs || new Set(claims).size < claims.length) return 'settlement.claims';
  const areTheirs = spans.every(({ claim_id }) => claims.includes(claim_id));
  if (spans.length > 0 && !(ruling === 'both_hold' && areTheirs)) return 'settlement.spans';
  return spans.some(isEmpty) ? 'settlement.span' : undefined;
}

/** By a person who reviews, and who authored none of them: an agent that settles would be a gate of its own. */
export function settlementRefusal(
  body: SettlementBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (author.kind !== 'person' || !author.roles.includes('review')) return 'settlement.role';
  const code = formRefusal(body) ?? togetherRefusal(body.claims, view);
  if (code !== undefined) return code;
  const isOwn = body.claims.some((id) => view.claim(id)?.principal === author.principal);
  return isOwn ? 'settlement.own' : undefined;
}

/** An admin's word. */
export function trustRefusal(body: TrustBody, author: Principal): string | undefined {
  if (body.weight_ppm === undefined && body.status === undefined) return 'trust.empty';
  return author.roles.includes('admin') ? undefined : 'trust.role';
}
