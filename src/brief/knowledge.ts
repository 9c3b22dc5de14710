import { byCodePoint } from '../base/canonical.ts';
import { CredenceError } from '../base/errors.ts';
import type { Standing } from '../fold/standing.ts';
import type { Retrievable, Retriever, Sought } from '../query/retriever.ts';

/** Default horizon of freshness: 7 days. */
const HORIZON_SECONDS = 604_800;
/** How many claims a briefing has unless more are asked for. */
export const LIMIT_DEFAULT = 12;
/** What a shared reference adds to relevance. Source: the reference's parameters. */
const REF_BONUS = 2;

/** A claim that a briefing may hold, with its standing at the moment of the briefing. */
export interface Candidate extends Retrievable, Standing {
  readonly refs: readonly { readonly uri: string }[];
}

/** What a briefing is asked for. */
export interface BriefQuery extends Sought {
  readonly refs: readonly string[];
  readonly limit?: number | undefined;
}

/** One line of a briefing. */
export interface BriefedClaim extends Standing {
  readonly claim_id: string;
  readonly score: number;
  /** It is shown although it is suspect, or staler than the horizon: look before relying on it. */
  readonly verify_first: boolean;
}

/** What the assembly of a briefing answers. `conflicts` are the briefed claims that anyone contradicts. */
export interface Briefed {
  readonly items: readonly BriefedClaim[];
  readonly conflicts: readonly string[];
}

/** What a retriever that anybody may bring says: a number that is none would put a claim before all others, or nowhere. */
function relevant(id: string, given: number): number {
  if (typeof given === 'number' && given >= 0 && given <= 1) return given;
  throw new CredenceError(
    'incorrect',
    'retriever.relevance',
    `the retriever says ${given} of claim ${id}`,
    { next: 'answer with numbers from 0 to 1', data: { claim: id } },
  );
}

/** Relevance of each candidate that the query does not drop, the bonus for a shared reference included. */
async function relevanceOf(
  query: BriefQuery,
  candidates: readonly Candidate[],
  retriever: Retriever,
): Promise<ReadonlyMap<string, number>> {
  const found = await retriever.search(query, candidates);
  const wanted = new Set(query.refs);
  const relevance = new Map<string, number>();
  for (const { id, refs } of candidates) {
    const shares = refs.some(({ uri }) => wanted.has(uri));
    const base = found ? relevant(id, found.get(id) ?? 0) : wanted.size === 0 ? 1 : 0;
    if (base > 0 || shares) relevance.set(id, base + (shares ? REF_BONUS : 0));
  }
  return relevance;
}

/**
 * Assembles a briefing without a model: score = relevance × confidence × horizon / (horizon + staleness), the best
 * first, equal ones by id. Candidates are those that the scope shows: accepted, neither retired nor superseded. Rejects as
 * the retriever does, and with `retriever.relevance` for what is no relevance.
 */
export async function assemble(
  query: BriefQuery,
  candidates: readonly Candidate[],
  retriever: Retriever,
  horizonSeconds: number = HORIZON_SECONDS,
): Promise<Briefed> {
  const relevance = await relevanceOf(query, candidates, retriever);
  const items = ranked(candidates, relevance, horizonSeconds).slice(
    0,
    query.limit ?? LIMIT_DEFAULT,
  );
  return {
    items,
    conflicts: items
      .filter((item) => item.contradictions > 0)
      .map((item) => item.claim_id)
      .sort(byCodePoint),
  };
}

/**
 * Ranks for a reader who asks nothing: by trust alone, with the bonus for what refers to one of `refs`, which here drop
 * none. Source: design page 6, "What agents are shown".
 */
export function rankByTrust(
  candidates: readonly Candidate[],
  refs: readonly string[],
  horizonSeconds: number = HORIZON_SECONDS,
): BriefedClaim[] {
  const wanted = new Set(refs);
  const bonus = (candidate: Candidate) =>
    candidate.refs.some(({ uri }) => wanted.has(uri)) ? REF_BONUS : 0;
  const relevance = new Map(candidates.map((one) => [one.id, 1 + bonus(one)]));
  return ranked(candidates, relevance, horizonSeconds);
}

/** True for what is to be looked at before it is relied on: what it is about changed, or nobody met it for long. */
export function needsVerifying(
  { suspect, staleness_seconds }: Pick<Standing, 'suspect' | 'staleness_seconds'>,
  horizonSeconds: number = HORIZON_SECONDS,
): boolean {
  return suspect || staleness_seconds > horizonSeconds;
}

/** The candidates that have a relevance, by their score, the best first. */
export function ranked(
  candidates: readonly Candidate[],
  relevance: ReadonlyMap<string, number>,
  horizonSeconds: number = HORIZON_SECONDS,
): BriefedClaim[] {
  return candidates
    .flatMap(({ id, confidence, staleness_seconds, suspect, corroborations, contradictions }) => {
      const relevant = relevance.get(id);
      if (relevant === undefined) return [];
      const damping = horizonSeconds / (horizonSeconds + staleness_seconds);
      return [
        {
          claim_id: id,
          confidence,
          staleness_seconds,
          suspect,
          corroborations,
          contradictions,
          score: relevant * confidence * damping,
          verify_first: needsVerifying({ suspect, staleness_seconds }, horizonSeconds),
        },
      ];
    })
    .sort((a, b) => b.score - a.score || byCodePoint(a.claim_id, b.claim_id));
}
