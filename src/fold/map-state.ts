import { byCodePoint } from '../base/canonical.ts';
import type { Cell } from './row.ts';
import type { Change, Reader, TableName, Tables } from './state.ts';

type Rows = Map<string, Tables[TableName]>;

/**
 * The state in memory, or changes laid over another reader: rows written here hide those below. Small code
 * on purpose, since the tests compare every other state with it.
 */
export class MapState implements Reader {
  readonly #tables = new Map<TableName, Rows>();
  readonly #below: Reader | undefined;

  constructor(below?: Reader) {
    this.#below = below;
  }

  #rows(table: TableName): Rows {
    const rows = this.#tables.get(table) ?? new Map();
    this.#tables.set(table, rows);
    return rows;
  }

  apply(changes: readonly Change[]): void {
    for (const { table, row } of changes) this.#rows(table).set(row.key, row);
  }

  get<T extends TableName>(table: T, key: string): Tables[T] | undefined {
    const own = this.#rows(table).get(key) as Tables[T] | undefined;
    return own ?? this.#below?.get(table, key);
  }

  where<T extends TableName>(
    table: T,
    column?: keyof Tables[T] & string,
    value: Cell = null,
  ): Tables[T][] {
    const rows = new Map<string, Tables[T]>();
    for (const row of this.#below?.where(table, column, value) ?? []) rows.set(row.key, row);
    for (const [key, row] of this.#rows(table) as Map<string, Tables[T]>) {
      if (column === undefined || row[column] === value) rows.set(key, row);
      else rows.delete(key);
    }
    return [...rows.values()].sort((a, b) => byCodePoint(a.key, b.key));
  }
}
