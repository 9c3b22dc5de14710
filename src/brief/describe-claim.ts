import type { ClaimView } from '../query/claims.ts';
import type { Reach } from '../query/claims-for.ts';
import { duration } from './describe.ts';
import { safeId, safeName, sanitise } from './sanitise.ts';

const AGENT_BYTES_MAX = 40;
const STATEMENT_BYTES_MAX = 360;
const HUMAN = 'human';

const SCOPES: Readonly<Record<Reach | 'elsewhere', string>> = {
  own: 'your own candidate, not promoted',
  agent: 'agent scope',
  repo: 'repo scope',
  fleet: 'fleet scope',
  elsewhere: 'of another repo',
};

/** Who observed a claim, as it is printed. An address is as long as a line: its beginning tells keys apart. */
export function observer({ observedBy }: Pick<ClaimView, 'observedBy'>): string {
  if (observedBy === HUMAN) return 'a person';
  return observedBy.startsWith('amp:key:')
    ? safeId(observedBy, 18)
    : safeName(observedBy, AGENT_BYTES_MAX);
}

/** `2 sessions`; a claim of agent-knowledge cites none. */
export function support({
  evidenceCount,
  independentCount: independent = 0,
}: Pick<ClaimView, 'evidenceCount' | 'independentCount'>): string {
  if (independent > 1) return `${independent} independent sessions`;
  if (evidenceCount === 0) return 'no session cited';
  return evidenceCount === 1 ? '1 session' : `${evidenceCount} sessions`;
}

/** What a reader has to know before it relies on a claim, the gravest first. */
export function caveats(claim: ClaimView, verifyFirst: boolean): string[] {
  const { contradictions, suspect, staleness_seconds: stale } = claim;
  const why = suspect
    ? 'SUSPECT: a file that it is about changed since'
    : verifyFirst
      ? `last met ${duration(stale * 1_000)} ago`
      : '';
  return [
    ...(claim.status === 'contested' ? ['CONTESTED'] : []),
    ...(contradictions > 0 ? [`CONTRADICTED by ${contradictions}`] : []),
    ...(why === '' ? [] : [why]),
    ...(verifyFirst ? ['verify first'] : []),
  ];
}

/**
 * One claim on one line: who, when, where it holds, how many sessions it rests on, how far it is to be trusted, and what
 * speaks against it. Never flattened: two claims are two lines, and each names its source.
 */
export function describeClaim(
  claim: ClaimView,
  as: { readonly reach: Reach | 'elsewhere'; readonly verifyFirst: boolean; readonly id: string },
): string {
  const facts = [
    observer(claim),
    claim.assertedAt.slice(0, 10),
    SCOPES[as.reach],
    support(claim),
    `conf ${claim.confidence.toFixed(2)}`,
    claim.claimType ?? sanitise(claim.kind, 20),
    ...caveats(claim, as.verifyFirst),
  ];
  return `- [${facts.join(', ')}] (${as.id}) ${sanitise(claim.statement, STATEMENT_BYTES_MAX)}`;
}
