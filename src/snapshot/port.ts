/** A cell as SQLite holds it. */
export type SqlValue = string | number | bigint | null | Uint8Array;
/** A row by column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * A local SQL database of one process, synchronous. Statements are prepared once and kept. Implementations set
 * WAL and a busy time-out on every connection; errors carry the statement's text.
 */
export interface Sql {
  exec(sql: string): void;
  run(sql: string, ...params: SqlValue[]): void;
  get(sql: string, ...params: SqlValue[]): SqlRow | undefined;
  all(sql: string, ...params: SqlValue[]): SqlRow[];
  /** Runs the body in one write transaction; rolled back where it throws. */
  transaction<T>(body: () => T): T;
  close(): void;
}
