import { assert } from '../base/errors.ts';
import type { Change, Reader, TableName, Tables } from '../fold/state.ts';
import { applyChanges, indexAll, readerOf } from './database.ts';
import { KeyIndex } from './key-index.ts';
import type { Sql, SqlRow, SqlValue } from './port.ts';
import { columnsOf, TABLES } from './schema.ts';

/*
 * The rows of a state that has no index of its keys yet. Most keys are hashes: an index that grows row by row is written
 * all over for every few rows, and past the size of the page cache that takes longer than all else. So a first follow
 * knows in memory where the row of each key stands, adds rows at the ends of their tables, and the indexes are made at
 * once when it is done.
 */

/** Rows that are read by their keys, and written. */
export interface StateRows extends Reader {
  /** To be called inside a transaction. */
  apply(changes: readonly Change[]): void;
}

/** The rows of a state: through its indexes, or without them where it has none yet. */
export function rowsOf(state: Sql): StateRows {
  const isIndexed = state.get("SELECT 1 FROM sqlite_master WHERE name = 'decided_key'");
  if (!isIndexed) return new FirstRows(state);
  return { ...readerOf(state), apply: (changes) => applyChanges(state, changes) };
}

/** Whose keys are positions, which are the numbers of their rows as well. */
const BY_POSITION: ReadonlySet<string> = new Set<TableName>(['contents', 'erased', 'unusable']);

/** Keys that are read at once where a first follow was cut off and goes on. */
const KEYS_MAX = 10_000;

const DOCUMENT_COLUMNS = ['kind', 'key', 'repo'];
const documentKey = (kind: string, key: string) => `${kind}\n${key}`;

/** What of a row its key is told by: of a document, what it is made of as well. */
const keyColumns = (table: string) => (table === 'documents' ? 'key, kind' : 'key');
const keyIn = ({ key, kind }: SqlRow) =>
  kind === undefined ? String(key) : documentKey(String(kind), String(key));

/** The rows of a table: where each stands, and the last. */
interface Places {
  readonly keys: KeyIndex;
  last: number;
}

function placesIn(state: Sql, table: string, seed: number): Places {
  const places = { keys: new KeyIndex(seed), last: 0 };
  if (BY_POSITION.has(table)) return places;
  const sql = `SELECT rowid AS at, ${keyColumns(table)} FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ?`;
  for (;;) {
    const rows = state.all(sql, places.last, KEYS_MAX);
    for (const row of rows) {
      places.last = Number(row['at']);
      places.keys.add(keyIn(row), places.last);
    }
    if (rows.length < KEYS_MAX) return places;
  }
}

class FirstRows implements StateRows {
  readonly #state: Sql;
  readonly #places = new Map<string, Places>();
  readonly where: Reader['where'];

  constructor(state: Sql) {
    this.#state = state;
    this.where = readerOf(state).where;
    const seed = Number(state.get('SELECT random() & 0x7fffffff AS seed')?.['seed']);
    for (const table of [...TABLES, 'documents'])
      this.#places.set(table, placesIn(state, table, seed));
  }

  get<T extends TableName>(table: T, key: string): Tables[T] | undefined {
    const at = this.#find(table, key);
    if (at === undefined) return undefined;
    return this.#state.get(`SELECT * FROM ${table} WHERE rowid = ?`, at) as Tables[T] | undefined;
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      const row = change.row as unknown as SqlRow;
      const columns = columnsOf(change.table);
      const values = columns.map((name) => row[name] ?? null);
      this.#put(change.table, change.row.key, columns, values);
    }
    indexAll(this.#state, changes, ({ kind, key, repo }) =>
      this.#put('documents', documentKey(kind, key), DOCUMENT_COLUMNS, [kind, key, repo]),
    );
  }

  #find(table: string, key: string): number | undefined {
    if (BY_POSITION.has(table)) return Number(key);
    const sql = `SELECT ${keyColumns(table)} FROM ${table} WHERE rowid = ?`;
    const isIt = (at: number) => {
      const row = this.#state.get(sql, at);
      return row !== undefined && keyIn(row) === key;
    };
    return this.#places.get(table)?.keys.find(key, isIt);
  }

  /** Writes a row where its key stands, or behind the last; answers where. */
  #put(
    table: string,
    key: string,
    columns: readonly string[],
    values: readonly SqlValue[],
  ): number {
    const row = this.#find(table, key) ?? this.#next(table, key);
    this.#state.run(putSql(table, columns), row, ...values);
    return row;
  }

  #next(table: string, key: string): number {
    const places = this.#places.get(table);
    assert(places, 'every table has its places');
    places.last += 1;
    places.keys.add(key, places.last);
    return places.last;
  }
}

const puts = new Map<string, string>();

function putSql(table: string, columns: readonly string[]): string {
  const known = puts.get(table);
  if (known) return known;
  const names = ['rowid', ...columns].map((name) => `"${name}"`);
  const sql = `INSERT OR REPLACE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  puts.set(table, sql);
  return sql;
}
