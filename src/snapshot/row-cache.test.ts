import { expect, test } from 'vitest';
import { admissionBody, fleetRows, foundingOf, householdOf } from '../../test/kit/fleet.ts';
import { foundOn, newSql, putCommit } from '../../test/kit/member.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { verifyHere } from '../base/ed25519.ts';
import { OPEN_HOST_ROLES } from '../record/fleet.ts';
import { seal } from '../record/record.ts';
import { applyChanges, makeIndexes, readerOf } from './database.ts';
import { follow, headOf } from './follow.ts';
import type { Sql } from './port.ts';
import { RowCache } from './row-cache.ts';
import { laterIndexes } from './schema.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');
const FOUNDING = foundingOf(ann).length;

const principalRow = (roles: string) => ({
  table: 'principals' as const,
  row: {
    key: 'a',
    at: 1,
    principal: 'p',
    kind: 'host',
    operator: 'o',
    roles,
    admitted: 1,
    since: '',
    revoked: null,
  },
});

test('rows are those of the database, as they were written last', () => {
  const sql = newSql();
  const rows = new RowCache(readerOf(sql));
  expect(rows.get('principals', 'a')).toBeUndefined();
  for (const roles of ['commit', '']) {
    applyChanges(sql, [principalRow(roles)]);
    rows.wrote([principalRow(roles)]);
    expect(rows.get('principals', 'a')).toMatchObject({ roles });
    expect(rows.where('principals', 'principal', 'p')).toEqual([principalRow(roles).row]);
    expect(rows.where('principals', 'principal', 'q')).toEqual([]);
  }
  applyChanges(sql, fleetRows());
  expect(rows.get('fleet', 'fleet')).toEqual(readerOf(sql).get('fleet', 'fleet'));
  expect(rows.where('principals')).toEqual(readerOf(sql).where('principals'));
});

/** Counts what a database is asked for by `get`. */
function counting(sql: Sql): { sql: Sql; asked: string[] } {
  const asked: string[] = [];
  const get: Sql['get'] = (text, ...params) => {
    asked.push(`${text} ${params.join()}`);
    return sql.get(text, ...params);
  };
  return { sql: { ...sql, get }, asked };
}

const followIn = (store: ReturnType<typeof openMemoryStore>, state: Sql) =>
  follow({ store, state, fleetId: 'fleet', verifyAll: verifyHere, followed() {} });

test('a role that a batch granted and that was rolled back with it grants nothing to the commits before', async () => {
  const store = openMemoryStore();
  await foundOn(store, ann, 'closed');
  const head = await followIn(store, newSql());
  const asHost = { kind: 'host' as const, principal: bob.hostId, roles: [...OPEN_HOST_ROLES] };
  const admit = (roles: typeof asHost.roles) =>
    seal(
      'admission',
      admissionBody(ann.person, bob.host.address, { ...asHost, roles }),
      ann.person,
    );
  const admitted = await putCommit(store, head, [admit(asHost.roles)], { home: ann });
  const taken = await putCommit(store, admitted, [admit([])], { home: ann });
  await putCommit(
    store,
    taken,
    [seal('fleet', { spec: 'x', author: bob.host.address }, bob.host)],
    {
      home: bob,
    },
  );
  const state = newSql();
  await expect(followIn(store, state)).rejects.toMatchObject({ code: 'ledger.committer' });
  expect(headOf(state)).toEqual(taken);
  expect(readerOf(state).get('principals', bob.host.address)).toMatchObject({ roles: '' });
});

test('the key that signs a commit is looked up once, however many entries are by it', async () => {
  const store = openMemoryStore();
  await foundOn(store, ann);
  const { sql, asked } = counting(newSql());
  await followIn(store, sql);
  const own = asked.filter((one) => one.includes('principals') && one.includes(ann.person.address));
  expect(FOUNDING).toBeGreaterThan(2);
  expect(own.length).toBeLessThanOrEqual(2);
});

const indexesIn = (sql: Sql) =>
  sql
    .all("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    .map(({ name }) => String(name));

test('a first follow makes its indexes at its end; one that was cut off leaves them to the next', async () => {
  const store = openMemoryStore();
  await foundOn(store, ann);
  const all = indexesIn(newSql());
  expect(all).toEqual(expect.arrayContaining(laterIndexes().map(({ name }) => name)));
  const state = newSql();
  const seen: string[][] = [];
  const parts = { store, state, fleetId: 'fleet', verifyAll: verifyHere };
  const dying = () => {
    seen.push(indexesIn(state));
    throw new Error('cut off');
  };
  await expect(follow({ ...parts, followed: dying })).rejects.toThrow('cut off');
  const later = new Set(laterIndexes().map(({ name }) => name));
  expect(seen).toEqual([all.filter((name) => !later.has(name))]);
  await followIn(store, state);
  expect(indexesIn(state)).toEqual(all);
  makeIndexes(state);
  expect(indexesIn(state)).toEqual(all);
});
