import { byCodePoint } from '../base/canonical.ts';
import type { Cell } from './row.ts';
import type { Change, Reader, TableName, Tables } from './state.ts';

type Row = Tables[TableName];
type Rows = Map<string, Row>;
/** The rows of a table by the value of one column. */
type Index = Map<Cell, Rows>;

const cellOf = (row: Row, column: string) => (row as unknown as Record<string, Cell>)[column];

/**
 * The state in memory, or changes laid over another reader: rows written here hide those below. Small code
 * on purpose, since the tests compare every other state with it.
 */
export class MapState implements Reader {
  readonly #tables: { [T in TableName]?: Rows } = {};
  /** Made when a column is first asked for: a table that is never looked through needs none. */
  readonly #indexes = new Map<TableName, Map<string, Index>>();
  readonly #below: Reader | undefined;

  constructor(below?: Reader) {
    this.#below = below;
  }

  #rows(table: TableName): Rows {
    this.#tables[table] ??= new Map();
    return this.#tables[table];
  }

  #index(table: TableName, column: string): Index {
    let indexes = this.#indexes.get(table);
    if (!indexes) {
      indexes = new Map();
      this.#indexes.set(table, indexes);
    }
    let index = indexes.get(column);
    if (!index) {
      index = new Map();
      indexes.set(column, index);
      for (const row of this.#rows(table).values()) enter(index, column, row);
    }
    return index;
  }

  apply(changes: readonly Change[]): void {
    for (const { table, row } of changes) {
      const rows = this.#rows(table);
      const indexes = this.#indexes.get(table);
      if (indexes) reenter(indexes, rows.get(row.key), row);
      rows.set(row.key, row);
    }
  }

  get<T extends TableName>(table: T, key: string): Tables[T] | undefined {
    const own = this.#tables[table]?.get(key) as Tables[T] | undefined;
    return own ?? this.#below?.get(table, key);
  }

  where<T extends TableName>(
    table: T,
    column?: keyof Tables[T] & string,
    value: Cell = null,
  ): Tables[T][] {
    const own = this.#rows(table) as Map<string, Tables[T]>;
    const below = (this.#below?.where(table, column, value) ?? []).filter(
      ({ key }) => !own.has(key),
    );
    const found = column === undefined ? own : this.#index(table, column).get(value);
    const rows = [...below, ...((found?.values() ?? []) as Iterable<Tables[T]>)];
    return rows.sort((a, b) => byCodePoint(a.key, b.key));
  }
}

function reenter(indexes: Map<string, Index>, old: Row | undefined, row: Row): void {
  for (const [column, index] of indexes) {
    if (old) index.get(cellOf(old, column) ?? null)?.delete(row.key);
    enter(index, column, row);
  }
}

function enter(index: Index, column: string, row: Row): void {
  const value = cellOf(row, column) ?? null;
  const rows = index.get(value);
  if (rows) rows.set(row.key, row);
  else index.set(value, new Map([[row.key, row]]));
}
