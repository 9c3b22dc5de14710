import type { Cell } from '../fold/row.ts';
import type { Change, Reader, TableName, Tables } from '../fold/state.ts';

/** Rows that are kept: some megabytes, and enough for every key of a fleet beside what was said last. */
const ROWS_MAX = 20_000;

type Row = Tables[TableName];

/**
 * A reader that keeps rows which were read or written through it, the least used first to go. Whoever changes
 * what lies below tells it by `wrote`, or calls `forget` where that was rolled back.
 */
export class RowCache implements Reader {
  readonly #below: Reader;
  readonly #max: number;
  /** By table and key; in the order in which they were used last. */
  readonly #rows = new Map<string, Row>();

  constructor(below: Reader, max = ROWS_MAX) {
    this.#below = below;
    this.#max = max;
  }

  get<T extends TableName>(table: T, key: string): Tables[T] | undefined {
    // Each record is asked for once, and hardly any is there.
    if (table === 'decided') return this.#below.get(table, key);
    const id = `${table} ${key}`;
    const known = this.#rows.get(id) as Tables[T] | undefined;
    if (known) this.#rows.delete(id);
    const row = known ?? this.#below.get(table, key);
    if (row) this.#rows.set(id, row);
    this.#shrink();
    return row;
  }

  where<T extends TableName>(table: T, column?: keyof Tables[T] & string, value?: Cell) {
    return this.#below.where(table, column, value);
  }

  wrote(changes: readonly Change[]): void {
    for (const { table, row } of changes) {
      if (table === 'decided') continue;
      const id = `${table} ${row.key}`;
      this.#rows.delete(id);
      this.#rows.set(id, row);
    }
    this.#shrink();
  }

  forget(): void {
    this.#rows.clear();
  }

  #shrink(): void {
    for (const id of this.#rows.keys()) {
      if (this.#rows.size <= this.#max) return;
      this.#rows.delete(id);
    }
  }
}
