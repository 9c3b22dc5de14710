import { chmodSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { CredenceError, codeOf, messageOf } from '../base/errors.ts';
import { WRITABLE } from '../base/system-error.ts';
import type { Sql, SqlRow, SqlValue } from '../snapshot/port.ts';
import { makeFolders } from './durable-folder.ts';

const BUSY_MS = 5_000;

const DAMAGED = /^(?:sqlite\.)?sqlite_(?:notadb|corrupt)/i;

/** What a person can do, by the kind of SQLite's code. */
const NEXT: readonly (readonly [kind: RegExp, next: string])[] = [
  [/^SQLITE_FULL/, 'free some disk space'],
  [/^SQLITE_(?:READONLY|CANTOPEN|PERM|AUTH)/, WRITABLE],
  [
    DAMAGED,
    'run `credence sync --once`, which builds it again; remove the file where that does not help',
  ],
];

/** True for the error of a file that is no database, or a damaged one, or that holds what turned out to be unproven. */
export function isDamaged(error: unknown): boolean {
  return DAMAGED.test(codeOf(error)) || codeOf(error) === 'state.unproven';
}

function fail(path: string, sql: string, cause: unknown): never {
  const code = codeOf(cause);
  const next = NEXT.find(([kind]) => kind.test(code))?.[1] ?? 'run `credence doctor`';
  throw new CredenceError(
    'unavailable',
    `sqlite.${code.toLowerCase()}`,
    `${path}: ${messageOf(cause)} in: ${sql.slice(0, 200)}`,
    {
      cause,
      next,
    },
  );
}

/** Opens a SQLite file: WAL, a busy time-out, readers read-only. Throws `sqlite.*`. */
export function openSqlite(path: string, options: { readonly readOnly?: boolean } = {}): Sql {
  const readonly = options.readOnly ?? false;
  if (!readonly) makeFolders(dirname(path));
  const db = attempt(path, 'open', () => new Database(path, { readonly, timeout: BUSY_MS }));
  if (readonly) return sqlOf(db, path);
  try {
    attempt(path, 'pragma', () => prepareToWrite(db, path));
  } catch (error) {
    db.close();
    throw error;
  }
  return sqlOf(db, path);
}

function prepareToWrite(db: Database.Database, path: string): void {
  // The folder is private already; a backup of the file should be, too.
  chmodSync(path, 0o600);
  // A session's row takes some 3 kB: of smaller pages each would leave a quarter empty.
  db.pragma('page_size = 8192');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  // Pages before the log is written back: a first follow would do it hundreds of times.
  db.pragma('wal_autocheckpoint = 8000');
  // The system keeps the file's pages in memory, too.
  db.pragma('cache_size = -8000');
}

/** A database that lives as long as it is open, on no disk. */
export function openMemorySqlite(): Sql {
  return sqlOf(new Database(':memory:'), 'memory');
}

function sqlOf(db: Database.Database, path: string): Sql {
  const statements = new Map<string, Database.Statement>();
  const prepared = (sql: string) => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    exec: (sql) => void attempt(path, sql, () => db.exec(sql)),
    run: (sql, ...params: SqlValue[]) =>
      void attempt(path, sql, () => prepared(sql).run(...params)),
    get: (sql, ...params: SqlValue[]) =>
      attempt(path, sql, () => prepared(sql).get(...params)) as SqlRow | undefined,
    all: (sql, ...params: SqlValue[]) =>
      attempt(path, sql, () => prepared(sql).all(...params)) as SqlRow[],
    transaction(body) {
      try {
        return db.transaction(body).immediate();
      } catch (error) {
        if (error instanceof Database.SqliteError) return fail(path, 'BEGIN … COMMIT', error);
        throw error;
      }
    },
    close: () => void db.close(),
  };
}

function attempt<T>(path: string, sql: string, body: () => T): T {
  try {
    return body();
  } catch (cause) {
    return fail(path, sql, cause);
  }
}

/** Removes a SQLite file and what stands beside it. */
export function deleteSqlite(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal'])
    rmSync(`${path}${suffix}`, { force: true });
}

/** Held by the one process of a machine that applies; the kernel lets go when the process dies. */
export interface MachineLock {
  release(): void;
}

/** Takes the machine's lock: an exclusive transaction that stays open. Undefined where another process has it. */
export function lockMachine(path: string): MachineLock | undefined {
  makeFolders(dirname(path));
  const db = attempt(path, 'open', () => new Database(path, { timeout: 0 }));
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (codeOf(error).startsWith('SQLITE_BUSY')) return undefined;
    return fail(path, 'BEGIN EXCLUSIVE', error);
  }
  return {
    release() {
      db.exec('ROLLBACK');
      db.close();
    },
  };
}
