import { describe, expect, test, vi } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import { everyOperation, faultSweep, flakyStore } from '../../test/kit/flaky-store.ts';
import { objectsIn } from '../../test/kit/lake.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { sha256Hex } from '../base/hash.ts';
import { toInstant } from '../base/time.ts';
import type { Trouble } from '../base/trouble.ts';
import { parquet } from '../io/parquet.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { compact, type SealedParts } from './compact.ts';
import { partKey } from './layout.ts';
import { mergeEvents } from './merge.ts';
import type { ObjectStore } from './objects.ts';

/** Small derived parts, so that a few events fill several. */
vi.mock('../base/limits.ts', async (original) => {
  const { LIMIT } = (await original()) as { LIMIT: object };
  return { LIMIT: { ...LIMIT, part_bytes_max: 1_500 } };
});

const DAY = 24 * 3_600_000;
const NOW = Date.UTC(2026, 2, 10, 12);
const newStore = () => openMemoryStore({ immutable: (key) => key.startsWith('sessions/') });

/** A session with two parts that share their last event, `days` before now. */
function session(
  name: string,
  days: number,
  events = 4,
  content = `${name} says`,
): { readonly of: SealedParts; readonly parts: readonly (readonly [string, Envelope[]])[] } {
  const at = NOW - days * DAY;
  const all = Array.from({ length: events }, (_, i) =>
    envelope({
      event_id: sha256Hex(`${name} ${i}`).slice(0, 32),
      session_id: name,
      emitted_at: toInstant(at + i * 1_000),
      content: `${content} ${i}`,
    }),
  );
  const halves = [
    all.slice(0, Math.ceil(events / 2)),
    all.slice(Math.ceil(events / 2) - 1).map((event): Envelope => ({ ...event, reconciled: true })),
  ];
  const parts = halves.map((part, n) => {
    const place = {
      date: toInstant(at).slice(0, 10),
      runtime: 'claude-code',
      agent: 'cc-01',
      host: 'h',
      session: name,
    };
    return [partKey(place, n + 1, sha256Hex(parquet.encode(part))), part] as const;
  });
  return { of: { session: name, keys: parts.map(([key]) => key) }, parts };
}
type Made = ReturnType<typeof session>;

async function stored(
  sessions: readonly Made[],
  store: ObjectStore = newStore(),
): Promise<ObjectStore> {
  for (const { parts } of sessions)
    for (const [key, events] of parts) await store.put(key, parquet.encode(events));
  return store;
}
const run = (
  store: ObjectStore,
  sessions: readonly Made[],
  now = NOW,
  troubles: Trouble[] = [],
  relax = () => {},
) =>
  compact(
    { store, codec: parquet, relax },
    sessions.map(({ of }) => of),
    now,
    troubles,
  );
const derivedKeys = async (store: ObjectStore) => Object.keys(await objectsIn(store, 'compacted/'));
const days = (keys: readonly string[]) => [...new Set(keys.map((key) => key.split('/')[1]))].sort();

async function derivedEvents(store: ObjectStore, date: string): Promise<Envelope[]> {
  const events: Envelope[] = [];
  for await (const key of store.list(`compacted/dt=${date}/`))
    events.push(...(await parquet.decode((await store.get(key)) ?? new Uint8Array())));
  return events;
}
const byId = (events: readonly Envelope[]) =>
  events.toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1));
const mergedOf = (sessions: readonly Made[]) =>
  sessions.flatMap(({ parts }) => mergeEvents(parts.flatMap(([, events]) => events)));

