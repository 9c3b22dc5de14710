import type { Sql } from './port.ts';
import { queryTerms } from './tokens.ts';

/*
 * A query of many words is looked up by those that say most: the rarest. To rank what fits, FTS5 reads every document of every
 * term, and a sentence has words that half of all documents have.
 */

/** How many documents the terms of a query have together at most, as often as a document has several of them. */
export const POSTINGS_MAX = 2_000;

/** Up to how many documents each term is counted at first, and how much further each time. */
const COUNTED_FIRST = 256;
const FURTHER = 8;

/**
 * The rarest of the terms, in order of rarity and then as they stood, whose documents together are at most `bound`; the rarest in any
 * case. `countTo` answers how many documents a term has, or `most` where it has more: it is asked for no more than the choice needs.
 */
export function rarestOf(
  terms: readonly string[],
  bound: number,
  countTo: (term: string, most: number) => number,
): string[] {
  if (terms.length < 2) return [...terms];
  const kept: string[] = [];
  let open = terms;
  let spent = 0;
  let most = COUNTED_FIRST;
  while (open.length > 0) {
    const counted = open.map((term) => ({ term, count: countTo(term, most) }));
    const known = counted.filter(({ count }) => count < most).sort((a, b) => a.count - b.count);
    for (const { term, count } of known) {
      if (kept.length > 0 && spent + count > bound) return kept;
      kept.push(term);
      spent += count;
    }
    open = counted.filter(({ count }) => count >= most).map(({ term }) => term);
    // All that are left have so many at least.
    if (kept.length > 0 && spent + most > bound) return kept;
    most = kept.length > 0 ? Math.min(most * FURTHER, bound - spent + 1) : most * FURTHER;
  }
  return kept;
}

const countIn = (sql: Sql) => (term: string, most: number) =>
  Number(
    sql.get(
      'SELECT count(*) AS n FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ?)',
      term,
      most,
    )?.['n'],
  );

/**
 * What `look` finds for a query: by all its terms where they have no more than `POSTINGS_MAX` documents together, else by the
 * rarest; and by more of them, up to all, until it has found `limit`. So nothing is missed but for something with a rarer term.
 */
export function lookUp<T>(
  sql: Sql,
  query: string,
  limit: number,
  look: (expression: string) => T[],
): T[] {
  const terms = queryTerms(query);
  let found: T[] = [];
  let looked = 0;
  for (let bound = POSTINGS_MAX; looked < terms.length && found.length < limit; bound *= FURTHER) {
    const kept = rarestOf(terms, bound, countIn(sql));
    if (kept.length === looked) continue;
    looked = kept.length;
    // As they stood: the order in which scores are summed is not to depend on what was counted.
    found = look(terms.filter((term) => kept.includes(term)).join(' OR '));
  }
  return found;
}
