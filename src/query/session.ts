import { assert } from '../base/errors.ts';
import { defined } from '../base/unknown.ts';
import type { SessionRow } from '../fold/state.ts';
import { Digest } from '../record/digest.ts';
import type { Sql } from '../snapshot/port.ts';
import { findKey } from './shown-id.ts';

/** A sealed session as readers see it. */
export interface SessionView {
  readonly session: string;
  readonly agent: string;
  readonly runtime: string;
  readonly host: string;
  readonly parent: string | undefined;
  readonly repo: string | undefined;
  readonly cwd: string | undefined;
  readonly revision: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly imported: boolean;
  readonly digest: Digest;
  readonly parts: readonly { readonly key: string; readonly hash: string }[];
}

/** Which sessions a list shows. `since` is an instant; the newest come first. */
export interface SessionFilter {
  readonly repo?: string | undefined;
  readonly agent?: string | undefined;
  readonly since?: string | undefined;
  readonly parent?: string | undefined;
  readonly limit: number;
}

function view(row: SessionRow): SessionView {
  return {
    session: row.key,
    agent: row.agent,
    runtime: row.runtime,
    host: row.host,
    parent: row.parent ?? undefined,
    repo: row.repo ?? undefined,
    cwd: row.cwd ?? undefined,
    revision: row.revision,
    firstAt: row.first_at,
    lastAt: row.last_at,
    imported: row.imported === 1,
    digest: Digest.parse(JSON.parse(row.digest)),
    parts: JSON.parse(row.parts) as SessionView['parts'],
  };
}

/** The condition of a filter, and its values. */
function whereOf({ repo, agent, since, parent }: Omit<SessionFilter, 'limit'>) {
  const conditions = { 'repo = ?': repo, 'agent = ?': agent, 'last_at >= ?': since };
  const given = Object.entries(defined({ ...conditions, 'parent = ?': parent }));
  const where = ['1', ...given.map(([condition]) => condition)].join(' AND ');
  return { where, params: given.map(([, value]) => value) };
}

/** Sessions by filter, the newest first. */
export function listSessions(sql: Sql, filter: SessionFilter): SessionView[] {
  const { where, params } = whereOf(filter);
  const rows = sql.all(
    `SELECT * FROM sessions WHERE ${where} ORDER BY last_at DESC, key LIMIT ?`,
    ...params,
    filter.limit,
  );
  return rows.map((row) => view(row as unknown as SessionRow));
}

/** A session with its subagents; a session that is not sealed yet is stood for by its newest subagent. */
export interface Family extends SessionView {
  /** The subagents of the session, beside the one that stands for it; the newest first, at most `SUBAGENTS_MAX`. */
  readonly subagents: readonly SessionView[];
}

/** Rows of a page: most lists need one. */
const PAGE_ROWS = 100;

/** More subagents than these are not looked at: a list says so. */
export const SUBAGENTS_MAX = 50;

/** Who fits a filter, the newest first, by pages: whoever reads on has more of them. */
function* newestIn(
  sql: Sql,
  filter: Omit<SessionFilter, 'limit'>,
): Generator<{ key: string; parent: string | null }> {
  const { where, params } = whereOf(filter);
  // Above every instant.
  let [last, after] = ['~', ''];
  for (;;) {
    const page = sql.all(
      `SELECT key, parent, last_at FROM sessions
       WHERE ${where} AND last_at <= ? AND (last_at < ? OR key > ?)
       ORDER BY last_at DESC, key LIMIT ${PAGE_ROWS}`,
      ...[...params, last, last, after],
    ) as unknown as SessionRow[];
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < PAGE_ROWS) return;
    [last, after] = [end.last_at, end.key];
  }
}

/**
 * The newest sessions of a repo, or of all where none is named, each with its subagents instead of beside them. The newest
 * subagent stands for a session that is not among them. `since` is an instant.
 */
