import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { householdOf, T0, worldAt } from '../../test/kit/fleet.ts';
import { followOn, foundOn, putCommit } from '../../test/kit/member.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { anyCuts, anyStory, cutInto, signed } from '../../test/kit/story.ts';

import { toInstant } from '../base/time.ts';
import type { TableName } from '../fold/state.ts';
import { openMemorySqlite } from '../io/sqlite.ts';
import { admissions } from '../ledger/found.ts';
import { prepare } from './database.ts';
import { publishToAgents } from './follow.ts';
import type { Sql } from './port.ts';
import { AGENT_TABLES, TABLES } from './schema.ts';

const ann = householdOf('ann');
const joining = admissions(householdOf('bob'), toInstant(T0)).map(({ record }) => record);

/** Every row of every table of a file, those beside the fold's included. */
function everythingIn(sql: Sql): unknown {
  const tables = sql.all(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search_%' ORDER BY name",
  );
  return tables.map(({ name }) => [name, rowsOf(sql, String(name))]);
}

function rowsOf(sql: Sql, table: string): string[] {
  // In which order texts came to be indexed is nobody's business.
  const columns = table === 'documents' ? 'kind, key, repo' : '*';
  if (table === 'search')
    return rowsIn(sql, 'SELECT kind, key, text FROM search JOIN documents ON id = search.rowid');
  return rowsIn(sql, `SELECT ${columns} FROM ${table}`);
}

const rowsIn = (sql: Sql, query: string) =>
  sql
    .all(query)
    .map((row) => JSON.stringify(row))
    .sort();

test('what was followed commit by commit is what is built anew from commit 1, for people and for agents', async () => {
  const open: Sql[] = [];
  onTestFinished(() => {
    for (const sql of open) sql.close();
  });
  const newSql = (tables: readonly TableName[] = TABLES) => {
    const sql = openMemorySqlite();
    open.push(sql);
    prepare(sql, tables);
    return sql;
  };
  await fc.assert(
    fc.asyncProperty(anyStory, anyCuts, async (story, cuts) => {
      const store = openMemoryStore();
      await foundOn(store, ann, 'open', worldAt(T0, 'founding'));
      const [state, agent] = [newSql(), newSql(AGENT_TABLES)];
      let head = await followOn(store, state, 'fleet');
      for (const batch of [joining, ...cutInto(signed(story), cuts)]) {
        head = await putCommit(store, head, batch, { home: ann, now: T0 + head.n });
        await followOn(store, state, 'fleet');
        publishToAgents(state, agent, 'watch');
      }
      const [rebuilt, rebuiltAgent] = [newSql(), newSql(AGENT_TABLES)];
      await followOn(store, rebuilt, 'fleet');
      publishToAgents(rebuilt, rebuiltAgent, 'watch');
      expect(everythingIn(state)).toEqual(everythingIn(rebuilt));
      expect(everythingIn(agent)).toEqual(everythingIn(rebuiltAgent));
    }),
    { numRuns: 15 },
  );
});
