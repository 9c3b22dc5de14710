import type { SqlValue } from '../snapshot/port.ts';
import type { ClaimView } from './claims.ts';

/*
 * Which claims an agent may read where agents read at all: what was promoted for all, or for it; and its own, whatever
 * became of them, but for what it withdrew. A person reads everything.
 */

/** True for a claim of the fleet `space` that this agent may read. */
export function mayRead(claim: ClaimView, agent: string, space: string): boolean {
  if (claim.scope.space !== space) return false;
  const { segment } = claim.scope;
  if (claim.status === 'candidate') return claim.observedBy === agent;
  if (!isShown(claim) || claim.claimType === 'hypothesis') return false;
  return segment?.startsWith('agent:') !== true || segment === `agent:${agent}`;
}

/** True for what holds, and for what held until something contested it: that is shown with what speaks against it. */
export function isShown({ status, wasPromoted }: ClaimView): boolean {
  return status === 'promoted' || (status === 'contested' && wasPromoted);
}

/** The same over the rows of `claims`, as a condition with its values. */
export function readableBy(agent: string): { readonly sql: string; readonly params: SqlValue[] } {
  return {
    sql: `space = (SELECT fleet_id FROM fleet) AND retired IS NULL AND superseded_by IS NULL AND (
      (status = 'pending' AND observed_by = ?) OR
      ((status = 'accepted' OR (status = 'contested' AND promoted_at IS NOT NULL)) AND claim_type IS NOT 'hypothesis' AND
       (segment IS NULL OR segment NOT GLOB 'agent:*' OR segment = ?)))`,
    params: [agent, `agent:${agent}`],
  };
}
