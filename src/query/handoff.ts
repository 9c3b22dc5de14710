import { assert } from '../base/errors.ts';
import type { HandoffRow } from '../fold/state.ts';
import type { LiveAgent } from '../live/live.ts';
import type { Sql } from '../snapshot/port.ts';
import { findKey } from './shown-id.ts';

/** A handoff as readers see it. */
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
}

/** A session that a handoff was put before. */
export interface Offer {
  readonly session: string;
  readonly agent: string;
}

function view(row: HandoffRow): HandoffView {
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
  };
}

/** Which handoffs a list shows: only those that nobody has taken where `waiting`. */
export interface HandoffFilter {
  readonly repo?: string | undefined;
  readonly waiting: boolean;
  readonly limit: number;
}

/** The condition of a filter, and its values. */
function whereOf({ repo, waiting }: Omit<HandoffFilter, 'limit'>) {
  const conditions = [
    waiting ? 'taken_by IS NULL' : '1',
    ...(repo === undefined ? [] : ['repo = ?']),
  ];
  return { where: conditions.join(' AND '), params: repo === undefined ? [] : [repo] };
}

/** Handoffs by filter, the newest first. */
export function listHandoffs(sql: Sql, filter: HandoffFilter): HandoffView[] {
  const { where, params } = whereOf(filter);
  const rows = sql.all(
    `SELECT * FROM handoffs WHERE ${where} ORDER BY issued_at DESC, key LIMIT ?`,
    ...params,
    filter.limit,
  );
  return rows.map((row) => view(row as unknown as HandoffRow));
}

/** How many handoffs fit a filter, whatever its limit. */
export function countHandoffs(sql: Sql, filter: Omit<HandoffFilter, 'limit'>): number {
  const { where, params } = whereOf(filter);
  return Number(
    sql.get(`SELECT count(*) AS n FROM handoffs WHERE ${where}`, ...params)?.['n'] ?? 0,
  );
}

/** The handoff with this key; undefined where there is none. */
export function getHandoff(sql: Sql, key: string): HandoffView | undefined {
  const row = sql.get('SELECT * FROM handoffs WHERE key = ?', key);
  return row && view(row as unknown as HandoffRow);
}

/** The handoff that an id, or its beginning, means. Throws `handoff.missing`, `handoff.ambiguous`. */
export function findHandoff(sql: Sql, id: string): HandoffView {
  const found = getHandoff(sql, findKey(sql, 'handoff', id));
  assert(found, 'a key that was found has a row');
  return found;
}

/** A handoff that nobody takes is offered without end: this many of the latest offers say to whom. */
const OFFERS_MAX = 100;

/** The sealed sessions that a handoff was put before, the latest, in their order. */
export function offersOf(sql: Sql, handoff: string): Offer[] {
  // By row id, which the index has in order: rows are written in the order of the ledger.
  const rows = sql.all(
    `SELECT lineage.session AS session, coalesce(sessions.agent, '?') AS agent
     FROM lineage LEFT JOIN sessions ON sessions.key = lineage.session
     WHERE lineage.id = ? AND lineage.kind = 'handoff' ORDER BY lineage.rowid DESC LIMIT ?`,
    handoff,
    OFFERS_MAX,
  );
  return rows
    .map((row) => ({ session: String(row['session']), agent: String(row['agent']) }))
    .reverse();
}

/** The agents that a handoff was put before, each once: first those whose session is sealed, then those at work. */
export function agentsOffered(
  offers: readonly Offer[],
  live: readonly LiveAgent[],
  handoff: string,
): string[] {
  const shown = `handoff:${handoff}`;
  const seeing = live.filter(({ sessions }) => sessions.some((one) => one.shown.includes(shown)));
  return [...new Set([...offers, ...seeing].map(({ agent }) => agent))];
}
