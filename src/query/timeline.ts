import type { DocumentKind } from '../snapshot/document.ts';
import type { Sql, SqlValue } from '../snapshot/port.ts';
import { subjectExpression } from '../snapshot/tokens.ts';
import { type ClaimsSought, claimsCondition } from './search.ts';

/** One thing that is known of a subject, and its instant: a session's last event, a note's or a claim's date. */
export interface Moment {
  readonly kind: DocumentKind;
  readonly id: string;
  readonly at: string;
}

/** Each kind's table, and the column that dates it. */
const DATED: readonly (readonly [DocumentKind, table: string, column: string])[] = [
  ['session', 'sessions', 'last_at'],
  ['handoff', 'handoffs', 'issued_at'],
  ['claim', 'claims', 'asserted_at'],
];

/**
 * What is known of a subject, the oldest first: sessions, notes and claims, outcomes among them, in which every word of it
 * stands. Of more than `limit` the newest are taken. Filters apply before that. `since` is an instant.
 */
export function timeline(
  sql: Sql,
  subject: string,
  filter: {
    readonly repo?: string | undefined;
    readonly since?: string | undefined;
    readonly limit: number;
    readonly claims?: ClaimsSought;
  },
): Moment[] {
  const expression = subjectExpression(subject);
  if (expression === undefined) return [];
  const sought = filter.claims ?? 'all';
  const claims = claimsCondition(sought);
  const since = filter.since === undefined ? '' : 'AND dated.at >= ?';
  const params: SqlValue[] = [expression, ...claims.params];
  if (filter.since !== undefined) params.push(filter.since);
  const repo = filter.repo === undefined ? '' : 'AND documents.repo = ?';
  if (filter.repo !== undefined) params.push(filter.repo);
  // Where agents read no claims their snapshot has no table of them.
  const tables = DATED.filter(([kind]) => kind !== 'claim' || sought !== 'none');
  const dated = tables
    .map(([kind, table, column]) => `SELECT '${kind}' AS kind, key, ${column} AS at FROM ${table}`)
    .join(' UNION ALL ');
  const rows = sql.all(
    `SELECT dated.kind AS kind, dated.key AS key, dated.at AS at
     FROM search JOIN documents ON documents.id = search.rowid
     JOIN (${dated}) AS dated ON dated.kind = documents.kind AND dated.key = documents.key
     WHERE search MATCH ? ${claims.sql} ${since} ${repo}
     ORDER BY dated.at DESC, dated.kind, dated.key LIMIT ?`,
    ...params,
    filter.limit,
  );
  return rows
    .map((row) => ({
      kind: row['kind'] as DocumentKind,
      id: String(row['key']),
      at: String(row['at']),
    }))
    .reverse();
}
