import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CredenceError } from '../base/errors.ts';
import type { Home } from '../home/home.ts';
import { deleteSqlite, openSqlite } from '../io/sqlite.ts';
import { meta, prepare } from '../snapshot/database.ts';
import { assumedBy } from '../snapshot/mark.ts';
import type { Sql } from '../snapshot/port.ts';

/**
 * Opens a snapshot for writing. One of another version or mode is made anew, with what was rendered from it gone. Only whoever
 * holds the machine's lock may call it.
 */
export function openSnapshot(
  path: string,
  tables: Parameters<typeof prepare>[1],
  mode?: string,
): Sql {
  const sql = openSqlite(path);
  const ready = prepare(sql, tables, mode) === 'ready';
  if (ready && (mode === undefined || meta(sql, 'mode') === mode)) return sql;
  // Derived: another version's tables, or another mode's, are built again from the ledger.
  sql.close();
  deleteSqlite(path);
  // What was rendered from it says what it said.
  if (mode !== undefined) rmSync(join(dirname(path), 'brief'), { recursive: true, force: true });
  return openSnapshot(path, tables, mode);
}

/** The two snapshots of a home: all that was followed, and what agents may see of it. */
export type Snapshot = 'state' | 'agent';

/** Where a snapshot lies. */
export function snapshotPath({ folders }: Home, which: Snapshot): string {
  return join(folders.home, `${which}.sqlite`);
}

/** Removes both: derived, they are built again from the ledger. Only whoever holds the machine's lock may call it. */
export function deleteSnapshots(home: Home): void {
  for (const which of ['state', 'agent'] as const) deleteSqlite(snapshotPath(home, which));
}

/** Reads from a snapshot, as {@link openForReading} opens it. */
export function readSnapshot<T>(home: Home, which: Snapshot, body: (sql: Sql) => T): T {
  const sql = openForReading(home, which);
  try {
    return body(sql);
  } finally {
    sql.close();
  }
}

/** Opens a snapshot for reading. Throws `state.missing` where nothing was followed yet, or what was is not proven yet. */
export function openForReading(home: Home, which: Snapshot): Sql {
  const path = snapshotPath(home, which);
  const sql = existsSync(path) ? openSqlite(path, { readOnly: true }) : undefined;
  // What is being built again, from a ledger that is not proven yet, is nothing to rely on.
  if (sql && !assumedBy(sql)) return sql;
  sql?.close();
  const what = 'nothing has been followed on this machine yet';
  const next = 'run `credence up`, or `credence sync --once`';
  throw new CredenceError('missing', 'state.missing', what, { next });
}
