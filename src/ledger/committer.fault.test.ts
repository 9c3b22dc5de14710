import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fault, faultSweep, flakyStore } from '../../test/kit/flaky-store.ts';
import {
  foundingOf,
  handoffBody,
  householdOf,
  idOf,
  noted,
  sealed,
  sessionBody,
  T0,
  worldAt,
} from '../../test/kit/fleet.ts';
import {
  auditLedger,
  foundOn,
  inboxOf,
  type Member,
  memberOf,
  rejectionsOf,
} from '../../test/kit/member.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { canonical } from '../base/canonical.ts';
import { CredenceError, codeOf } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { toInstant } from '../base/time.ts';
import { inboxKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import type { SignedRecord } from '../record/record.ts';
import type { Sql } from '../snapshot/port.ts';
import { TABLES } from '../snapshot/schema.ts';
import { admissions } from './found.ts';
import { deposit } from './inbox.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');
const FOUNDING = foundingOf(ann).length;
const notes = (count: number): readonly SignedRecord[] =>
  Array.from({ length: count }, (_, i) => noted(ann, handoffBody(ann, `s${i}`)));
const joining = admissions(bob, toInstant(T0)).map(({ record }) => record);
const stranger = householdOf('stranger');
const strange = noted(stranger, handoffBody(stranger, 's'));

const newStore = () => openMemoryStore({ immutable: (key) => key.startsWith('ledger/') });

async function depositText(store: ObjectStore, counter: number, text: string): Promise<void> {
  await store.put(inboxKey(ann.hostId, counter, sha256Hex(text)), Buffer.from(text));
}

/** Every table of a state, to be compared with another. */
function tablesOf(state: Sql): unknown {
  return TABLES.map((table) => state.all(`SELECT * FROM ${table} ORDER BY key`));
}

/** The ids of records, in an order of their own, so that two lists can be compared as sets. */
function idsOf(records: readonly SignedRecord[]): string[] {
  return records.map(idOf).sort();
}

describe('every operation can fail', () => {
  test('found, deposit, join, commit: the next run puts everything right', async () => {
    const own = notes(2);
    await faultSweep(
      async (store) => {
        await foundOn(store, ann, 'open', worldAt(T0, 'founding'));
        await deposit(store, ann.hostId, 1, own);
        await depositText(store, 2, 'no record\n');
        await deposit(store, bob.hostId, 1, [...joining, strange]);
        const waiting = await memberOf(store, bob, worldAt(T0, 'bob')).commit();
        expect(waiting).toMatchObject([{ id: idOf(strange), for: 'admission' }]);
      },
      newStore,
      async (store) => {
        const { records } = await auditLedger(store);
        expect(records.slice(0, FOUNDING).map(({ context }) => context)).toEqual(
          foundingOf(ann).map(({ context }) => context),
        );
        const rest = records.slice(FOUNDING);
        expect(rejectionsOf(rest).map(({ code }) => code)).toEqual(['canonical.malformed']);
        expect(idsOf(rest.filter(({ context }) => context !== 'rejection'))).toEqual(
          idsOf([...own, ...joining]),
        );
        expect(await inboxOf(store)).toHaveLength(1);
      },
    );
  });

  test.each<[Fault, string[]]>([
    ['lost', ['test.fault', 'test.fault', 'test.fault']],
    ['unacknowledged', ['test.fault', 'done', 'done']],
  ])('whose writes are all %s for three runs, a commit is made once', async (fault, outcomes) => {
    const inner = newStore();
    await foundOn(inner, ann);
    await deposit(inner, ann.hostId, 1, notes(3));
    for (const [run, outcome] of outcomes.entries()) {
      const isWrite = (operation: string) => ['putIfAbsent', 'delete'].includes(operation);
      const store = flakyStore(inner, (operation) => (isWrite(operation) ? fault : undefined));
      const commit = memberOf(store, ann, worldAt(T0, `run ${run}`)).commit();
      expect(await commit.then(() => 'done', codeOf)).toBe(outcome);
    }
    await memberOf(inner, ann, worldAt()).commit();
    const { commits, records } = await auditLedger(inner);
    expect(commits).toHaveLength(2);
    expect(records.slice(FOUNDING)).toEqual(notes(3));
    expect(await inboxOf(inner)).toEqual([]);
  });

  test('a stalled writer that wakes up finds its number taken, and nothing is lost or twice', async () => {
    const inner = newStore();
    await foundOn(inner, ann);
    await deposit(inner, ann.hostId, 1, notes(2));
    let wake = (): void => undefined;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const stalled: ObjectStore = {
      ...passing(inner),
      async putIfAbsent(key, bytes) {
        await woken;
        return inner.putIfAbsent(key, bytes);
      },
    };
    const late = memberOf(stalled, ann, worldAt(T0, 'late')).commit();
    await memberOf(inner, ann, worldAt(T0, 'quick')).commit();
    await deposit(inner, ann.hostId, 2, [noted(ann, handoffBody(ann, 'new'))]);
    wake();
    await late;
    const { records } = await auditLedger(inner);
    expect(records.slice(FOUNDING)).toEqual([...notes(2), noted(ann, handoffBody(ann, 'new'))]);
    expect(await inboxOf(inner)).toEqual([]);
  });
});