export function listFamilies(
  sql: Sql,
  repo: string | undefined,
  limit: number,
  since?: string,
): Family[] {
  const { where, params } = whereOf({ repo, since });
  const heads: string[] = [];
  /** Sessions that have a line of their own, or one by the newest of their subagents. */
  const told = new Set<string>();
  const isHere = `SELECT 1 FROM sessions WHERE key = ? AND parent IS NULL AND ${where}`;
  for (const { key, parent } of newestIn(sql, { repo, since })) {
    if (heads.length === limit) break;
    const isTold = parent !== null && (told.has(parent) || sql.get(isHere, parent, ...params));
    if (parent !== null) told.add(parent);
    if (!isTold) heads.push(key);
  }
  return heads.flatMap((key) => familyOf(sql, key) ?? []);
}

/** A session with its subagents; of a subagent, with the others of its session. Undefined where it is not sealed. */
export function familyOf(sql: Sql, key: string): Family | undefined {
  const head = getSession(sql, key);
  if (!head) return undefined;
  const parent = head.parent ?? head.session;
  const members = listSessions(sql, { parent, limit: SUBAGENTS_MAX + 1 });
  const others = members.filter(({ session }) => session !== head.session);
  return { ...head, subagents: others.slice(0, SUBAGENTS_MAX) };
}

/** How many sessions a snapshot holds; of those that fit a filter, whatever its limit. */
export function countSessions(sql: Sql, filter: Omit<SessionFilter, 'limit'> = {}): number {
  const { where, params } = whereOf(filter);
  return Number(
    sql.get(`SELECT count(*) AS n FROM sessions WHERE ${where}`, ...params)?.['n'] ?? 0,
  );
}

/** The session with this key; undefined where none is sealed. */
export function getSession(sql: Sql, key: string): SessionView | undefined {
  const row = sql.get('SELECT * FROM sessions WHERE key = ?', key);
  return row && view(row as unknown as SessionRow);
}

/** The session that an id, or its beginning, means. Throws `session.missing`, `session.ambiguous`. */
export function findSession(sql: Sql, id: string): SessionView {
  const found = getSession(sql, findKey(sql, 'session', id));
  assert(found, 'a key that was found has a row');
  return found;
}

/** Sessions whose folder is gone: by host and folder, how many and when last. */
export function unresolvedFolders(
  sql: Sql,
): { host: string; cwd: string; sessions: number; lastAt: string }[] {
  const rows = sql.all(
    `SELECT host, coalesce(cwd, '') AS cwd, count(*) AS n, max(last_at) AS last_at
     FROM sessions WHERE repo IS NULL GROUP BY host, cwd ORDER BY n DESC, cwd`,
  );
  return rows.map((row) => ({
    host: String(row['host']),
    cwd: String(row['cwd']),
    sessions: Number(row['n']),
    lastAt: String(row['last_at']),
  }));
}

/** Every repo, with its sessions and agents. */
export function listRepos(
  sql: Sql,
): { repo: string; sessions: number; agents: number; lastAt: string }[] {
  const rows = sql.all(
    `SELECT repo, count(*) AS n, count(DISTINCT agent) AS agents, max(last_at) AS last_at
     FROM sessions WHERE repo IS NOT NULL GROUP BY repo ORDER BY last_at DESC`,
  );
  return rows.map((row) => ({
    repo: String(row['repo']),
    sessions: Number(row['n']),
    agents: Number(row['agents']),
    lastAt: String(row['last_at']),
  }));
}

/** Every sealed session with the keys of its parts. */
export function sealedParts(sql: Sql): { session: string; keys: string[] }[] {
  return sql.all('SELECT key, parts FROM sessions ORDER BY key').map((row) => ({
    session: String(row['key']),
    keys: (JSON.parse(String(row['parts'])) as SessionView['parts']).map((part) => part.key),
  }));
}

/** The newest sealed revision of a session, with the parts that the ledger names; undefined for one that is not sealed. */
export function sealedRevision(
  sql: Sql,
  session: string,
): { readonly revision: number; readonly parts: SessionView['parts'] } | undefined {
  const row = sql.get('SELECT revision, parts FROM sessions WHERE key = ?', session);
  if (!row) return undefined;
  const parts = JSON.parse(String(row['parts'])) as SessionView['parts'];
  return { revision: Number(row['revision']), parts };
}

/** The parts that the ledger names of a session; undefined for one that is not sealed. */
export function partsOf(sql: Sql, session: string): SessionView['parts'] | undefined {
  return sealedRevision(sql, session)?.parts;
}
