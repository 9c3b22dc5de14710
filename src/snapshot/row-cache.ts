import type { Cell } from '../fold/row.ts';
import type { Change, Reader, TableName, Tables } from '../fold/state.ts';

/**
 * What the rules ask of nearly every entry, and what few entries change: the fleet, whom its keys speak for, and its
 * policies. And what entries speak of soon after it came: claims, and handoffs.
 */
const KEPT: ReadonlySet<TableName> = new Set([
  'fleet',
  'principals',
  'policies',
  'claims',
  'handoffs',
]);

/** Beyond this many rows all are read again. */
const ROWS_MAX = 5_000;

/** A reader that keeps such rows as were read through it. Whoever changes what lies below tells it by `wrote`. */
export class RowCache implements Reader {
  readonly #below: Reader;
  /** Undefined for a row that is not there. */
  readonly #rows = new Map<string, Tables[TableName] | undefined>();
  /** What was found of the principals, by column and value: a fleet has few. */
  readonly #found = new Map<string, readonly Tables[TableName][]>();

  constructor(below: Reader) {
    this.#below = below;
  }

  get<T extends TableName>(table: T, key: string): Tables[T] | undefined {
    if (!KEPT.has(table)) return this.#below.get(table, key);
    const name = `${table} ${key}`;
    if (this.#rows.has(name)) return this.#rows.get(name) as Tables[T] | undefined;
    const row = this.#below.get(table, key);
    this.#keep(name, row);
    return row;
  }

  where<T extends TableName>(table: T, column?: keyof Tables[T] & string, value?: Cell) {
    if (table !== 'principals') return this.#below.where(table, column, value);
    const asked = JSON.stringify([column, value]);
    const rows = this.#found.get(asked) ?? this.#below.where(table, column, value);
    this.#found.set(asked, rows);
    return [...rows] as Tables[T][];
  }

  wrote(changes: readonly Change[]): void {
    for (const { table, row } of changes) {
      if (KEPT.has(table)) this.#keep(`${table} ${row.key}`, row);
      if (table === 'principals') this.#found.clear();
    }
  }

  #keep(name: string, row: Tables[TableName] | undefined): void {
    if (this.#rows.size >= ROWS_MAX) this.#rows.clear();
    this.#rows.set(name, row);
  }
}
