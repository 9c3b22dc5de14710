import type { Cell } from '../fold/row.ts';
import type { Change, Reader, TableName, Tables } from '../fold/state.ts';

/** What the rules ask of nearly every entry, and what few entries change: the fleet, and whom its keys speak for. */
const KEPT: ReadonlySet<TableName> = new Set(['fleet', 'principals']);

/** Beyond this many rows all are read again. */
const ROWS_MAX = 10_000;

/**
 * A reader that keeps such rows as were read through it. Whoever changes what lies below tells it by `wrote`, or calls
 * `forget` where that was rolled back.
 */
export class RowCache implements Reader {
  readonly #below: Reader;
  readonly #rows = new Map<string, Tables[TableName]>();

  constructor(below: Reader) {
    this.#below = below;
  }

  get<T extends TableName>(table: T, key: string): Tables[T] | undefined {
    if (!KEPT.has(table)) return this.#below.get(table, key);
    const known = this.#rows.get(`${table} ${key}`) as Tables[T] | undefined;
    return known ?? this.#keep(table, this.#below.get(table, key));
  }

  where<T extends TableName>(table: T, column?: keyof Tables[T] & string, value?: Cell) {
    return this.#below.where(table, column, value);
  }

  wrote(changes: readonly Change[]): void {
    for (const { table, row } of changes) if (KEPT.has(table)) this.#keep(table, row);
  }

  forget(): void {
    this.#rows.clear();
  }

  #keep<R extends Tables[TableName]>(table: TableName, row: R | undefined): R | undefined {
    if (this.#rows.size >= ROWS_MAX) this.forget();
    if (row) this.#rows.set(`${table} ${row.key}`, row);
    return row;
  }
}
