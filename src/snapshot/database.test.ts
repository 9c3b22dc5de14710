import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { householdOf, sealed, sessionBody, stateOf } from '../../test/kit/fleet.ts';
import { newSql } from '../../test/kit/member.ts';
import { openSqlite } from '../io/sqlite.ts';
import { applyChanges, meta, prepare, readerOf, setMeta } from './database.ts';
import type { Sql } from './port.ts';
import { AGENT_TABLES, columnsOf, SCHEMA_VERSION, TABLES } from './schema.ts';

const ann = householdOf('ann');

function fileIn(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'credence-snapshot-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

function opened(path: string): Sql {
  const sql = openSqlite(path);
  onTestFinished(() => sql.close());
  return sql;
}

const tablesOf = (sql: Sql) =>
  sql
    .all(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search_%' ORDER BY name",
    )
    .map((row) => String(row['name']));

describe('prepare', () => {
  test('makes the tables once, and knows them again', () => {
    const path = fileIn('state.sqlite');
    const sql = openSqlite(path);
    expect(prepare(sql, TABLES)).toBe('ready');
    setMeta(sql, 'position', '7');
    expect(prepare(sql, TABLES)).toBe('ready');
    sql.close();
    const again = opened(path);
    expect(prepare(again, TABLES)).toBe('ready');
    expect(meta(again, 'position')).toBe('7');
  });

  test('a state has every table of the fold, with its columns', () => {
    const sql = newSql();
    expect(tablesOf(sql)).toEqual(
      [...TABLES, 'documents', 'meta', 'search', 'stubs', 'tiles'].sort(),
    );
    for (const table of TABLES) {
      const columns = sql.all(`SELECT name FROM pragma_table_info('${table}')`);
      expect(columns.map((row) => row['name'])).toEqual(columnsOf(table));
    }
  });

  test('the agents’ snapshot has those that agents may see, and no other', () => {
    const sql = newSql(AGENT_TABLES);
    expect(tablesOf(sql)).toEqual([...AGENT_TABLES, 'documents', 'meta', 'search'].sort());
    expect(tablesOf(sql)).not.toContain('principals');
  });

  test.each<[string, (sql: Sql) => void]>([
    ['an older version', (sql) => setMeta(sql, 'schema', String(SCHEMA_VERSION - 1))],
    ['a newer version', (sql) => setMeta(sql, 'schema', String(SCHEMA_VERSION + 1))],
    ['no version', (sql) => sql.run("DELETE FROM meta WHERE key = 'schema'")],
    ['a version that is no number', (sql) => setMeta(sql, 'schema', 'x')],
  ])('a file of %s is outdated, and left as it is', (_what, change) => {
    const path = fileIn('state.sqlite');
    const sql = openSqlite(path);
    prepare(sql, TABLES);
    setMeta(sql, 'position', '7');
    change(sql);
    sql.close();
    const again = opened(path);
    expect(prepare(again, TABLES)).toBe('outdated');
    expect(prepare(again, TABLES)).toBe('outdated');
    expect(meta(again, 'position')).toBe('7');
  });

  test('a preparation that is cut off leaves nothing', () => {
    const path = fileIn('state.sqlite');
    const sql = opened(path);
    const cut: Sql = {
      ...sql,
      exec(text) {
        sql.exec(text);
        throw new Error('cut off');
      },
    };
    expect(() => prepare(cut, TABLES)).toThrow('cut off');
    expect(tablesOf(sql)).toEqual([]);
    expect(prepare(sql, TABLES)).toBe('ready');
    expect(existsSync(path)).toBe(true);
  });
});

describe('rows', () => {
  const rows = stateOf([sealed(ann, sessionBody(ann, 's')), sealed(ann, sessionBody(ann, 't'))]);
  const [s, t] = rows.where('sessions');
  if (!s || !t) throw new Error('two sessions are two rows');

  test('come back as they were written, also null and numbers', () => {
    const sql = newSql();
    const row = { ...s, parent: null, imported: 1, revision: 2 ** 40 };
    applyChanges(sql, [{ table: 'sessions', row }]);
    expect(readerOf(sql).get('sessions', 's')).toEqual(row);
    expect(readerOf(sql).get('sessions', 'none')).toBeUndefined();
  });

  test('a row that is written again takes the place of the one before, as a whole', () => {
    const sql = newSql();
    applyChanges(sql, [{ table: 'sessions', row: { ...s, parent: 'p' } }]);
    applyChanges(sql, [{ table: 'sessions', row: { ...s, agent: 'x' } }]);
    expect(readerOf(sql).where('sessions')).toEqual([{ ...s, agent: 'x' }]);
  });

  test('are looked up by what they hold, null too', () => {
    const sql = newSql();
    applyChanges(sql, [
      { table: 'sessions', row: { ...s, captured_repo: null } },
      { table: 'sessions', row: t },
    ]);
    const reader = readerOf(sql);
    expect(reader.where('sessions', 'captured_repo', null).map(({ key }) => key)).toEqual(['s']);
    expect(reader.where('sessions', 'captured_repo').map(({ key }) => key)).toEqual(['s']);
    expect(reader.where('sessions', 'captured_repo', t.repo)).toEqual([t]);
    expect(reader.where('sessions', 'captured_repo', 'none')).toEqual([]);
  });

  test('texts of any kind are texts', () => {
    const sql = newSql();
    for (const key of ["it's", '"; DROP TABLE sessions; --', 'a\0b', '1', '\u{1f98a}', '%']) {
      applyChanges(sql, [{ table: 'sessions', row: { ...s, key, cwd: key } }]);
      expect(readerOf(sql).get('sessions', key)).toEqual({ ...s, key, cwd: key });
    }
    expect(readerOf(sql).where('sessions')).toHaveLength(6);
  });

  test('only sessions and handoffs are searched, each in one place', () => {
    const sql = newSql();
    applyChanges(sql, [{ table: 'sessions', row: s }]);
    applyChanges(sql, [{ table: 'sessions', row: { ...s, repo: 'moved' } }]);
    applyChanges(sql, [
      { table: 'repo_maps', row: { key: 'm', at: 3, pattern: '/', remote: 'r', host: null } },
    ]);
    expect(sql.all('SELECT kind, key, repo FROM documents')).toEqual([
      { kind: 'session', key: 's', repo: 'moved' },
    ]);
    expect(sql.all('SELECT count(*) AS n FROM search')).toEqual([{ n: 1 }]);
  });
});

test('a value beside the tables is there, or is not', () => {
  const sql = newSql();
  expect(meta(sql, 'mode')).toBeUndefined();
  setMeta(sql, 'mode', 'agent');
  setMeta(sql, 'mode', 'live');
  expect(meta(sql, 'mode')).toBe('live');
});
