import type { Sql } from '../snapshot/port.ts';

/** A key that speaks, or spoke, for somebody. */
export interface MemberKey {
  readonly address: string;
  readonly roles: readonly string[];
  /** When it was admitted, by the word of whoever admitted it. */
  readonly since: string;
  /** The positions of its first admission and, where it is revoked, of that. */
  readonly admitted: number;
  readonly revoked: number | null;
}

/** Somebody who is in the fleet, with all of their keys. */
export interface Member {
  readonly name: string;
  readonly kind: string;
  readonly operators: readonly string[];
  /** Of those keys that are not revoked. */
  readonly roles: readonly string[];
  readonly keys: readonly MemberKey[];
  readonly sessions: number;
  readonly handoffs: number;
  readonly claims: number;
}

type Row = Readonly<Record<string, unknown>>;

function countsOf(sql: Sql, query: string): ReadonlyMap<string, number> {
  return new Map(sql.all(query).map((row) => [String(row['name']), Number(row['n'])]));
}

function keyOf(row: Row): MemberKey {
  return {
    address: String(row['key']),
    roles: String(row['roles']).split(' ').filter(Boolean),
    since: String(row['since']),
    admitted: Number(row['admitted']),
    revoked: row['revoked'] === null ? null : Number(row['revoked']),
  };
}

/** Everybody whom the fleet has admitted, people first, then hosts, then agents, each in the order of their admission. */
export function listMembers(sql: Sql): Member[] {
  const sessions = countsOf(
    sql,
    `SELECT agent AS name, count(*) AS n FROM sessions GROUP BY agent
     UNION ALL SELECT host, count(*) FROM sessions GROUP BY host`,
  );
  const handoffs = countsOf(
    sql,
    'SELECT agent AS name, count(*) AS n FROM handoffs GROUP BY agent',
  );
  const claims = countsOf(
    sql,
    'SELECT principal AS name, count(*) AS n FROM claims GROUP BY principal',
  );
  const rows = sql.all(
    `SELECT * FROM principals
     ORDER BY CASE kind WHEN 'person' THEN 0 WHEN 'host' THEN 1 ELSE 2 END, admitted`,
  );
  const byName = new Map<string, Row[]>();
  for (const row of rows) {
    const name = String(row['principal']);
    byName.set(name, [...(byName.get(name) ?? []), row]);
  }
  return [...byName].map(([name, of]) => {
    const keys = of.map(keyOf);
    const held = keys.filter(({ revoked }) => revoked === null).flatMap(({ roles }) => roles);
    return {
      name,
      kind: String(of[0]?.['kind']),
      operators: [...new Set(of.map((row) => String(row['operator'])))],
      roles: [...new Set(held)].sort(),
      keys,
      sessions: sessions.get(name) ?? 0,
      handoffs: handoffs.get(name) ?? 0,
      claims: claims.get(name) ?? 0,
    };
  });
}

/** How a key of this home stands in the fleet: `taken` is one whose name another operator's key has. */
export type Standing = 'admitted' | 'waiting' | 'revoked' | 'taken';

/** How a key stands that says it is called `name`, and whom `operator` answers for. */
export function standingOf(
  sql: Sql,
  { address, name, operator }: { address: string; name: string; operator: string },
): Standing {
  const row = sql.get('SELECT revoked FROM principals WHERE key = ?', address);
  if (row) return row['revoked'] === null ? 'admitted' : 'revoked';
  const others = 'SELECT 1 FROM principals WHERE principal = ? AND operator <> ?';
  return sql.get(others, name, operator) ? 'taken' : 'waiting';
}