describe('compaction', () => {
  test('a day that is over holds exactly the merged events of its sessions, in several parts', async () => {
    const sessions = [session('b', 2, 7), session('a', 2, 5), session('c', 1)];
    const store = await stored(sessions);
    expect(await run(store, sessions)).toBe(2);
    expect(days(await derivedKeys(store))).toEqual(['dt=2026-03-08', 'dt=2026-03-09']);
    expect(byId(await derivedEvents(store, '2026-03-08'))).toEqual(
      byId(mergedOf(sessions.slice(0, 2))),
    );
    expect(byId(await derivedEvents(store, '2026-03-09'))).toEqual(
      byId(mergedOf(sessions.slice(2))),
    );
    expect(
      (await derivedKeys(store)).filter((key) => key.includes('2026-03-08')).length,
    ).toBeGreaterThan(2);
  });

  test('today is left alone, by the UTC day', async () => {
    const today = session('a', 0);
    const store = await stored([today]);
    expect(await run(store, [today])).toBe(0);
    expect(await run(store, [today], NOW + 12 * 3_600_000 - 1)).toBe(0);
    expect(await run(store, [today], NOW + 12 * 3_600_000)).toBe(1);
  });

  test('a day that did not change is left alone, whatever order its sessions are listed in', async () => {
    const sessions = [session('a', 2), session('b', 2), session('c', 3)];
    const store = await stored(sessions);
    await run(store, sessions);
    const { store: watched, operations } = everyOperation(store);
    expect(await run(watched, sessions.toReversed())).toBe(0);
    expect(operations.map(({ operation }) => operation)).toEqual(['list']);
  });

  test('an older generation goes once the new one is whole; the originals stay', async () => {
    const [a, b] = [session('a', 2), session('b', 2)];
    const store = await stored([a]);
    await run(store, [a]);
    const old = await derivedKeys(store);
    await stored([b], store);
    const originals = await objectsIn(store, 'sessions/');
    expect(await run(store, [a, b])).toBe(1);
    const fresh = await derivedKeys(store);
    expect(fresh.filter((key) => old.includes(key))).toEqual([]);
    expect(byId(await derivedEvents(store, '2026-03-08'))).toEqual(byId(mergedOf([a, b])));
    expect(await objectsIn(store, 'sessions/')).toEqual(originals);
  });

  test('another day’s generations are not touched', async () => {
    const [a, b] = [session('a', 2), session('b', 3)];
    const store = await stored([a, b]);
    await run(store, [a, b]);
    const other = await objectsIn(store, 'compacted/dt=2026-03-07/');
    const more = session('c', 2);
    await stored([more], store);
    await run(store, [a, b, more]);
    expect(await objectsIn(store, 'compacted/dt=2026-03-07/')).toEqual(other);
  });

  test('one that was cut off anywhere is finished by the next', async () => {
    const [a, b] = [session('a', 2, 7), session('b', 2, 6)];
    const seed = await stored([a]);
    await run(seed, [a]);
    await stored([b], seed);
    const before = await objectsIn(seed);
    const clean = newStore();
    for (const [key, bytes] of Object.entries(before))
      await clean.put(key, Buffer.from(bytes, 'base64'));
    await run(clean, [a, b]);
    const expected = await objectsIn(clean);
    const seeded = openSeeded(before);
    await faultSweep(
      async (store) => void (await run(store, [a, b])),
      seeded,
      async (store) => expect(await objectsIn(store)).toEqual(expected),
    );
  });

  test.each<[string, (store: ObjectStore, key: string) => Promise<void>, string]>([
    ['lost', (store, key) => store.delete(key), 'lake.part_missing'],
    ['changed', (store, key) => store.put(key, Buffer.from('x')), 'lake.part_changed'],
  ])('a part that is %s holds up its own day alone', async (_what, spoil, code) => {
    const [bad, beside, other] = [session('a', 2), session('b', 2), session('c', 3)];
    const all = [bad, beside, other];
    const store = await stored([beside], openMemoryStore());
    await run(store, [beside]);
    const before = await objectsIn(store, 'compacted/');
    await stored([bad, other], store);
    await spoil(store, bad.of.keys[0] ?? '');
    const troubles: Trouble[] = [];
    expect(await run(store, all, NOW, troubles)).toBe(1);
    const id = expect.stringMatching(/^compacted\/dt=2026-03-08\/gen=[0-9a-f]{16}\/$/);
    expect(troubles).toEqual([{ id, code, message: expect.any(String) }]);
    expect(byId(await derivedEvents(store, '2026-03-07'))).toEqual(byId(mergedOf([other])));
    // The day keeps the generation that is whole, until its part is back.
    expect(await objectsIn(store, 'compacted/dt=2026-03-08/')).toEqual(before);
    await stored([bad], store);
    expect(await run(store, all)).toBe(1);
    expect(byId(await derivedEvents(store, '2026-03-08'))).toEqual(byId(mergedOf([bad, beside])));
  });

  test('a store that is out of reach is everybody’s trouble', async () => {
    const sessions = [session('a', 2), session('b', 3)];
    const store = await stored(sessions);
    const away = flakyStore(store, (operation) => (operation === 'get' ? 'lost' : undefined));
    await expect(run(away, sessions)).rejects.toMatchObject({ category: 'unavailable' });
  });

  test('a session of more than 16 MB stays as it is, and so its day is done', async () => {
    const text = 'x'.repeat(4 * 1024 * 1024);
    const [large, small, alone] = [
      session('a', 2, 4, text),
      session('b', 2),
      session('c', 3, 4, text),
    ];
    const sessions = [large, small, alone];
    const store = await stored(sessions);
    let rests = 0;
    expect(await run(store, sessions, NOW, [], () => void rests++)).toBe(2);
    expect(rests).toBeGreaterThanOrEqual(3);
    expect(byId(await derivedEvents(store, '2026-03-08'))).toEqual(byId(mergedOf([small])));
    expect(await derivedEvents(store, '2026-03-07')).toEqual([]);
    expect(await run(store, sessions)).toBe(0);
  });

  test('keys that are no parts’ belong to no day', async () => {
    const store = newStore();
    expect(
      await compact(
        { store, codec: parquet, relax: () => {} },
        [
          { session: 'x', keys: [] },
          { session: 'y', keys: ['fleet.json'] },
        ],
        NOW,
        [],
      ),
    ).toBe(0);
  });
});

/** Stores that already hold the given objects. Putting into the memory store is done at once, before anybody waits. */
function openSeeded(objects: Readonly<Record<string, string>>): () => ObjectStore {
  return () => {
    const store = newStore();
    for (const [key, bytes] of Object.entries(objects))
      void store.put(key, Buffer.from(bytes, 'base64'));
    return store;
  };
}
