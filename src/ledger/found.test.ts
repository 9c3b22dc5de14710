import { describe, expect, test } from 'vitest';
import { faultSweep } from '../../test/kit/flaky-store.ts';
import { foundingOf, householdOf, keyOf, T0, worldAt } from '../../test/kit/fleet.ts';
import {
  auditLedger,
  followOn,
  foundOn,
  inboxOf,
  memberOf,
  newSql,
  putCommit,
} from '../../test/kit/member.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { sha256Hex } from '../base/hash.ts';
import { toInstant } from '../base/time.ts';
import { principalOf } from '../fold/view.ts';
import { commitKey, FLEET_KEY } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { open, recordId } from '../record/record.ts';
import { readerOf } from '../snapshot/database.ts';
import { GENESIS } from './commit.ts';
import { admissions, foundFleet, hostIdOf, readFleet, readFounding } from './found.ts';
import { deposit } from './inbox.ts';

const ann = householdOf('ann', ['cc', 'cursor']);
const bob = householdOf('bob');
const fleet = { fleetId: 'fleet', admission: 'open' } as const;
const newStore = () => openMemoryStore({ immutable: (key) => key.startsWith('ledger/') });

test('a host is known by the hash of its address', () => {
  expect(hostIdOf(ann.host.address)).toBe(sha256Hex(ann.host.address).slice(0, 16));
  expect(hostIdOf(bob.host.address)).not.toBe(hostIdOf(ann.host.address));
});

describe('founding', () => {
  test.each(['open', 'closed'] as const)('%s: one commit, and the card', async (admission) => {
    const store = newStore();
    const founding = await foundFleet(store, { ...fleet, admission }, ann, worldAt());
    const { commits, records } = await auditLedger(store);
    expect(commits).toHaveLength(1);
    expect(commits[0]?.checkpoint).toMatchObject({ n: 1, author: ann.host.address, size: 4 });
    const [first, ...rest] = records;
    expect(first?.body).toMatchObject({ fleet_id: 'fleet', admission, author: ann.person.address });
    expect(rest.map(({ body }) => [body['kind'], body['principal'], body['roles']])).toEqual([
      ['host', ann.hostId, ['capture', 'commit', 'extract', 'gate']],
      ['agent', 'ann-cc', ['propose']],
      ['agent', 'ann-cursor', ['propose']],
    ]);
    for (const { body } of rest)
      expect(body).toMatchObject({ author: ann.person.address, operator: ann.person.address });
    expect(founding).toMatchObject({
      fleetId: 'fleet',
      entry: first && recordId('fleet', first.body),
      admitted: [ann.person.address, ...rest.map(({ body }) => body['address'])],
    });
    const card = JSON.parse(Buffer.from((await store.get(FLEET_KEY)) ?? []).toString());
    expect(card).toEqual({ format: 1, fleet_id: 'fleet', entry: founding.entry });
    expect(await readFleet(store)).toMatchObject({ fleetId: 'fleet', entry: founding.entry });
  });

  test('on an empty store there is no fleet', async () => {
    const store = newStore();
    expect(await readFleet(store)).toBeUndefined();
    expect(await readFounding(store)).toBeUndefined();
    expect(await store.get(FLEET_KEY)).toBeUndefined();
  });

  test('two foundings are two fleets, by their nonce', async () => {
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name) => foundFleet(newStore(), fleet, ann, worldAt(T0, name))),
    );
    expect(one?.entry).not.toBe(two?.entry);
  });

  test('twice: the second changes nothing, and gets the first', async () => {
    const store = newStore();
    const first = await foundFleet(store, fleet, ann, worldAt(T0, 'first'));
    const before = await auditLedger(store);
    const other = { fleetId: 'other', admission: 'closed' } as const;
    expect(await foundFleet(store, other, bob, worldAt(T0, 'second'))).toEqual(first);
    expect(await auditLedger(store)).toEqual(before);
  });

  test('by many at once: one founds, and all get the same', async () => {
    const store = newStore();
    const homes = Array.from({ length: 10 }, (_, i) => householdOf(`home ${i}`));
    const founded = await Promise.all(
      homes.map((home, i) => foundFleet(store, fleet, home, worldAt(T0, `home ${i}`))),
    );
    const { commits, records } = await auditLedger(store);
    expect(commits).toHaveLength(1);
    for (const one of founded) expect(one).toEqual(founded[0]);
    expect(founded[0]?.admitted).toContain(commits[0]?.checkpoint.author);
    expect(await readFleet(store)).toMatchObject({ entry: records[0] && open(records[0]).id });
  });

  test('cut off at any moment, it is one fleet all the same', async () => {
    await faultSweep(
      async (store, attempt) => {
        await foundFleet(store, fleet, ann, worldAt(T0, `attempt ${attempt}`));
      },
      newStore,
      async (store) => {
        const { commits, records } = await auditLedger(store);
        expect(commits).toHaveLength(1);
        expect(await readFleet(store)).toMatchObject({ entry: records[0] && open(records[0]).id });
        expect(await store.get(FLEET_KEY)).toBeDefined();
      },
    );
  });

  test('cut off after commit 1, whoever comes next puts the card', async () => {
    const store = newStore();
    await foundOn(store, ann);
    const card = await store.get(FLEET_KEY);
    const founding = await readFounding(store);
    await store.delete(FLEET_KEY);
    expect(await readFleet(store)).toEqual(founding);
    expect(await store.get(FLEET_KEY)).toEqual(card);
  });
});

