import type { ClaimRow } from '../fold/knowledge-rows.ts';
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

/** So long a claim whose time is over is still shown, to be verified first, before it expires. Source: design page 6, "What agents are shown". */
export const GRACE_MS = 7 * DAY_MS;

/** The type that a claim is judged by: of one without a type, by its kind. Source: design page 4, "Claim types". */
export function typeOf({ claim_type, kind }: Pick<ClaimRow, 'claim_type' | 'kind'>): ClaimType {
  if (claim_type !== null) return claim_type as ClaimType;
  return kind === 'procedural' ? 'convention' : 'environment';
}

/** What its type asks of a claim. */
export function ruleOfType(claim: Pick<ClaimRow, 'claim_type' | 'kind'>): TypeRule {
  return RULES[typeOf(claim)];
}
