import { CredenceError } from '../base/errors.ts';
import { toMs } from '../base/time.ts';

/** What a contradiction weighs against a corroboration. Source: the seed on agent-knowledge, "Confidence ⊥ Staleness". */
const CONTRADICTION_WEIGHT = 2;

/** One endorsement as standing reads it, in the order of the ledger. `identity` is the principal, not the key. */
export interface Position {
  readonly identity: string;
  readonly verdict: 'corroborate' | 'contradict';
  readonly issued_at: string;
}

/** What of a claim standing reads. */
export interface StandingClaim {
  readonly asserted_at: string;
  readonly refs: readonly { readonly uri: string }[];
  /** What the independent observations that gates found for it weigh: then these corroborate it, and no position by itself. */
  readonly independent?: number | undefined;
}

/** What is derived for a claim at a moment, never stored as true. */
export interface Standing {
  /** 0 to 1: was this ever true. */
  readonly confidence: number;
  /** Whole seconds since somebody last met it and agreed, its author's assertion included. */
  readonly staleness_seconds: number;
  /** An artifact that it refers to changed since. */
  readonly suspect: boolean;
  readonly corroborations: number;
  readonly contradictions: number;
}

/** How much an identity's word counts: 0 for not at all, 1 for everyone where nothing else is known. Never negative, always finite. */
export type SourceWeight = (identity: string) => number;

/** With another number a confidence would be none, or one that grows by being contradicted. */
function weightOf(identity: string, weight: SourceWeight): number {
  const given = weight(identity);
  if (typeof given === 'number' && given >= 0 && Number.isFinite(given)) return given;
  throw new CredenceError('incorrect', 'weight.invalid', `${identity} can't weigh ${given}`, {
    next: 'give each identity a finite number, 0 or more',
    data: { identity },
  });
}

/**
 * Derives a claim's standing at `now` (ms). `changedAt` gives the latest change of an artifact by its URI, if any.
 * confidence = (1 + c) / (2 + c + 2·d), c and d the weights of the distinct identities whose latest position (ties: the
 * later stored) corroborates or contradicts; the author is one of them. Where gates decide, c is what they counted. Staleness runs from the latest corroboration of
 * all, a position that was given up included. Source: the seed on agent-knowledge, and its reference implementation.
 * Throws `weight.invalid` for a weight that is negative or not finite.
 */
export function standingOf(
  claim: StandingClaim,
  positions: readonly Position[],
  changedAt: (uri: string) => string | undefined,
  now: number,
  weight: SourceWeight = () => 1,
): Standing {
  const latest = new Map<string, Position>();
  let metAt = toMs(claim.asserted_at);
  for (const position of positions) {
    const at = toMs(position.issued_at);
    if (position.verdict === 'corroborate') metAt = Math.max(metAt, at);
    const known = latest.get(position.identity);
    if (!known || toMs(known.issued_at) <= at) latest.set(position.identity, position);
  }
  const by = (verdict: Position['verdict']) =>
    [...latest.values()].filter((one) => one.verdict === verdict);
  const sum = (ones: readonly Position[]) =>
    ones.reduce((total, one) => total + weightOf(one.identity, weight), 0);
  const [pro, contra] = [by('corroborate'), by('contradict')];
  const c = claim.independent ?? sum(pro);
  return {
    confidence: (1 + c) / (2 + c + CONTRADICTION_WEIGHT * sum(contra)),
    staleness_seconds: Math.max(0, Math.floor((now - metAt) / 1000)),
    suspect: claim.refs.some(({ uri }) => {
      const changed = changedAt(uri);
      return changed !== undefined && toMs(changed) > metAt;
    }),
    corroborations: pro.length,
    contradictions: contra.length,
  };
}
