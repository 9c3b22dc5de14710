import { type ClaimBody, type EndorsementBody, isEmpty, kindOf } from '../../record/claim.ts';
import { type Citation, episodeIds } from '../../record/evidence.ts';
import type { MemoryBody } from '../../record/memory.ts';
import type { LedgerView, Principal } from '../port.ts';
import { supersessionRefusal } from './knowledge.ts';

/*
 * What the ledger takes of claims that rest on evidence. Whether the evidence says what they say is for the gate: it can
 * read findings of those who read the sessions.
 */

/** Who accepted what a person accepted. */
const HUMAN = 'human';

/** An agent speaks for itself; whoever extracts, for the agents of its operator; a reviewer for what people accepted. */
function maySpeakFor(observedBy: string, author: Principal, view: LedgerView): boolean {
  const { principal, kind, operator, roles } = author;
  if (observedBy === principal) return true;
  if (observedBy === HUMAN) return kind === 'person' && roles.includes('review');
  const isOwn = view.keysOf(observedBy).some((key) => key.operator === operator);
  return roles.includes('extract') && isOwn;
}

/** Episodes are the citations' own: what a reader is told a claim rests on is what can be opened. */
function evidenceRefusal(body: {
  readonly evidence: readonly Citation[];
  readonly episodes: readonly string[];
}): string | undefined {
  const derived = JSON.stringify(episodeIds(body.evidence));
  return derived === JSON.stringify(body.episodes) ? undefined : 'evidence.episodes';
}

function spanRefusal({ fact, claim_type, resolves_at }: ClaimBody): string | undefined {
  if (resolves_at !== undefined && claim_type !== 'hypothesis') return 'claim.resolves_at';
  return fact && isEmpty(fact) ? 'fact.span' : undefined;
}

/** Whether an author may say it, of its own space, and every field follows from the others as it should. */
export function ownClaimRefusal(
  body: ClaimBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  const speaks = author.roles.some((role) => role === 'propose' || role === 'extract');
  if (!speaks && body.observed_by !== HUMAN) return 'claim.role';
  if (!maySpeakFor(body.observed_by, author, view)) return 'claim.observed_by';
  if (body.scope.space !== view.fleet()?.id) return 'scope.space';
  if (body.kind !== kindOf(body)) return 'claim.kind';
  return spanRefusal(body) ?? evidenceRefusal(body) ?? supersessionRefusal(body, author, view);
}

/** A position with evidence, on a claim of the fleet's own space. */
export function ownEndorsementRefusal(
  body: EndorsementBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  const speaks = author.roles.some((role) => role === 'propose' || role === 'extract');
  if (!speaks && body.observed_by !== HUMAN) return 'endorsement.role';
  if (!maySpeakFor(body.observed_by, author, view)) return 'endorsement.observed_by';
  const claim = view.claim(body.claim_id);
  if (!claim) return 'claim.unknown';
  if (claim.space !== view.fleet()?.id) return 'scope.crossed';
  return evidenceRefusal(body);
}

/** Whoever may propose keeps what they like, for themselves or for more; nobody puts it before another agent alone. */
export function memoryRefusal(
  { observed_by, scope, facts }: MemoryBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (!author.roles.includes('propose') && author.kind !== 'person') return 'memory.role';
  if (observed_by !== author.principal) return 'memory.observed_by';
  if (scope.space !== view.fleet()?.id) return 'scope.space';
  const isAnothers =
    scope.segment?.startsWith('agent:') && scope.segment !== `agent:${observed_by}`;
  if (isAnothers) return 'memory.segment';
  return facts.some(isEmpty) ? 'fact.span' : undefined;
}

/** When what was observed was observed. */
export const observedAt = ({ evidence }: { readonly evidence: readonly Citation[] }) =>
  evidence.map(({ observed_at }) => observed_at);
