import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  admissionBody,
  foundingOf,
  handoffBody,
  homelessBody,
  householdOf,
  noted,
  repoMapBody,
  sealed,
  sessionBody,
  T0,
} from '../../test/kit/fleet.ts';
import { followOn, foundOn, newSql, putCommit } from '../../test/kit/member.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { anyCuts, anyStoryOnce, cutInto, signed } from '../../test/kit/story.ts';
import { CredenceError } from '../base/errors.ts';
import { toInstant } from '../base/time.ts';
import { commitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { GENESIS, type Head } from '../ledger/commit.ts';
import { admissions } from '../ledger/found.ts';
import { search } from '../query/search.ts';
import { type AdmissionBody, OPEN_HOST_ROLES } from '../record/fleet.ts';
import { type SignedRecord, seal } from '../record/record.ts';
import { meta, readerOf } from './database.ts';
import { headOf, positionOf, publishToAgents } from './follow.ts';
import type { Sql } from './port.ts';
import { AGENT_TABLES, TABLES } from './schema.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');
const eve = householdOf('eve');
const FOUNDING = foundingOf(ann).length;
const note = (id: string) => noted(ann, handoffBody(ann, id));

/** A store with a founded fleet, and the head of its ledger. */
async function founded(
  kind: 'open' | 'closed' = 'open',
): Promise<{ store: ObjectStore; head: Head }> {
  const store = openMemoryStore();
  await foundOn(store, ann, kind);
  return { store, head: await followOn(store, newSql(), 'fleet') };
}

/** All that a snapshot holds that somebody could see: its tables, what stands beside them, and what is found. */
function contentOf(sql: Sql, tables: typeof AGENT_TABLES): unknown {
  const queries = [
    'parser',
    'parseHTTPRequest http',
    '検索 解析',
    '搜索',
    '검색',
    'Note',
    'ann-cc',
  ];
  return {
    rows: tables.map((table) => readerOf(sql).where(table)),
    meta: sql.all('SELECT * FROM meta ORDER BY key'),
    documents: sql.all('SELECT kind, key, repo FROM documents ORDER BY kind, key'),
    found: queries.map((query) =>
      [undefined, 'github.com/acme/web'].map((repo) => search(sql, query, { repo, limit: 100 })),
    ),
  };
}

describe('following', () => {
  test('an empty store is at its beginning', async () => {
    const state = newSql();
    expect(await followOn(openMemoryStore(), state, 'fleet')).toEqual(GENESIS);
    expect([headOf(state), positionOf(state)]).toEqual([GENESIS, 0]);
  });

  test('commits that came since, and nothing twice', async () => {
    const { store, head } = await founded();
    const state = newSql();
    await followOn(store, state, 'fleet');
    expect(positionOf(state)).toBe(FOUNDING);
    const second = await putCommit(store, head, [note('s1')], { home: ann, now: T0 + 5 });
    const third = await putCommit(store, second, [note('s2'), note('s3')], { home: ann });
    expect(await followOn(store, state, 'fleet')).toEqual(third);
    expect(headOf(state)).toEqual(third);
    expect(positionOf(state)).toBe(FOUNDING + 3);
    expect(meta(state, 'recorded_at')).toBe(toInstant(T0 + 5));
    const before = contentOf(state, TABLES);
    expect(await followOn(store, state, 'fleet')).toEqual(third);
    expect(contentOf(state, TABLES)).toEqual(before);
  });

  test('in transactions of about four thousand entries, and says how far it is', async () => {
    const { store, head } = await founded();
    let many = head;
    const thousand = Array.from({ length: 1_000 }, () => note('s'));
    for (let i = 0; i < 4; i++) many = await putCommit(store, many, thousand, { home: ann });
    await putCommit(store, many, [note('t')], { home: ann });
    const seen: number[] = [];
    const state = newSql();
    await followOn(store, state, 'fleet', (position) => {
      seen.push(position);
      expect(positionOf(state)).toBe(position);
    });
    expect(seen).toEqual([FOUNDING + 4_000, FOUNDING + 4_001]);
  });
});