describe('what is no fleet', () => {
  const refused = (code: string, category = 'configuration') => ({ category, code });

  test.each([
    ['no JSON', '{'],
    ['another format', '{"entry":"e","fleet_id":"fleet","format":2}'],
    ['no entry', '{"fleet_id":"fleet","format":1}'],
    ['no fleet', '{"entry":"e","format":1}'],
    ['a list', '[]'],
    ['nothing', ''],
  ])('a card of %s', async (_what, text) => {
    const store = newStore();
    await store.put(FLEET_KEY, Buffer.from(text));
    await expect(readFleet(store)).rejects.toMatchObject(refused('fleet.malformed'));
  });

  test('a ledger that begins with something else', async () => {
    const store = newStore();
    await putCommit(store, GENESIS, foundingOf(ann).slice(1), { home: ann });
    const taken = refused('fleet.taken', 'conflict');
    await expect(readFleet(store)).rejects.toMatchObject(taken);
    await expect(foundFleet(store, fleet, bob, worldAt())).rejects.toMatchObject(taken);
    expect(await store.get(FLEET_KEY)).toBeUndefined();
  });

  test('a first commit that is broken', async () => {
    const store = openMemoryStore();
    await store.put(commitKey(1), Buffer.from('{'));
    await expect(readFleet(store)).rejects.toMatchObject({ code: 'ledger.torn' });
    await expect(foundFleet(store, fleet, bob, worldAt())).rejects.toMatchObject({
      code: 'ledger.torn',
    });
  });
});

describe('joining', () => {
  async function join(store: ObjectStore, home: typeof ann): Promise<void> {
    const records = admissions(home, toInstant(T0)).map(({ record }) => record);
    await deposit(store, home.hostId, 1, records);
  }

  test('an open fleet, as a host that nobody admitted yet: its own commit admits it', async () => {
    const store = newStore();
    await foundOn(store, ann);
    await join(store, bob);
    const joined = memberOf(store, bob, worldAt());
    expect(await joined.commit()).toEqual([]);
    const { commits } = await auditLedger(store);
    expect(commits.map(({ checkpoint }) => checkpoint.author)).toEqual([
      ann.host.address,
      bob.host.address,
    ]);
    for (const state of [joined.state, newSql()]) {
      await followOn(store, state, 'fleet');
      const reader = readerOf(state);
      expect(principalOf(reader, bob.host.address)).toMatchObject({ principal: bob.hostId });
      expect(principalOf(reader, bob.person.address)).toMatchObject({ roles: [] });
      expect(principalOf(reader, keyOf('bob agent cc').address)).toMatchObject({
        principal: 'bob-cc',
        operator: bob.person.address,
        roles: ['propose'],
      });
    }
    expect(await inboxOf(store)).toEqual([]);
  });

  test('one’s own fleet again takes nothing from its founder', async () => {
    const store = newStore();
    await foundOn(store, ann);
    await join(store, ann);
    const member = memberOf(store, ann, worldAt());
    await member.commit();
    const person = principalOf(readerOf(member.state), ann.person.address);
    expect(person?.roles).toEqual(['admin', 'review']);
    const host = principalOf(readerOf(member.state), ann.host.address);
    expect(host?.roles).toEqual(['capture', 'commit', 'extract', 'gate']);
    expect(await inboxOf(store)).toEqual([]);
  });

  test('a closed fleet waits for an admin', async () => {
    const store = newStore();
    await foundOn(store, ann, 'closed');
    await join(store, bob);
    const waiting = await memberOf(store, ann, worldAt()).commit();
    expect(waiting.map((one) => one.for)).toEqual(['admission', 'admission', 'admission']);
    expect((await auditLedger(store)).commits).toHaveLength(1);
    expect(await inboxOf(store)).toHaveLength(1);
  });
});
