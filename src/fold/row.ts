/** A value of a cell: what SQLite and a Map hold alike. */
export type Cell = string | number | null;

/** What every row has: its key, and the position of the entry that last changed it. */
export interface Keyed {
  readonly key: string;
  readonly at: number;
}

/** The columns of a table beside `key` and `at`, and those of them that rows are looked up by. */
export interface Columns<Row extends Keyed> {
  readonly columns: readonly Exclude<keyof Row, keyof Keyed>[];
  readonly indexed: readonly Exclude<keyof Row, keyof Keyed>[];
}
