import type { ClaimRow } from '../fold/knowledge-rows.ts';
import type { Reader } from '../fold/state.ts';
import type { PairFound } from '../record/finding.ts';

/** What the judge said of a claim and another one; where it says two things, the graver. */
export interface Judged {
  readonly claim: string;
  readonly verdict: 'same' | 'contradicts' | 'unrelated';
  readonly finding: string;
}

/** The pairs of a claim, newest judgement first of each; `isSearched` once somebody looked for its neighbours. */
export interface Pairs {
  readonly judged: readonly Judged[];
  readonly isSearched: boolean;
}

/** It says the same only where it does both ways round; a contradiction in one is one. */
function verdictOf({ answer, reverse }: PairFound): Judged['verdict'] {
  if (answer === 'contradicts' || reverse === 'contradicts') return 'contradicts';
  return answer === 'same' && reverse === 'same' ? 'same' : 'unrelated';
}

/**
 * What the judge said of a claim and its neighbours: those that were looked for when it came, and those that came later and found it. Of a
 * pair that was judged twice the newest judgement holds. What a person ruled about a pair goes before: see {@link rulingsOn}.
 */
export function pairsOf(reader: Reader, claims: readonly ClaimRow[]): Pairs {
  const own = new Set(claims.map(({ key }) => key));
  const newest = new Map<string, Judged & { readonly at: number }>();
  let searched = 0;
  for (const { key, seq } of claims) {
    const rows = [
      ...reader.where('findings', 'subject', key),
      ...reader.where('pairs', 'claim', key).flatMap(({ finding }) => {
        const row = reader.get('findings', finding);
        return row ? [row] : [];
      }),
    ].filter(({ kind }) => kind === 'pair');
    if (rows.some(({ subject, searched: to }) => subject === key && (to ?? 0) >= seq))
      searched += 1;
    for (const row of rows) {
      for (const pair of JSON.parse(row.found) as PairFound[]) {
        const other = row.subject === key ? pair.claim_id : row.subject;
        if (own.has(other) || (row.subject !== key && pair.claim_id !== key)) continue;
        const known = newest.get(other);
        if (known && known.at >= row.at) continue;
        newest.set(other, { claim: other, verdict: verdictOf(pair), finding: row.key, at: row.at });
      }
    }
  }
  const judged = [...newest.values()].map(({ at: _, ...one }) => one);
  return { judged, isSearched: searched === claims.length };
}

/** What people ruled of a claim and others, the newest of each pair. */
export function rulingsOn(reader: Reader, claim: string): Map<string, string> {
  const rulings = new Map<string, string>();
  const rows = reader.where('settlements', 'claim', claim).sort((a, b) => a.at - b.at);
  for (const { claims, ruling } of rows)
    for (const other of JSON.parse(claims) as string[])
      if (other !== claim) rulings.set(other, ruling);
  return rulings;
}
