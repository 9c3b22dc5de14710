import { describe, expect, test } from 'vitest';
import { assert, CredenceError } from '../../src/base/errors.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { objectStoreContract } from '../contract/object-store.ts';
import { everyOperation, type Fault, faultSweep, flakyStore } from './flaky-store.ts';
import { openMemoryStore } from './memory-store.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const fault = { category: 'unavailable', code: 'test.fault' };

async function keysOf(store: ObjectStore, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

objectStoreContract('flaky, without a fault', () => flakyStore(openMemoryStore(), () => undefined));

describe('flaky store', () => {
  test.each(['lost', 'unacknowledged'] as const)(
    '%s: an error, and the deed done or not',
    async (kind) => {
      const inner = openMemoryStore();
      await inner.put('old', bytes('1'));
      const store = flakyStore(inner, () => kind);
      for (const action of [
        () => store.put('put', bytes('2')),
        () => store.putIfAbsent('once', bytes('3')),
        () => store.delete('old'),
        () => store.get('put'),
        () => store.time(),
      ]) {
        await expect(action()).rejects.toMatchObject(fault);
      }
      expect(await keysOf(inner)).toEqual(kind === 'lost' ? ['old'] : ['once', 'put']);
    },
  );

  test('a list that is lost shows nothing, one that is unacknowledged all, and both throw', async () => {
    const inner = openMemoryStore();
    await inner.put('a', bytes('1'));
    for (const [kind, shown] of [
      ['lost', []],
      ['unacknowledged', ['a']],
    ] as const) {
      const seen: string[] = [];
      const listing = (async () => {
        for await (const key of flakyStore(inner, () => kind).list('')) seen.push(key);
      })();
      await expect(listing).rejects.toMatchObject(fault);
      expect(seen).toEqual(shown);
    }
  });

  test('a stale list is the one of some operations ago', async () => {
    const inner = openMemoryStore();
    await inner.put('there', bytes('0'));
    const store = flakyStore(inner, (operation) => (operation === 'list' ? 'stale' : undefined), 3);
    await store.put('a/1', bytes('x')); //            1
    await store.put('a/2', bytes('x')); //            2
    expect(await keysOf(store)).toEqual(['there']); // 3, as after none
    expect(await keysOf(store)).toEqual(['a/1', 'there']); // 4, as after 1
    await store.put('there', bytes('again')); //      5
    await store.delete('a/1'); //                     6
    await store.put('a/1', bytes('y')); //            7
    await store.delete('a/2'); //                     8
    expect(await keysOf(store, 'a/')).toEqual(['a/2']); // 9, as after 6
    expect(await keysOf(store)).toEqual(['a/1', 'a/2', 'there']); // 10, as after 7
    expect(await keysOf(store)).toEqual(['a/1', 'there']); // 11, as after 8
  });

  test('a partial list shows some of the keys, others each time, and none that is not there', async () => {
    const inner = openMemoryStore();
    const all = Array.from({ length: 12 }, (_, i) => `k${String(i).padStart(2, '0')}`);
    for (const key of all) await inner.put(key, bytes('x'));
    const store = flakyStore(inner, () => 'partial');
    const lists = [await keysOf(store), await keysOf(store), await keysOf(store)];
    for (const list of lists) {
      expect(list.length).toBeGreaterThan(0);
      expect(list.length).toBeLessThan(all.length);
      expect(all.filter((key) => list.includes(key))).toEqual(list);
    }
    expect(new Set(lists.map(String)).size).toBe(3);
  });

  test('a late write fails, and happens before an operation that comes later', async () => {
    const inner = openMemoryStore();
    await inner.put('old', bytes('1'));
    const kinds: (Fault | undefined)[] = ['late', 'late', 'late', undefined];
    const store = flakyStore(inner, (_operation, _key, nth) => kinds[nth - 1], 3);
    await expect(store.putIfAbsent('once', bytes('2'))).rejects.toMatchObject(fault); // 1
    await expect(store.put('put', bytes('3'))).rejects.toMatchObject(fault); //          2
    await expect(store.delete('old')).rejects.toMatchObject(fault); //                   3
    expect(await keysOf(inner)).toEqual(['old']);
    expect(await store.putIfAbsent('once', bytes('4'))).toBe(false); //                  4, after the first
    expect(await keysOf(store)).toEqual(['old', 'once', 'put']); //                      5, after the second
    expect(await keysOf(store)).toEqual(['once', 'put']); //                             6, after all
    expect(await inner.get('once')).toEqual(bytes('2'));
  });

  test('the plan sees operation, key and number; stale passes over what is no list', async () => {
    const calls: unknown[] = [];
    const store = flakyStore(openMemoryStore(), (...call) => {
      calls.push(call);
      return 'stale' as Fault;
    });
    await store.put('a', bytes('x'));
    expect(await store.get('a')).toEqual(bytes('x'));
    await keysOf(store, 'pre');
    await store.time();
    expect(calls).toEqual([
      ['put', 'a', 1],
      ['get', 'a', 2],
      ['list', 'pre', 3],
      ['time', '', 4],
    ]);
  });

  test('every operation is recorded', async () => {
    const { store, operations } = everyOperation(openMemoryStore());
    await store.putIfAbsent('a', bytes('x'));
    await keysOf(store, '');
    await store.delete('a');
    expect(operations.map((one) => `${one.operation} ${one.key}`)).toEqual([
      'putIfAbsent a',
      'list ',
      'delete a',
    ]);
  });
});

describe('fault sweep', () => {
  const make = () => openMemoryStore({ immutable: (key) => key.startsWith('log/') });

  /** Moves an item of the inbox to a numbered log; safe at every step. */
  async function carry(store: ObjectStore): Promise<void> {
    await store.put('inbox/item', bytes('item'));
    for (let n = 1; ; n++) {
      const isMine = await store.putIfAbsent(`log/${n}`, bytes('item'));
      const found = await store.get(`log/${n}`);
      if (isMine || (found && Buffer.compare(found, bytes('item')) === 0)) break;
    }
    await store.delete('inbox/item');
  }

  async function carried(store: ObjectStore): Promise<void> {
    expect(await keysOf(store)).toEqual(['log/1']);
  }

  test('passes where each step can be done again, having failed each in both ways', async () => {
    const runs: number[] = [];
    const run = async (store: ObjectStore, attempt: number) => {
      runs.push(attempt);
      await carry(store);
    };
    await faultSweep(run, make, carried);
    expect(runs).toEqual([1, ...Array.from({ length: 8 }, () => [1, 2]).flat()]);
  });

  test('finds a write that is done twice when its answer was lost, and says where', async () => {
    const run = async (store: ObjectStore) => {
      const keys = await keysOf(store, 'log/');
      if (!(await store.get('done'))) {
        await store.put(`log/${keys.length + 1}`, bytes('item'));
        await store.put('done', bytes(''));
      }
    };
    const check = async (store: ObjectStore) =>
      expect(await keysOf(store)).toEqual(['done', 'log/1']);
    await expect(faultSweep(run, make, check)).rejects.toThrow(
      /^operation 3 of 4, put log\/1, unacknowledged: the check failed/,
    );
  });

  test('finds a next run that fails', async () => {
    const run = async (store: ObjectStore) => {
      if (!(await store.putIfAbsent('lock', bytes(''))))
        throw new CredenceError('busy', 'lock', 'locked');
      await store.delete('lock');
    };
    await expect(faultSweep(run, make, async () => {})).rejects.toThrow(
      /^operation 1 of 2, putIfAbsent lock, unacknowledged: the next run failed: locked/,
    );
  });

  test('does not take a bug for the fault', async () => {
    const run = async (store: ObjectStore, attempt: number) => {
      const wasPut = await store.put('a', bytes('')).then(
        () => true,
        () => false,
      );
      assert(wasPut || attempt > 1, 'a put succeeds');
    };
    await expect(faultSweep(run, make, async () => {})).rejects.toThrow(
      /put a, lost: the run failed: invariant broken/,
    );
  });

  test('takes wrapped faults as faults', async () => {
    const run = async (store: ObjectStore, attempt: number) => {
      const wrap = (cause: unknown) => {
        if (attempt === 1) throw new AggregateError([new Error('wrapped', { cause })]);
        throw cause;
      };
      await store.put('a', bytes('')).catch(wrap);
    };
    await expect(faultSweep(run, make, async () => {})).resolves.toBeUndefined();
  });

  test('refuses a run that asks for nothing, or not for the same each time', async () => {
    await expect(
      faultSweep(
        async () => {},
        make,
        async () => {},
      ),
    ).rejects.toThrow(/nothing/);
    let times = 0;
    const run = async (store: ObjectStore) => {
      if (times++ === 0) await store.get('a');
    };
    await expect(faultSweep(run, make, async () => {})).rejects.toThrow(/did not come that far/);
  });
});
