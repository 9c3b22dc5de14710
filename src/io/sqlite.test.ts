import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CredenceError } from '../base/errors.ts';
import type { Sql } from '../snapshot/port.ts';
import { deleteSqlite, isDamaged, lockMachine, openMemorySqlite, openSqlite } from './sqlite.ts';

const root = join(import.meta.dirname, '../..');
let program = '';
let programFolder = '';

/** One program for all children: what it does is its first argument. Node finds the native package by NODE_PATH. */
beforeAll(async () => {
  programFolder = mkdtempSync(join(tmpdir(), 'credence-child-'));
  program = join(programFolder, 'child.cjs');
  await build({
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['better-sqlite3'],
    outfile: program,
    stdin: {
      loader: 'ts',
      resolveDir: import.meta.dirname,
      contents: `
        import { writeSync } from 'node:fs';
        import { lockMachine, openSqlite } from './sqlite.ts';
        const [what, path, ms] = process.argv.slice(2);
        const say = (line) => writeSync(1, line + '\\n');
        const sleep = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
        if (what === 'lock') {
          say(lockMachine(path) ? 'held' : 'refused');
          sleep();
        } else {
          const sql = openSqlite(path);
          sql.transaction(() => {
            sql.run('INSERT INTO t VALUES (?)', 'child');
            say('held');
            sleep();
          });
        }
      `,
    },
  });
});
afterAll(() => rmSync(programFolder, { recursive: true, force: true }));

