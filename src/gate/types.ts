import type { ClaimRow } from '../fold/knowledge-rows.ts';
import { isAdvice } from '../judge/advice.ts';
import type { ClaimType } from '../record/claim.ts';

const DAY_MS = 86_400_000;

/** What a type of claim needs to be promoted, and how long it lives. Source: design page 4, "Claim types". */
export interface TypeRule {
  /** How many independent observations it takes. */
  readonly needs: number;
  /** From the last independent corroboration on; undefined for what stays true, as an outcome does. */
  readonly livesMs: number | undefined;
}

const RULES: Readonly<Record<ClaimType, TypeRule>> = {
  environment: { needs: 1, livesMs: 30 * DAY_MS },
  outcome: { needs: 1, livesMs: undefined },
  convention: { needs: 2, livesMs: 180 * DAY_MS },
  preference: { needs: 1, livesMs: 365 * DAY_MS },
  hypothesis: { needs: 1, livesMs: 14 * DAY_MS },
};

/** The times to live that there are, in milliseconds. */
export const LIVES_MS: readonly number[] = Object.values(RULES).flatMap(
  ({ livesMs }) => livesMs ?? [],
);

/** So long a claim whose time is over is still shown, to be verified first, before it expires. Source: design page 6, "What agents are shown". */
export const GRACE_MS = 7 * DAY_MS;

/** What of a claim tells its type. */
export type Typed = Pick<ClaimRow, 'claim_type' | 'kind' | 'statement'>;

/**
 * The type that a claim is judged by: of one without a type, by its kind. What tells others what to do is a convention, whatever its
 * author calls it: one observation is enough for what is so, not for what ought to be. Source: design page 4, "Claim types"; decision 0043.
 */
export function typeOf(claim: Typed): ClaimType {
  return isMislabelled(claim) ? 'convention' : statedType(claim);
}

/** True for advice that is called a fact. */
export function isMislabelled(claim: Typed): boolean {
  const stated = statedType(claim);
  return (stated === 'environment' || stated === 'outcome') && isAdvice(claim.statement);
}

function statedType({ claim_type, kind }: Typed): ClaimType {
  if (claim_type !== null) return claim_type as ClaimType;
  return kind === 'procedural' ? 'convention' : 'environment';
}

/** What its type asks of a claim. */
export function ruleOfType(claim: Typed): TypeRule {
  return RULES[typeOf(claim)];
}
