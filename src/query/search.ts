import type { DocumentKind } from '../snapshot/document.ts';
import type { Sql, SqlValue } from '../snapshot/port.ts';
import { queryExpression } from '../snapshot/tokens.ts';
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
  const claims = `SELECT key FROM claims WHERE ${sql}`;
  return { sql: `AND (documents.kind <> 'claim' OR documents.key IN (${claims}))`, params };
}

/** Full-text search over digests, handoffs and claims. Filters apply before the best are taken, so that no eligible hit is lost. */
export function search(
  sql: Sql,
  query: string,
  filter: {
    readonly repo?: string | undefined;
    readonly limit: number;
    readonly claims?: ClaimsSought;
  },
): Hit[] {
  const expression = queryExpression(query);
  if (expression === undefined) return [];
  const claims = claimsCondition(filter.claims ?? 'all');
  const params: SqlValue[] = [expression, ...claims.params];
  if (filter.repo !== undefined) params.push(filter.repo);
  const rows = sql.all(
    `SELECT documents.kind AS kind, documents.key AS key, documents.repo AS repo, -bm25(search) AS score
     FROM search JOIN documents ON documents.id = search.rowid
     WHERE search MATCH ? ${claims.sql} ${filter.repo === undefined ? '' : 'AND documents.repo = ?'}
     ORDER BY bm25(search), documents.kind, documents.key LIMIT ?`,
    ...params,
    filter.limit,
  );
  return rows.map((row) => ({
    kind: row['kind'] as Hit['kind'],
    id: String(row['key']),
    repo: row['repo'] === null ? undefined : String(row['repo']),
    score: Number(row['score']),
  }));
}