function passing(inner: ObjectStore): ObjectStore {
  return {
    name: inner.name,
    get: (key) => inner.get(key),
    put: (key, bytes) => inner.put(key, bytes),
    putIfAbsent: (key, bytes) => inner.putIfAbsent(key, bytes),
    list: (prefix) => inner.list(prefix),
    delete: (key) => inner.delete(key),
    time: () => inner.time(),
  };
}

/** A store that lets others go first: before each operation it waits for as many turns as the list says next. */
function jittery(inner: ObjectStore, turns: readonly number[]): ObjectStore {
  let at = 0;
  const wait = async () => {
    for (let left = turns[at++ % turns.length] ?? 0; left > 0; left--) await Promise.resolve();
  };
  return {
    name: inner.name,
    get: async (key) => wait().then(() => inner.get(key)),
    put: async (key, bytes) => wait().then(() => inner.put(key, bytes)),
    putIfAbsent: async (key, bytes) => wait().then(() => inner.putIfAbsent(key, bytes)),
    delete: async (key) => wait().then(() => inner.delete(key)),
    time: async () => wait().then(() => inner.time()),
    async *list(prefix) {
      await wait();
      yield* inner.list(prefix);
    },
  };
}

describe('several committers at once', () => {
  /** Commits until it goes through. A store that fails now and then is tried again, as the next sync would. */
  async function persist(member: Member): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await member.commit();
        return;
      } catch (error) {
        if (attempt > 60 || !(error instanceof CredenceError)) throw error;
      }
    }
  }

  const hosts = ['one', 'two', 'three'].map((name) => householdOf(name));
  const asked = hosts.map((home) => admissions(home, toInstant(T0)).map(({ record }) => record));
  const anyPlan = fc.record({
    faults: fc.array(
      fc.tuple(fc.nat(220), fc.constantFrom<Fault>('lost', 'unacknowledged', 'stale', 'stale')),
      { maxLength: 30 },
    ),
    staleBy: fc.integer({ min: 1, max: 40 }),
    turns: fc.array(fc.array(fc.nat(6), { minLength: 1, maxLength: 12 }), {
      minLength: 3,
      maxLength: 3,
    }),
    items: fc.array(fc.tuple(fc.nat(2), fc.array(fc.nat(7), { minLength: 1, maxLength: 4 })), {
      maxLength: 6,
    }),
  });

  test('make one order, without a gap, a loss or anything twice, whatever fails', async () => {
    const records = notes(8);
    await fc.assert(
      fc.asyncProperty(anyPlan, async ({ faults, staleBy, turns, items }) => {
        const inner = newStore();
        await foundOn(inner, ann);
        const planned = new Map(faults);
        const flaky = flakyStore(inner, (_operation, _key, nth) => planned.get(nth), staleBy);
        const members = hosts.map((home, i) =>
          memberOf(jittery(flaky, turns[i] ?? [0]), home, worldAt(T0, home.hostId)),
        );
        const work = members.map(async (member, i) => {
          await deposit(inner, member.home.hostId, 1, asked[i] ?? []);
          for (const [counter, [who, which]] of items.entries()) {
            if (who !== i) continue;
            const put = which.flatMap((one) => records[one] ?? []);
            await deposit(inner, member.home.hostId, counter + 2, put);
            await persist(member);
          }
          await depositText(inner, i, `no record ${i}\n`);
          await persist(member);
        });
        await Promise.all(work);
        // What a stale list hid from the last of them.
        await memberOf(inner, ann, worldAt(T0, 'last')).commit();

        const audit = await auditLedger(inner);
        const rest = audit.records.slice(FOUNDING);
        const wanted = new Set(items.flatMap(([, which]) => which));
        expect(idsOf(rest.filter(({ context }) => context !== 'rejection'))).toEqual(
          idsOf([...asked.flat(), ...[...wanted].flatMap((one) => records[one] ?? [])]),
        );
        expect(rejectionsOf(rest).map(({ code }) => code)).toEqual(
          hosts.map(() => 'canonical.malformed'),
        );
        expect(await inboxOf(inner)).toEqual([]);
        const states = await Promise.all(
          members.map(async (member) => {
            const plain = memberOf(inner, member.home, worldAt());
            await plain.follow();
            return tablesOf(plain.state);
          }),
        );
        for (const state of states) expect(state).toEqual(states[0]);
      }),
      { numRuns: 20 },
    );
  });

  test('20 of them race for each number, and each record is decided by one', async () => {
    const store = newStore();
    await foundOn(store, ann);
    const records = notes(20);
    for (const [counter, record] of records.entries())
      await deposit(store, ann.hostId, counter, [record]);
    const members = records.map((_, i) => memberOf(store, ann, worldAt(T0, `member ${i}`)));
    await Promise.all(members.map((member) => member.commit()));
    const audited = await auditLedger(store);
    expect(audited.records).toHaveLength(FOUNDING + 20);
    expect(await inboxOf(store)).toEqual([]);
    const dumps = await Promise.all(
      members.map(async (member) => {
        await member.follow();
        return tablesOf(member.state);
      }),
    );
    for (const dump of dumps) expect(dump).toEqual(dumps[0]);
  });

  test('of two revisions with one number the first in the ledger counts, and the other is rejected', async () => {
    const store = newStore();
    await foundOn(store, ann);
    const twin = householdOf('twin');
    await deposit(store, ann.hostId, 1, [sealed(ann, sessionBody(ann, 's'))]);
    await memberOf(store, ann, worldAt()).commit();
    await deposit(
      store,
      twin.hostId,
      1,
      admissions(twin, toInstant(T0)).map(({ record }) => record),
    );
    const second = [
      sealed(ann, sessionBody(ann, 's', { revision: 2 })),
      sealed(twin, sessionBody(twin, 's', { revision: 2 })),
    ] as const;
    await deposit(store, ann.hostId, 2, [second[0]]);
    await deposit(store, twin.hostId, 2, [second[1]]);
    const members = [
      memberOf(store, ann, worldAt(T0, 'a')),
      memberOf(store, twin, worldAt(T0, 't')),
    ];
    await Promise.all(members.map((member) => member.commit()));
    const { records } = await auditLedger(store);
    const counted = records.filter((record) => record.body['revision'] === 2);
    expect(counted).toHaveLength(1);
    expect(rejectionsOf(records).map(({ code }) => code)).toEqual(['session.revision_taken']);
    const lines = records.map((record) => canonical(record));
    expect(second.filter((record) => lines.includes(canonical(record)))).toHaveLength(1);
  });
});
