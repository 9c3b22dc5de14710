import type { Cell } from '../fold/row.ts';
import type { Change, Reader, TableName, Tables } from '../fold/state.ts';
import { type Document, documentOf, KINDS } from './document.ts';
import type { Sql, SqlRow } from './port.ts';
import { columnsOf, laterIndexes, SCHEMA_VERSION, schemaSql } from './schema.ts';

const upserts = new Map<TableName, string>();

function upsertOf(table: TableName): string {
  const known = upserts.get(table);
  if (known) return known;
  const columns = columnsOf(table);
  const names = columns.map((name) => `"${name}"`).join(', ');
  const sql = `INSERT OR REPLACE INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
  upserts.set(table, sql);
  return sql;
}

/**
 * Makes the tables where they are not there; the `mode` that chose them, if one did, stands beside them. 'outdated' where
 * the file is of another schema version: the caller deletes it and follows again.
 */
export function prepare(
  sql: Sql,
  tables: readonly TableName[],
  mode?: string,
): 'ready' | 'outdated' {
  const exists = sql.get("SELECT 1 FROM sqlite_master WHERE name = 'meta'") !== undefined;
  if (!exists) {
    sql.transaction(() => {
      sql.exec(schemaSql(tables));
      setMeta(sql, 'schema', String(SCHEMA_VERSION));
      if (mode !== undefined) setMeta(sql, 'mode', mode);
    });
  }
  return meta(sql, 'schema') === String(SCHEMA_VERSION) ? 'ready' : 'outdated';
}

/** Takes the indexes from an empty state that its first follow does without, until {@link makeIndexes} makes them. */
export function dropIndexes(state: Sql): void {
  state.transaction(() => {
    for (const { name } of laterIndexes()) state.exec(`DROP INDEX IF EXISTS ${name}`);
  });
}

/** Makes the indexes of a state that are not there: after a first follow, or one that was cut off. */
export function makeIndexes(state: Sql): void {
  const there = new Set(
    state.all("SELECT name FROM sqlite_master WHERE type = 'index'").map(({ name }) => name),
  );
  for (const { name, sql } of laterIndexes()) if (!there.has(name)) state.exec(sql);
}

/** What is wrong with a database's own pages, the first of it; undefined where they are whole. Reads all of them. */
export function damageOf(sql: Sql): string | undefined {
  const [found] = Object.values(sql.get('PRAGMA quick_check(1)') ?? {});
  return found === 'ok' ? undefined : String(found).replaceAll(/\s+/g, ' ');
}

/** A value that stands beside the tables. */
export function meta(sql: Sql, key: string): string | undefined {
  const value = sql.get('SELECT value FROM meta WHERE key = ?', key)?.['value'];
  return typeof value === 'string' ? value : undefined;
}

/** Writes a value beside the tables. */
export function setMeta(sql: Sql, key: string, value: string): void {
  sql.run('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)', key, value);
}

/** The fold's view of a database. */
export function readerOf(sql: Sql): Reader {
  return {
    get<T extends TableName>(table: T, key: string) {
      return sql.get(`SELECT * FROM ${table} WHERE key = ?`, key) as Tables[T] | undefined;
    },
    where<T extends TableName>(table: T, column?: keyof Tables[T] & string, value: Cell = null) {
      const rows =
        column === undefined
          ? sql.all(`SELECT * FROM ${table} ORDER BY key`)
          : sql.all(`SELECT * FROM ${table} WHERE "${column}" IS ? ORDER BY key`, value);
      return rows as unknown as Tables[T][];
    },
  };
}

/** Applies changes: rows, and what of them is searched. To be called inside a transaction. */
export function applyChanges(sql: Sql, changes: readonly Change[]): void {
  for (const change of changes) {
    const row = change.row as unknown as SqlRow;
    sql.run(upsertOf(change.table), ...columnsOf(change.table).map((name) => row[name] ?? null));
  }
  indexAll(sql, changes, ({ kind, key, repo }) => {
    const row = sql.get(
      `INSERT INTO documents (kind, key, repo) VALUES (?, ?, ?)
       ON CONFLICT (key, kind) DO UPDATE SET repo = excluded.repo RETURNING id`,
      kind,
      key,
      repo,
    );
    return Number(row?.['id']);
  });
}

/**
 * Puts what is searched of changes into the index, once `place` has answered where each document stands. All of it at the
 * end: what is written to another table in between can make SQLite mark a savepoint, and at each the index writes
 * out what it has gathered.
 */
export function indexAll(
  sql: Sql,
  changes: readonly Change[],
  place: (document: Document) => number,
): void {
  const documents = changes.flatMap((change) => documentOf(change) ?? []);
  const placed = documents.map((document) => [place(document), document.text] as const);
  for (const [id, text] of placed)
    sql.run('INSERT OR REPLACE INTO search (rowid, text) VALUES (?, ?)', id, text);
}

/** Takes a row away, and what of it is searched. To be called inside a transaction. */
export function removeRow(sql: Sql, table: TableName, key: string): void {
  sql.run(`DELETE FROM ${table} WHERE key = ?`, key);
  const kind = KINDS[table];
  if (kind === undefined) return;
  const row = sql.get('SELECT id FROM documents WHERE key = ? AND kind = ?', key, kind);
  if (!row) return;
  sql.run('DELETE FROM search WHERE rowid = ?', row['id'] ?? null);
  sql.run('DELETE FROM documents WHERE id = ?', row['id'] ?? null);
}
