import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { objectStoreContract } from '../contract/object-store.ts';
import { openMemoryStore } from './memory-store.ts';
import { type Schedule, Scheduler } from './scheduler.ts';

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? '').toString();

/** Three tasks that each write a line to one log by reading, adding and writing: what overlaps is lost. */
async function writeUnsafely(schedule: Schedule): Promise<string> {
  const inner = openMemoryStore();
  const scheduler = new Scheduler(schedule);
  const work = [0, 1, 2].map((task) => async () => {
    const store = scheduler.store(task, inner);
    for (let round = 0; round < 3; round++) {
      const before = text(await store.get('log'));
      await store.put('log', Buffer.from(`${before}${task}`));
    }
  });
  await scheduler.run(work);
  return text(await inner.get('log'));
}

objectStoreContract('in a schedule', () => {
  const inner = openMemoryStore();
  // Each operation is a task of its own, which the scheduler runs to its end.
  const alone = async <T>(body: (store: ObjectStore) => Promise<T>): Promise<T> => {
    const scheduler = new Scheduler({ order: 1, stalls: [] });
    let result: { readonly value: T } | undefined;
    await scheduler.run([
      async () => {
        result = { value: await body(scheduler.store(0, inner)) };
      },
    ]);
    if (!result) throw new Error('the task has not ended');
    return result.value;
  };
  return {
    name: 'scheduled',
    get: (key, bytesMax) => alone((store) => store.get(key, bytesMax)),
    put: (key, bytes) => alone((store) => store.put(key, bytes)),
    putIfAbsent: (key, bytes) => alone((store) => store.putIfAbsent(key, bytes)),
    delete: (key) => alone((store) => store.delete(key)),
    time: () => alone((store) => store.time()),
    async *list(prefix) {
      yield* await alone(async (store) => {
        const keys: string[] = [];
        for await (const key of store.list(prefix)) keys.push(key);
        return keys;
      });
    },
  };
});

describe('a schedule', () => {
  test('gives the same order each time, and another one for another number', async () => {
    const logs: string[] = [];
    for (let order = 0; order < 40; order++) {
      const log = await writeUnsafely({ order, stalls: [] });
      expect(await writeUnsafely({ order, stalls: [] })).toBe(log);
      logs.push(log);
    }
    expect(new Set(logs).size).toBeGreaterThan(20);
    // Both what is whole and what was overwritten comes about.
    expect(logs.some((log) => log.length < 7)).toBe(true);
    expect(logs.some((log) => log.length > 7)).toBe(true);
  });

  test('ends for any stalls', async () => {
    const anyStall = fc.record({
      task: fc.nat(2),
      at: fc.nat(14),
      steps: fc.oneof(fc.nat(30), fc.constant(Number.POSITIVE_INFINITY)),
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(anyStall, { maxLength: 6 }), async (order, stalls) => {
        expect((await writeUnsafely({ order, stalls })).length).toBeGreaterThan(0);
      }),
      { numRuns: 50 },
    );
  });

  test('holds a task between what it does and the answer, past the end of all others', async () => {
    const inner = openMemoryStore();
    const heard: string[] = [];
    const stalls = [{ task: 0, at: 1, steps: Number.POSITIVE_INFINITY }];
    for (let order = 0; order < 10; order++) {
      const scheduler = new Scheduler({ order, stalls });
      const stalled = scheduler.store(0, inner);
      const other = scheduler.store(1, inner);
      await scheduler.run([
        async () => {
          const isMine = await stalled.putIfAbsent(`a${order}`, Buffer.from('x'));
          heard.push(`put ${isMine}`);
        },
        async () => {
          while ((await other.get(`a${order}`)) === undefined);
          heard.push('seen');
        },
      ]);
    }
    expect(heard).toEqual(Array.from({ length: 10 }, () => ['seen', 'put true']).flat());
  });

  test('says so where a task waits for something else, and passes on what a task rejects with', async () => {
    const scheduler = new Scheduler({ order: 0, stalls: [] });
    await expect(scheduler.run([() => new Promise(() => undefined)])).rejects.toThrow('no store');
    const failing = new Scheduler({ order: 0, stalls: [] });
    const store = failing.store(0, openMemoryStore());
    await expect(
      failing.run([
        async () => {
          await store.get('not a key');
        },
      ]),
    ).rejects.toMatchObject({ code: 'store.key' });
  });
});
