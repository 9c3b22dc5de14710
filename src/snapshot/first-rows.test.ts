import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { householdOf, sealed, sessionBody, stateOf } from '../../test/kit/fleet.ts';

import type { Change } from '../fold/state.ts';
import { openMemorySqlite } from '../io/sqlite.ts';
import { applyChanges, dropIndexes, makeIndexes, prepare, readerOf } from './database.ts';
import { rowsOf } from './first-rows.ts';
import { TABLES } from './schema.ts';

const ann = householdOf('ann');
const [session] = stateOf([sealed(ann, sessionBody(ann, 's'))]).where('sessions');
if (!session) throw new Error('a session is a row');

/** Changes of few keys, so that rows are written again; some of them strange. */
const key = fc.constantFrom('1', '2', "it's", 'a\0b', 'a\0c', '\u{1f98a}', 'handoff\n1', '');
const change: fc.Arbitrary<Change> = fc
  .record({ key, at: fc.nat(99) })
  .chain((keyed) =>
    fc.constantFrom<Change[]>(
      { table: 'sessions', row: { ...session, ...keyed, cwd: keyed.key } },
      { table: 'decided', row: { ...keyed, context: 'claim', code: null } },
      { table: 'contents', row: content(keyed.at) },
      { table: 'repo_maps', row: { ...keyed, pattern: '/', remote: 'r', host: null } },
    ),
  );

function content(at: number) {
  const row = { context: 'claim', commitment: null, principal: 'p', operator: 'o', about: null };
  return { key: String(at), at, ...row };
}

function newSql() {
  const sql = openMemorySqlite();
  onTestFinished(() => sql.close());
  prepare(sql, TABLES);
  return sql;
}

test('rows without indexes are those with indexes, also where their writer was cut off and another goes on', () => {
  const [first, usual] = [newSql(), newSql()];
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 4 }), (batches) => {
      for (const sql of [first, usual])
        for (const table of [...TABLES, 'documents', 'search']) sql.run(`DELETE FROM ${table}`);
      dropIndexes(first);
      for (const changes of batches) {
        const rows = rowsOf(first);
        first.transaction(() => rows.apply(changes));
        usual.transaction(() => applyChanges(usual, changes));
        for (const { table, row } of changes)
          expect(rows.get(table, row.key)).toEqual(readerOf(usual).get(table, row.key));
        expect(rows.get('decided', 'none')).toBeUndefined();
      }
      makeIndexes(first);
      for (const table of TABLES)
        expect(readerOf(first).where(table)).toEqual(readerOf(usual).where(table));
      const searched =
        'SELECT kind, key, repo, text FROM search JOIN documents ON id = search.rowid ORDER BY kind, key';
      expect(first.all(searched)).toEqual(usual.all(searched));
    }),
    { numRuns: 60 },
  );
});

test('what was rolled back is not there, and can be written again', () => {
  const sql = newSql();
  dropIndexes(sql);
  const rows = rowsOf(sql);
  const changes: Change[] = [{ table: 'sessions', row: session }];
  const failing = () =>
    sql.transaction(() => {
      rows.apply(changes);
      throw new Error('no room');
    });
  expect(failing).toThrow('no room');
  expect(rows.get('sessions', 's')).toBeUndefined();
  sql.transaction(() => rows.apply(changes));
  makeIndexes(sql);
  expect(readerOf(sql).get('sessions', 's')).toEqual(session);
});

test('a state that has its indexes is read through them', () => {
  const sql = newSql();
  const rows = rowsOf(sql);
  sql.transaction(() => rows.apply([{ table: 'sessions', row: session }]));
  expect(rows.get('sessions', 's')).toEqual(session);
  expect(rows.where('sessions')).toEqual([session]);
});
