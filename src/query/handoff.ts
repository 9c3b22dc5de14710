import { CredenceError } from '../base/errors.ts';
import type { HandoffRow } from '../fold/state.ts';
import type { Sql, SqlValue } from '../snapshot/port.ts';

/** A handoff, with the sealed sessions that it was put before. */
export interface HandoffView {
  readonly id: string;
  readonly session: string;
  readonly agent: string;
  readonly repo: string | undefined;
  readonly status: string;
  readonly summary: string;
  readonly next: string | undefined;
  readonly issuedAt: string;
  readonly takenBy: string | undefined;
  readonly offeredTo: readonly { readonly session: string; readonly agent: string }[];
}

function view(sql: Sql, row: HandoffRow): HandoffView {
  const offers = sql.all(
    `SELECT lineage.session AS session, coalesce(sessions.agent, '?') AS agent
     FROM lineage LEFT JOIN sessions ON sessions.key = lineage.session
     WHERE lineage.id = ? AND lineage.kind = 'handoff' ORDER BY lineage.at`,
    row.key,
  );
  return {
    id: row.key,
    session: row.session,
    agent: row.agent,
    repo: row.repo ?? undefined,
    status: row.status,
    summary: row.summary,
    next: row.next ?? undefined,
    issuedAt: row.issued_at,
    takenBy: row.taken_by ?? undefined,
    offeredTo: offers.map((offer) => ({
      session: String(offer['session']),
      agent: String(offer['agent']),
    })),
  };
}

/** Handoffs, the newest first; only those that nobody has taken where `waiting`. */
export function listHandoffs(
  sql: Sql,
  filter: { readonly repo?: string | undefined; readonly waiting: boolean; readonly limit: number },
): HandoffView[] {
  const params: SqlValue[] = [];
  const conditions = [filter.waiting ? 'taken_by IS NULL' : '1'];
  if (filter.repo !== undefined) {
    conditions.push('repo = ?');
    params.push(filter.repo);
  }
  const rows = sql.all(
    `SELECT * FROM handoffs WHERE ${conditions.join(' AND ')} ORDER BY issued_at DESC, key LIMIT ?`,
    ...params,
    filter.limit,
  );
  return rows.map((row) => view(sql, row as unknown as HandoffRow));
}

/** The handoff whose id is, or begins with, `id`. Throws `handoff.missing`, `handoff.ambiguous`. */
export function findHandoff(sql: Sql, id: string): HandoffView {
  const rows = sql.all(
    'SELECT * FROM handoffs WHERE key >= ? AND key < ? ORDER BY key LIMIT 2',
    id,
    `${id}\u{10ffff}`,
  );
  const [first, second] = rows;
  if (first && (!second || first['key'] === id)) return view(sql, first as unknown as HandoffRow);
  const [code, message] = first
    ? (['handoff.ambiguous', `several handoffs begin with ${id}`] as const)
    : (['handoff.missing', `no handoff begins with ${id}`] as const);
  throw new CredenceError('missing', code, message, {
    data: { id },
    next: '`credence handoffs` lists them',
  });
}
