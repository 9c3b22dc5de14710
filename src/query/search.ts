import type { DocumentKind } from '../snapshot/document.ts';
import type { Sql, SqlValue } from '../snapshot/port.ts';
import { lookUp } from '../snapshot/rarest.ts';
import { readableBy } from './readable.ts';

/** What a query found. `score` is the rank of BM25: larger fits better. */
export interface Hit {
  readonly kind: DocumentKind;
  readonly id: string;
  readonly repo: string | undefined;
  readonly score: number;
}

/** Which claims are looked through: all, none, or those that an agent may read. */
export type ClaimsSought = 'all' | 'none' | { readonly agent: string };

/** The condition on documents, and its values. */
export function claimsCondition(sought: ClaimsSought): { sql: string; params: SqlValue[] } {
  if (sought === 'all') return { sql: '', params: [] };
  if (sought === 'none') return { sql: "AND documents.kind <> 'claim'", params: [] };
  const { sql, params } = readableBy(sought.agent);
  // Asked of each hit: a list of all claims that may be read would be made for every query.
  const readable = `EXISTS (SELECT 1 FROM claims WHERE claims.key = documents.key AND ${sql})`;
  return { sql: `AND (documents.kind <> 'claim' OR ${readable})`, params };
}

/**
 * Full-text search over digests, handoffs and claims. Filters apply before the best are taken, so that no eligible hit is lost
 * to one that is not. Of a query whose terms have many documents the rarest count (see `lookUp`): it finds as many as there
 * are, up to `limit`, and what has only commoner words of it comes where nothing else is left.
 */
export function search(
  sql: Sql,
  query: string,
  filter: {
    readonly repo?: string | undefined;
    readonly limit: number;
    readonly claims?: ClaimsSought;
  },
): Hit[] {
  const claims = claimsCondition(filter.claims ?? 'all');
  const repo = filter.repo === undefined ? [] : [filter.repo];
  // Who may read a claim is asked of the best first, and of all only where that leaves too few: with a limit the inner order stands.
  const among = (expression: string, ranked: number) =>
    sql.all(
      `SELECT kind, key, repo, score FROM (
         SELECT documents.kind AS kind, documents.key AS key, documents.repo AS repo, -bm25(search) AS score
         FROM search JOIN documents ON documents.id = search.rowid
         WHERE search MATCH ? ${repo.length === 0 ? '' : 'AND documents.repo = ?'}
         ORDER BY score DESC, documents.kind, documents.key LIMIT ?) AS documents
       WHERE true ${claims.sql} LIMIT ?`,
      expression,
      ...repo,
      ranked,
      ...claims.params,
      filter.limit,
    );
  const rows = lookUp(sql, query, filter.limit, (expression) => {
    if (claims.sql === '') return among(expression, filter.limit);
    const best = among(expression, filter.limit * 4);
    return best.length === filter.limit ? best : among(expression, -1);
  });
  return rows.map((row) => ({
    kind: row['kind'] as Hit['kind'],
    id: String(row['key']),
    repo: row['repo'] === null ? undefined : String(row['repo']),
    score: Number(row['score']),
  }));
}
