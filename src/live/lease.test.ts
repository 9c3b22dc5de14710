import { describe, expect, test } from 'vitest';
import { faultSweep } from '../../test/kit/flaky-store.ts';
import { objectsIn } from '../../test/kit/lake.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { LIMIT } from '../base/limits.ts';
import { leaseKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { LEASE_MS, releaseLease, takeLease } from './lease.ts';

const NOW = Date.UTC(2026, 2, 4, 5);
const held = async (store: ObjectStore) => Object.keys(await objectsIn(store, 'live/leases/'));

describe('the maintenance lease', () => {
  test('of two hosts at once one gets it', async () => {
    const store = openMemoryStore();
    const taken = await Promise.all(['a', 'b', 'c'].map((host) => takeLease(store, host, NOW)));
    expect(taken.filter((got) => got)).toHaveLength(1);
  });

  test.each<[string, number, boolean]>([
    ['while it runs', LEASE_MS - 1, false],
    ['when it ran out', LEASE_MS, true],
  ])('another host, %s: %j', async (_what, later, gets) => {
    const store = openMemoryStore();
    expect(await takeLease(store, 'a', NOW)).toBe(true);
    expect(await takeLease(store, 'b', NOW + later)).toBe(gets);
  });

  test.each<[string, number, boolean]>([
    ['a little', LIMIT.future_ms_max, false],
    ['more than clocks may be', LIMIT.future_ms_max + 1, true],
    ['by a year', 365 * 86_400_000, true],
  ])('one by a clock that is ahead %s is free to others: %3$j', async (_what, ahead, gets) => {
    const store = openMemoryStore();
    expect(await takeLease(store, 'a', NOW + ahead)).toBe(true);
    expect(await takeLease(store, 'b', NOW)).toBe(gets);
    // And the clock that is ahead sees the other's as over.
    if (gets) expect(await takeLease(store, 'a', NOW + ahead + LEASE_MS)).toBe(true);
  });

  test('one that is too large to be read holds nothing', async () => {
    const store = openMemoryStore();
    await store.put(leaseKey(1), Buffer.alloc(1024 * 1024));
    expect(await takeLease(store, 'a', NOW)).toBe(true);
    expect(await held(store)).toEqual([leaseKey(2)]);
  });

  test('its holder renews it', async () => {
    const store = openMemoryStore();
    await takeLease(store, 'a', NOW);
    expect(await takeLease(store, 'a', NOW + LEASE_MS - 1)).toBe(true);
    expect(await takeLease(store, 'b', NOW + LEASE_MS + 1)).toBe(false);
  });

  test('given back it is free, and it is nobody else’s to give back', async () => {
    const store = openMemoryStore();
    await takeLease(store, 'a', NOW);
    await releaseLease(store, 'b', NOW);
    expect(await takeLease(store, 'b', NOW)).toBe(false);
    await releaseLease(store, 'a', NOW);
    expect(await takeLease(store, 'b', NOW)).toBe(true);
  });

  test('old epochs go, the newest stays', async () => {
    const store = openMemoryStore();
    for (let i = 1; i <= 5; i++) await takeLease(store, 'a', NOW);
    expect(await held(store)).toEqual([leaseKey(5)]);
  });

  test.each(['', '{', 'null', '{"host":"a"}', '{"host":"a","until":"tomorrow"}'])(
    'one that can’t be read, %j, holds nothing',
    async (text) => {
      const store = openMemoryStore();
      await store.put(leaseKey(3), Buffer.from(text));
      expect(await takeLease(store, 'b', NOW)).toBe(true);
      expect(await held(store)).toEqual([leaseKey(4)]);
    },
  );

  test('whatever operation fails, its own host can go on', async () => {
    await faultSweep(
      async (store, attempt) => {
        const taken = await takeLease(store, 'a', NOW + attempt);
        if (attempt === 2) expect(taken).toBe(true);
        await releaseLease(store, 'a', NOW + attempt);
      },
      openMemoryStore,
      async (store) => expect(await takeLease(store, 'b', NOW + 3)).toBe(true),
    );
  });
});
