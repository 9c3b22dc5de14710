import { describe, expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import { keyOf } from '../../test/kit/fleet.ts';
import { objectsIn } from '../../test/kit/lake.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { sha256Hex } from '../base/hash.ts';
import { dayOf, toInstant } from '../base/time.ts';
import type { Trouble } from '../base/trouble.ts';
import { parquet } from '../io/parquet.ts';
import { partKey, type SessionPlace } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { recordId, type SignedRecord } from '../record/record.ts';
import { SessionBody } from '../record/session.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { sealOrphans } from './seal-orphans.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.UTC(2026, 2, 5, 12);
const GONE = '0123456789abcdef';
const ALIVE = '00000000aaaaaaaa';
const place: SessionPlace = {
  date: dayOf(toInstant(NOW - 2 * DAY)),
  runtime: 'claude-code',
  agent: 'cc-01',
  host: GONE,
  session: 's1',
};
const event = (fields: Partial<Envelope> = {}): Envelope =>
  envelope({ session_id: 's1', emitted_at: toInstant(NOW - 2 * DAY), content: 'go', ...fields });

/** Puts a part under the key that its bytes give it in a place. */
async function put(
  store: ObjectStore,
  events: readonly Envelope[],
  at: Partial<SessionPlace> = {},
  n = 1,
): Promise<string> {
  const bytes = parquet.encode(events);
  const key = partKey({ ...place, ...at }, n, sha256Hex(bytes));
  await store.put(key, bytes);
  return key;
}

/** Maintains where the host that has gone was last heard of at these moments. */
async function maintain(
  store: ObjectStore,
  known: readonly string[] = [],
  heard: readonly (readonly [host: string, at: number])[] = [[GONE, NOW - DAY]],
  accepted: readonly string[] = [],
) {
  const records: SignedRecord[] = [];
  const troubles: Trouble[] = [];
  const inStore = await Promise.all(
    known.map(async (key) => ({ key, bytes: await store.get(key) })),
  );
  const named = JSON.stringify(
    inStore.flatMap(({ key, bytes }) => (bytes ? [{ key, hash: sha256Hex(bytes) }] : [])),
  );
  const roster = heard.map(([host, at], i) => ({
    version: 1 as const,
    host,
    agent: `cc-0${i}`,
    runtime: 'claude-code',
    at: toInstant(at),
    sessions: [],
  }));
  const sealed = await sealOrphans(
    {
      store,
      codec: parquet,
      relax: () => {},
      now: NOW,
      hostId: 'fedcba9876543210',
      host: keyOf('maintainer'),
      known: () => (known.length > 0 ? { revision: 1, agent: 'cc-01', parts: named } : undefined),
      isAccepted: (id) => accepted.includes(id),
      send: async (record) => void records.push(record),
    },
    new Set(known),
    roster,
    troubles,
  );
  const bodies = records.map(({ body }) => SessionBody.parse(body));
  return { sealed, records, bodies, troubles };
}

describe('what a host that has gone left', () => {
  test('is sealed in its name', async () => {
    const store = openMemoryStore();
    const parts = [
      await put(store, [event()]),
      await put(store, [event({ event_id: 'e2' })], {}, 2),
    ];
    const { sealed, bodies, troubles } = await maintain(store);
    expect([sealed, troubles]).toEqual([1, []]);
    expect(bodies).toMatchObject([
      { session: 's1', agent: 'cc-01', runtime: 'claude-code', host: GONE, revision: 1 },
    ]);
    expect(bodies[0]?.parts.map(({ key }) => key)).toEqual(parts);
  });

  test('is sealed too where its clock was years ahead, dated by the sealing', async () => {
    const store = openMemoryStore();
    const emitted_at = '2999-01-01T00:00:00.000Z';
    await put(store, [event({ emitted_at })], { date: dayOf(emitted_at) });
    const { bodies } = await maintain(store);
    expect(bodies).toMatchObject([{ issued_at: toInstant(NOW), window: { last: emitted_at } }]);
  });

  test.each<[string, Parameters<typeof maintain>[2], number]>([
    ['nobody has heard of', [], 0],
    ['was heard of today', [[GONE, NOW - DAY + 1]], 0],
    [
      'was heard of today, and by a wrong clock',
      [
        [GONE, NOW + 400 * DAY],
        [GONE, NOW - 1],
      ],
      0,
    ],
    ['was heard of long ago', [[GONE, NOW - 9 * DAY]], 1],
    ['was heard of by a clock that is ahead', [[GONE, NOW + 2 * DAY]], 0],
    [
      'is ahead of another host, too',
      [
        [GONE, NOW + 2 * DAY],
        [ALIVE, NOW - 1],
      ],
      1,
    ],
  ])('is left or sealed: a host that %s', async (_what, heard, sealed) => {
    const store = openMemoryStore();
    await put(store, [event()]);
    expect((await maintain(store, [], heard)).sealed).toBe(sealed);
  });

  test('is left where an older revision, which the ledger took, names its parts', async () => {
    const store = openMemoryStore();
    await put(store, [event()]);
    const { records } = await maintain(store);
    const ids = records.map(({ context, body }) => recordId(context, body));
    expect((await maintain(store, ['sessions/of-another-host'], undefined, ids)).sealed).toBe(0);
    // One that was refused says nothing.
    expect((await maintain(store, ['sessions/of-another-host'])).sealed).toBe(1);
    await put(store, [event({ event_id: 'e9' })], {}, 9);
    expect((await maintain(store, ['sessions/of-another-host'], undefined, ids)).sealed).toBe(1);
  });

  test('is sealed with what the ledger has of the session from another host', async () => {
    const store = openMemoryStore();
    const theirs = { host_id: ALIVE, event_id: 'e7', content: 'theirs' };
    const copy = await put(store, [event(theirs)], { host: ALIVE });
    const own = await put(store, [event()]);
    const { bodies } = await maintain(store, [copy]);
    expect(bodies).toMatchObject([{ revision: 2, host: GONE, digest: { prompts: 2 } }]);
    expect(bodies[0]?.parts.map(({ key }) => key)).toEqual([own, copy]);
  });

  test('is sealed under a name that a key only holds in a shortened form', async () => {
    const store = openMemoryStore();
    const agent = 'a'.repeat(300);
    await put(store, [event({ agent_id: agent })], { agent });
    expect((await maintain(store)).bodies).toMatchObject([{ agent }]);
  });
});

describe('a part that says it is another’s', () => {
  test.each<[string, readonly Envelope[]]>([
    ['session', [event({ session_id: 'victim' })]],
    ['session, in a later event', [event(), event({ event_id: 'e2', session_id: 'victim' })]],
    ['host', [event({ host_id: 'ffffffffffffffff' })]],
    ['host, in a later event', [event(), event({ event_id: 'e2', host_id: 'ffffffffffffffff' })]],
    ['agent', [event({ agent_id: 'victim' })]],
    ['runtime', [event({ runtime: 'cursor' })]],
  ])('is refused with its session, and stops no other: %s', async (_what, events) => {
    const other = { session_id: 's2' };
    const store = openMemoryStore();
    await put(store, [event(other)], { session: 's2' });
    await put(store, [event({ event_id: 'e0' })]);
    const key = await put(store, events, {}, 2);
    const before = Object.keys(await objectsIn(store, 'sessions/')).filter((name) =>
      name.includes('session=s1/'),
    );
    const { sealed, bodies, troubles } = await maintain(store);
    expect(sealed).toBe(1);
    expect(bodies.map((body) => body.session)).toEqual(['s2']);
    expect(troubles).toMatchObject([{ id: 's1', code: 'lake.part_foreign' }]);
    expect(troubles[0]?.message).toContain(key);
    const after = Object.keys(await objectsIn(store, 'sessions/'));
    expect(after.filter((name) => name.includes('session=s1/'))).toEqual(before);
  });

  test('so is one whose bytes are not those of its key', async () => {
    const store = openMemoryStore();
    const key = await put(store, [event()]);
    await store.put(key, parquet.encode([event({ content: 'forged' })]));
    const { bodies, troubles } = await maintain(store);
    expect(bodies).toEqual([]);
    expect(troubles).toMatchObject([{ id: 's1', code: 'lake.part_changed' }]);
  });
});
