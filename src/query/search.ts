import type { Sql, SqlValue } from '../snapshot/port.ts';
import { queryExpression } from '../snapshot/tokens.ts';

/** A session or handoff that a query found. `score` is the rank of BM25: larger fits better. */
export interface Hit {
  readonly kind: 'session' | 'handoff';
  readonly id: string;
  readonly repo: string | undefined;
  readonly score: number;
}

/** Full-text search over digests and handoffs. Filters apply before the best are taken, so that no eligible hit is lost. */
export function search(
  sql: Sql,
  query: string,
  filter: { readonly repo?: string | undefined; readonly limit: number },
): Hit[] {
  const expression = queryExpression(query);
  if (expression === undefined) return [];
  const params: SqlValue[] = [expression];
  if (filter.repo !== undefined) params.push(filter.repo);
  const rows = sql.all(
    `SELECT documents.kind AS kind, documents.key AS key, documents.repo AS repo, -bm25(search) AS score
     FROM search JOIN documents ON documents.id = search.rowid
     WHERE search MATCH ? ${filter.repo === undefined ? '' : 'AND documents.repo = ?'}
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