/** Starts a child, and answers with the first line that it says. */
async function start(
  what: 'lock' | 'write',
  path: string,
  ms: number,
): Promise<[ChildProcess, string]> {
  const child = spawn(process.execPath, [program, what, path, String(ms)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_PATH: join(root, 'node_modules') },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (!child.stdout) throw new Error('a child with a pipe has an output');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return [child, String(line)];
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function newPath(name = 'state.sqlite'): string {
  const folder = mkdtempSync(join(tmpdir(), 'credence-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

function opened(path: string, options?: { readonly readOnly?: boolean }): Sql {
  const sql = openSqlite(path, options);
  onTestFinished(() => sql.close());
  return sql;
}

/** A database with a table of one row. */
function filled(path: string): Sql {
  const sql = opened(path);
  sql.exec('CREATE TABLE t (a)');
  sql.run('INSERT INTO t VALUES (?)', 'first');
  return sql;
}

const all = (sql: Sql) => sql.all('SELECT a FROM t ORDER BY rowid').map((row) => row['a']);
function thrown(body: () => unknown): unknown {
  try {
    return body();
  } catch (error) {
    return error;
  }
}
const failing = (code: string, text: string) =>
  expect.objectContaining({
    category: 'unavailable',
    code,
    message: expect.stringContaining(text),
    next: expect.any(String),
  });

describe('a database', () => {
  test('is kept in WAL, with a busy time-out, in a folder of its own that is private', () => {
    const path = join(newPath('made'), 'here', 'state.sqlite');
    const sql = filled(path);
    expect(sql.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(sql.get('PRAGMA busy_timeout')).toEqual({ timeout: 5_000 });
    expect(sql.get('PRAGMA synchronous')).toEqual({ synchronous: 1 });
    expect((statSync(join(path, '..')).mode & 0o777).toString(8)).toBe('700');
  });

  test('readers have the time-out too, and cannot write', () => {
    const path = newPath();
    filled(path);
    const reader = opened(path, { readOnly: true });
    expect(reader.get('PRAGMA busy_timeout')).toEqual({ timeout: 5_000 });
    expect(all(reader)).toEqual(['first']);
    const readOnly = failing('sqlite.sqlite_readonly', 'readonly');
    expect(() => reader.run('INSERT INTO t VALUES (1)')).toThrow(readOnly);
    expect(() => reader.exec('CREATE TABLE u (a)')).toThrow(readOnly);
    expect(() => reader.exec('DELETE FROM t')).toThrow(readOnly);
    const write = () => reader.run('INSERT INTO t VALUES (1)');
    expect(() => reader.transaction(write)).toThrow(readOnly);
    expect(all(reader)).toEqual(['first']);
  });

  test('a reader of no file makes none', () => {
    const path = newPath();
    expect(() => openSqlite(path, { readOnly: true })).toThrow(
      failing('sqlite.sqlite_cantopen', path),
    );
    expect(existsSync(path)).toBe(false);
  });

  test('a reader opens what a writer has closed', () => {
    const path = newPath();
    const sql = openSqlite(path);
    sql.exec('CREATE TABLE t (a)');
    sql.close();
    expect(all(opened(path, { readOnly: true }))).toEqual([]);
  });

  test('readers see what stood before a transaction while it runs, and all of it after', () => {
    const path = newPath();
    const sql = filled(path);
    const reader = opened(path, { readOnly: true });
    sql.transaction(() => {
      sql.run('INSERT INTO t VALUES (?)', 'second');
      expect(all(reader)).toEqual(['first']);
      sql.run('INSERT INTO t VALUES (?)', 'third');
    });
    expect(all(reader)).toEqual(['first', 'second', 'third']);
  });

  test('a transaction that throws leaves nothing, and its error is the caller’s', () => {
    const sql = filled(newPath());
    const go = () =>
      sql.transaction(() => {
        sql.run('INSERT INTO t VALUES (?)', 'second');
        throw new CredenceError('incorrect', 'ledger.root', 'a fault of the ledger');
      });
    expect(go).toThrow(expect.objectContaining({ code: 'ledger.root' }));
    expect(all(sql)).toEqual(['first']);
    expect(sql.transaction(() => 7)).toBe(7);
  });

  test('an error names the file, the statement and what to do', () => {
    const path = newPath();
    const sql = opened(path);
    expect(() => sql.get('SELECT nothing FROM nowhere')).toThrow(
      failing('sqlite.sqlite_error', 'SELECT nothing FROM nowhere'),
    );
    expect(() => sql.exec('CREATE')).toThrow(failing('sqlite.sqlite_error', path));
  });

  test.each([
    ['no', 'sqlite.sqlite_notadb'],
    ['half of a', 'sqlite.sqlite_corrupt'],
  ])('a file that is %s database is damaged', (what, code) => {
    const path = newPath();
    const sql = openSqlite(path);
    sql.exec('CREATE TABLE t (a)');
    for (let i = 0; i < 100; i++) sql.run('INSERT INTO t VALUES (?)', 'x'.repeat(1_000));
    sql.close();
    const bytes = readFileSync(path);
    bytes.fill(0xa5, what === 'no' ? 0 : 8_192);
    writeFileSync(path, bytes);
    const error = thrown(() => all(opened(path)));
    expect(error).toEqual(failing(code, path));
    expect(error).toMatchObject({ next: expect.stringContaining('credence sync --once') });
    expect(isDamaged(error)).toBe(true);
  });

  test('where nothing can be written, that is the next step', () => {
    const path = newPath();
    filled(path);
    const reader = opened(path, { readOnly: true });
    const error = thrown(() => reader.exec('DELETE FROM t'));
    expect(error).toMatchObject({ next: expect.stringContaining('writable for this user') });
    expect(isDamaged(error)).toBe(false);
  });

  test('what is no database is refused, and left as it is', () => {
    const path = newPath();
    writeFileSync(path, 'this is no database, whatever its name says '.repeat(100));
    expect(() => openSqlite(path)).toThrow(failing('sqlite.sqlite_notadb', path));
    expect(statSync(path).size).toBe(4_400);
  });

  test('is deleted with all that stands beside it, and nothing else', () => {
    const path = newPath();
    const sql = openSqlite(path);
    sql.exec('CREATE TABLE t (a)');
    writeFileSync(`${path}.keep`, '');
    expect(readdirSync(join(path, '..'))).toContain('state.sqlite-wal');
    sql.close();
    deleteSqlite(path);
    deleteSqlite(path);
    expect(readdirSync(join(path, '..'))).toEqual(['state.sqlite.keep']);
  });

  test('one in memory is like one in a file', () => {
    const sql = openMemorySqlite();
    onTestFinished(() => sql.close());
    sql.exec('CREATE TABLE t (a)');
    sql.transaction(() => sql.run('INSERT INTO t VALUES (?)', 'é\0🦊'));
    expect(all(sql)).toEqual(['é\0🦊']);
    expect(all.bind(undefined, openMemorySqlite())).toThrow(
      failing('sqlite.sqlite_error', 'memory'),
    );
  });
});

describe('two processes', () => {
  test('a writer that has waited long enough says that the file is busy', () => {
    const path = newPath();
    const sql = filled(path);
    const other = opened(path);
    other.get('PRAGMA busy_timeout = 50');
    sql.transaction(() => {
      sql.run('INSERT INTO t VALUES (?)', 'second');
      const busy = failing('sqlite.sqlite_busy', path);
      expect(() => other.run('INSERT INTO t VALUES (?)', 'mine')).toThrow(busy);
      expect(() => other.transaction(() => other.run('DELETE FROM t'))).toThrow(busy);
    });
    expect(all(other)).toEqual(['first', 'second']);
  });

  test('a writer waits for another one’s transaction, and then writes', async () => {
    const path = newPath();
    const sql = filled(path);
    const [, line] = await start('write', path, 400);
    expect(line).toBe('held');
    expect(all(sql)).toEqual(['first']);
    sql.run('INSERT INTO t VALUES (?)', 'mine');
    expect(all(sql)).toEqual(['first', 'child', 'mine']);
  });

  test('a transaction of a process that is killed is undone, and the next one need not wait', async () => {
    const path = newPath();
    const sql = filled(path);
    const [child] = await start('write', path, 60_000);
    await kill(child);
    sql.transaction(() => sql.run('INSERT INTO t VALUES (?)', 'mine'));
    expect(all(sql)).toEqual(['first', 'mine']);
    expect(sql.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
  });

  test('the machine’s lock is held by one, and free once that one is killed', async () => {
    const path = newPath('machine.sqlite');
    const [holder, line] = await start('lock', path, 60_000);
    expect(line).toBe('held');
    expect(lockMachine(path)).toBeUndefined();
    expect((await start('lock', path, 0))[1]).toBe('refused');
    await kill(holder);
    const lock = lockMachine(path);
    expect(lock).toBeDefined();
    expect((await start('lock', path, 0))[1]).toBe('refused');
    lock?.release();
    expect((await start('lock', path, 0))[1]).toBe('held');
  });

  test('nor twice by one process; and it can be taken again', () => {
    const path = join(newPath('made'), 'machine.sqlite');
    const lock = lockMachine(path);
    expect(lockMachine(path)).toBeUndefined();
    lock?.release();
    const again = lockMachine(path);
    expect(again).toBeDefined();
    again?.release();
  });

  test('a lock that cannot be had for another reason is an error, not a refusal', () => {
    const path = newPath('machine.sqlite');
    writeFileSync(path, 'this is no database, whatever its name says '.repeat(100));
    expect(() => lockMachine(path)).toThrow(failing('sqlite.sqlite_notadb', path));
  });
});
