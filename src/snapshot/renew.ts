import { CredenceError } from '../base/errors.ts';
import type { NamedPosition } from '../fold/erasure.ts';
import type { TableName } from '../fold/state.ts';
import type { Head } from '../ledger/commit.ts';
import { root } from '../ledger/tree.ts';
import { meta, setMeta } from './database.ts';
import type { Sql } from './port.ts';
import { SCHEMA_VERSION, schemaSql, TABLES } from './schema.ts';
import { addStubs, stubsWithin } from './stubs.ts';

/*
 * How a snapshot forgets. Its tables are dropped and made anew in one transaction, so that whatever moment a process dies
 * at they are the old ones or the new ones; then the file is rewritten, and its log cut, so that no byte of the old ones
 * is left. That it is still owed stands in the snapshot.
 */

/** Drops every table of a snapshot and makes them anew, empty. To be called inside a transaction. */
export function emptySnapshot(sql: Sql, tables: readonly TableName[]): void {
  const made = sql.all(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_%'",
  );
  for (const { name } of made) sql.exec(`DROP TABLE "${String(name)}"`);
  sql.exec(schemaSql(tables));
  setMeta(sql, 'schema', String(SCHEMA_VERSION));
  setMeta(sql, 'scrub', 'owed');
}

/** Leaves no byte of what a snapshot has forgotten in its file. Where a reader keeps it from that, the next call goes on. */
export function scrub(sql: Sql): void {
  if (meta(sql, 'scrub') !== 'owed') return;
  try {
    sql.exec('VACUUM');
    if (!isCut(sql)) return;
    setMeta(sql, 'scrub', 'done');
  } catch (error) {
    if (error instanceof CredenceError && error.code.startsWith('sqlite.sqlite_busy')) return;
    throw error;
  }
}

function isCut(sql: Sql): boolean {
  return sql.get('PRAGMA wal_checkpoint(TRUNCATE)')?.['busy'] !== 1;
}

/** True where nothing that was forgotten is left in the file. */
export function isScrubbed(sql: Sql): boolean {
  return meta(sql, 'scrub') !== 'owed';
}

/** Thrown while a commit is folded whose erasures name what the state holds: the fold has to begin anew without it. */
export class MustForget extends Error {
  readonly named: readonly NamedPosition[];

  constructor(named: readonly NamedPosition[]) {
    super('an erasure names what this state holds');
    this.named = named;
  }
}

/** Empties a state that had followed to `head`: from here on the positions are stubs, whatever the store's bytes hold. */
export function forget(state: Sql, named: readonly NamedPosition[], head: Head): void {
  state.exec('PRAGMA secure_delete = ON');
  state.transaction(() => {
    const known = stubsWithin(state, 0, Number.MAX_SAFE_INTEGER);
    const before = meta(state, 'followed_before');
    emptySnapshot(state, TABLES);
    addStubs(state, [...known, ...named]);
    const { n, frontier } = head;
    const seen = { n, size: frontier.size, root: root(frontier).toString('hex') };
    // Where it was emptied before it came as far again, what it saw then still holds.
    const furthest = before !== undefined && JSON.parse(before).n > n ? JSON.parse(before) : seen;
    setMeta(state, 'followed_before', JSON.stringify(furthest));
  });
  scrub(state);
}

/** Refuses a ledger that is another one than the state had followed before it was emptied. Throws `ledger.fork`. */
export function assertFollowedBefore(state: Sql, head: Head): void {
  const before = meta(state, 'followed_before');
  if (before === undefined) return;
  const { n, root: seen } = JSON.parse(before) as { n: number; root: string };
  if (n !== head.n || seen === root(head.frontier).toString('hex')) return;
  throw new CredenceError(
    'incorrect',
    'ledger.fork',
    `commit ${n} is not the one that this machine saw: the ledger has two histories`,
    { data: { n }, next: 'restore the store from a backup, and run `credence verify`' },
  );
}
