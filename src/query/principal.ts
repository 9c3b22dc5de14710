import type { Sql } from '../snapshot/port.ts';

/** True where the fleet has another agent of this id, with another key than this one's. */
export function hasNamesake(sql: Sql, agent: string, address: string): boolean {
  const others = `SELECT 1 FROM principals WHERE kind = 'agent' AND principal = ? AND key <> ?`;
  return sql.get(others, agent, address) !== undefined;
}