describe('a commit that is broken, or by somebody who may not commit', () => {
  const joining = admissions(eve, toInstant(T0)).map(({ record }) => record);
  const admitted = (fields: Partial<AdmissionBody>) =>
    seal('admission', admissionBody(ann.person, bob.host.address, fields), ann.person);
  const asHost: Partial<AdmissionBody> = {
    kind: 'host',
    principal: bob.hostId,
    roles: [...OPEN_HOST_ROLES],
  };

  type Put = (store: ObjectStore, head: Head) => Promise<Head>;
  const by =
    (home: typeof ann, ...records: SignedRecord[]): Put =>
    (store, head) =>
      putCommit(store, head, records, { home });
  const then =
    (...steps: Put[]): Put =>
    async (store, head) => {
      let at = head;
      for (const put of steps) at = await put(store, at);
      return at;
    };

  test.each<[string, 'open' | 'closed', Put, number]>([
    ['the founding host', 'closed', by(ann, note('s')), 2],
    ['a stranger, open', 'open', by(eve, note('s')), 1],
    ['a stranger, closed', 'closed', by(eve, note('s')), 1],
    ['a host that its own commit admits, open', 'open', by(eve, ...joining, note('s')), 2],
    ['a host that its own commit admits last', 'open', by(eve, note('s'), ...joining), 2],
    ['a host that its own commit admits, closed', 'closed', by(eve, ...joining), 1],
    [
      'a host that an earlier commit admits',
      'closed',
      then(by(ann, admitted(asHost)), by(bob, note('s'))),
      3,
    ],
    [
      'a host that its own commit admits by an admin, closed',
      'closed',
      by(bob, admitted(asHost)),
      1,
    ],
    [
      'a host without the role',
      'open',
      then(by(ann, admitted({ ...asHost, roles: ['capture'] })), by(bob, note('s'))),
      2,
    ],
    [
      'a host whose own commit takes the role from it',
      'open',
      then(by(ann, admitted(asHost)), by(bob, admitted({ ...asHost, roles: [] }))),
      3,
    ],
    [
      'a host that lost the role',
      'open',
      then(
        by(ann, admitted(asHost)),
        by(ann, admitted({ ...asHost, roles: [] })),
        by(bob, note('s')),
      ),
      3,
    ],
  ])('%s', async (_what, kind, put, reaches) => {
    const { store, head } = await founded(kind);
    const last = await put(store, head);
    const state = newSql();
    const following = followOn(store, state, 'fleet');
    if (reaches === last.n) expect(await following).toEqual(last);
    else {
      await expect(following).rejects.toMatchObject({
        category: 'incorrect',
        code: 'ledger.committer',
        data: { n: reaches + 1 },
      });
    }
    expect(headOf(state).n).toBe(reaches);
  });

  const damages: readonly [string, string, (bytes: Buffer) => Uint8Array][] = [
    ['torn', 'ledger.torn', (bytes) => bytes.subarray(0, -1)],
    ['empty', 'ledger.torn', () => Buffer.alloc(0)],
    [
      'with another salt',
      'ledger.root',
      (bytes) => Buffer.from(bytes.toString().replace(/"salt":"\w{4}/, '"salt":"0000')),
    ],
    [
      'of no signature',
      'ledger.checkpoint',
      (bytes) => Buffer.from(bytes.toString().replace(/"signature":"\w{4}/, '"signature":"AAAA')),
    ],
  ];
  test.each(damages)(
    'one that is %s, between good ones: those before it stand',
    async (_what, code, damage) => {
      const { store, head } = await founded();
      const second = await putCommit(store, head, [note('s1')], { home: ann });
      const third = await putCommit(store, second, [note('s2')], { home: ann });
      await putCommit(store, third, [note('s3')], { home: ann });
      const whole = Buffer.from((await store.get(commitKey(3))) ?? []);
      const stepwise = newSql();
      const only = openMemoryStore();
      for (const n of [1, 2])
        await only.put(commitKey(n), (await store.get(commitKey(n))) ?? whole);
      await followOn(only, stepwise, 'fleet');
      await store.put(commitKey(3), damage(whole));
      const state = newSql();
      for (const sql of [stepwise, state]) {
        await expect(followOn(store, sql, 'fleet')).rejects.toMatchObject({ code, data: { n: 3 } });
        expect(headOf(sql)).toEqual(second);
      }
      expect(contentOf(state, TABLES)).toEqual(contentOf(stepwise, TABLES));
      await store.put(commitKey(3), whole);
      for (const sql of [stepwise, state]) expect((await followOn(store, sql, 'fleet')).n).toBe(4);
      expect(contentOf(state, TABLES)).toEqual(contentOf(stepwise, TABLES));
    },
  );

  test('one of another fleet', async () => {
    const { store } = await founded();
    const state = newSql();
    await expect(followOn(store, state, 'other')).rejects.toMatchObject({ code: 'ledger.fleet' });
    expect(headOf(state)).toEqual(GENESIS);
  });

  test('a store that fails while a refused commit is folded ends nothing but the following', async () => {
    const { store, head } = await founded();
    const strange = Array.from({ length: 1_000 }, () => note('s'));
    await putCommit(store, head, strange, { home: eve });
    const failing: ObjectStore = {
      name: 'failing',
      put: (key, bytes) => store.put(key, bytes),
      putIfAbsent: (key, bytes) => store.putIfAbsent(key, bytes),
      list: (prefix) => store.list(prefix),
      delete: (key) => store.delete(key),
      time: () => store.time(),
      get: async (key) => {
        if (key === commitKey(3)) throw new CredenceError('unavailable', 'store.gone', 'gone');
        return store.get(key);
      },
    };
    const state = newSql();
    // A rejection that nobody handles would fail the run of these tests.
    await expect(followOn(failing, state, 'fleet')).rejects.toMatchObject({
      code: 'ledger.committer',
    });
    expect(positionOf(state)).toBe(FOUNDING);
  });

  test('an entry whose signature is wrong is counted, and stops nobody', async () => {
    const { store, head } = await founded();
    const forged = { ...note('s1'), signature: note('s2').signature };
    await putCommit(store, head, [forged, note('s3')], { home: ann });
    const state = newSql();
    await followOn(store, state, 'fleet');
    expect(readerOf(state).where('unusable')).toEqual([
      { key: String(FOUNDING + 1), at: FOUNDING + 1, context: 'handoff', code: 'record.signature' },
    ]);
    expect(readerOf(state).where('handoffs')).toMatchObject([{ session: 's3' }]);
  });
});

describe('deleted and followed again, everything is as it was', () => {
  test('whatever was committed, and however often it was followed and published', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyStoryOnce,
        anyCuts,
        fc.array(fc.boolean()),
        async (scenes, cuts, pauses) => {
          const { store, head } = await founded();
          const state = newSql();
          const agents = newSql(AGENT_TABLES);
          let at = head;
          for (const [i, batch] of cutInto(signed(scenes), cuts).entries()) {
            at = await putCommit(store, at, batch, { home: ann, now: T0 + i * 1_000 });
            if (pauses[i]) continue;
            await followOn(store, state, 'fleet');
            publishToAgents(state, agents, 'agent');
          }
          await followOn(store, state, 'fleet');
          publishToAgents(state, agents, 'agent');

          const rebuilt = newSql();
          const rebuiltAgents = newSql(AGENT_TABLES);
          expect(await followOn(store, rebuilt, 'fleet')).toEqual(at);
          publishToAgents(rebuilt, rebuiltAgents, 'agent');
          expect(contentOf(rebuilt, TABLES)).toEqual(contentOf(state, TABLES));
          expect(contentOf(rebuiltAgents, AGENT_TABLES)).toEqual(contentOf(agents, AGENT_TABLES));
          for (const table of AGENT_TABLES)
            expect(readerOf(agents).where(table)).toEqual(readerOf(state).where(table));
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('publishing to agents', () => {
  /** A database that breaks at its n-th statement within a transaction, as a process that dies would. */
  function breaking(sql: Sql, n: number): Sql {
    let left = n;
    const count = <T>(go: () => T): T => {
      if (left-- === 0) throw new Error('cut off');
      return go();
    };
    return {
      ...sql,
      run: (text, ...params) => count(() => sql.run(text, ...params)),
      get: (text, ...params) => count(() => sql.get(text, ...params)),
      all: (text, ...params) => count(() => sql.all(text, ...params)),
    };
  }

  const story = [
    sealed(ann, homelessBody(ann, 's', '/srv/web')),
    note('s'),
    sealed(bob, sessionBody(bob, 't')),
    seal('repo-map', repoMapBody(ann.host, '/srv/**', 'github.com/acme/web'), ann.host),
    sealed(ann, sessionBody(ann, 't', { revision: 2 })),
  ];

  test('cut off at any statement and run again, the rows are those of one go', async () => {
    const { store, head } = await founded();
    const state = newSql();
    const second = await putCommit(store, head, story.slice(0, 3), { home: ann });
    await followOn(store, state, 'fleet');
    const half = newSql(AGENT_TABLES);
    publishToAgents(state, half, 'agent');
    await putCommit(store, second, story.slice(3), { home: ann, now: T0 + 1_000 });
    await followOn(store, state, 'fleet');
    const whole = newSql(AGENT_TABLES);
    publishToAgents(state, whole, 'agent');
    const expected = contentOf(whole, AGENT_TABLES);

    let cuts = 0;
    for (let n = 0; ; n++) {
      const agents = newSql(AGENT_TABLES);
      if (n % 2 === 1) publishToAgents(await stateAt(store, 2), agents, 'agent');
      const before = contentOf(agents, AGENT_TABLES);
      let isCut = false;
      try {
        publishToAgents(state, breaking(agents, n), 'agent');
      } catch (error) {
        expect(error).toMatchObject({ message: 'cut off' });
        isCut = true;
        cuts += 1;
      }
      if (isCut) expect(contentOf(agents, AGENT_TABLES)).toEqual(before);
      publishToAgents(state, agents, 'agent');
      expect(contentOf(agents, AGENT_TABLES)).toEqual(expected);
      if (!isCut) break;
    }
    expect(cuts).toBeGreaterThan(10);
  });

  /** A state that has followed the first n commits. */
  async function stateAt(store: ObjectStore, n: number): Promise<Sql> {
    const some = openMemoryStore();
    for (let i = 1; i <= n; i++)
      await some.put(commitKey(i), (await store.get(commitKey(i))) ?? Buffer.alloc(0));
    const state = newSql();
    await followOn(some, state, 'fleet');
    return state;
  }

  test('again, it changes nothing; in another mode, it says so', async () => {
    const { store, head } = await founded();
    await putCommit(store, head, story, { home: ann });
    const state = newSql();
    await followOn(store, state, 'fleet');
    const agents = newSql(AGENT_TABLES);
    publishToAgents(state, agents, 'agent');
    const before = contentOf(agents, AGENT_TABLES);
    publishToAgents(state, agents, 'agent');
    expect(contentOf(agents, AGENT_TABLES)).toEqual(before);
    publishToAgents(state, agents, 'live');
    expect(meta(agents, 'mode')).toBe('live');
    expect(positionOf(agents)).toBe(positionOf(state));
    expect(meta(agents, 'recorded_at')).toBe(meta(state, 'recorded_at'));
  });

  test('from a state that is being built anew, and is behind', async () => {
    const { store, head } = await founded();
    const second = await putCommit(store, head, story.slice(0, 2), { home: ann });
    await putCommit(store, second, story.slice(2), { home: ann });
    const agents = newSql(AGENT_TABLES);
    publishToAgents(await stateAt(store, 3), agents, 'agent');
    const expected = contentOf(agents, AGENT_TABLES);
    publishToAgents(await stateAt(store, 2), agents, 'agent');
    expect(positionOf(agents)).toBe(FOUNDING + 2);
    publishToAgents(await stateAt(store, 3), agents, 'agent');
    expect(contentOf(agents, AGENT_TABLES)).toEqual(expected);
  });
});
