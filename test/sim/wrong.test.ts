import { describe, expect, test } from 'vitest';
import { toInstant } from '../../src/base/time.ts';
import { setUp } from '../../src/home/set-up.ts';
import { openOutbox } from '../../src/io/outbox.ts';
import { parquet } from '../../src/io/parquet.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { openHome } from '../../src/node/node.ts';
import { withParts } from '../../src/node/passes.ts';
import { openForReading } from '../../src/node/snapshots.ts';
import { maintain, sync } from '../../src/pipeline.ts';
import { callHook, envOf, hookSettings, stillWorld, tempFolder, testHome } from '../kit/home.ts';
import { openMemoryStore } from '../kit/memory-store.ts';

const NOON = Date.UTC(2026, 2, 5, 12);
const HOUR = 3_600_000;

/** A home with one agent on a store, and a clock that the test sets. */
async function machine(store: ObjectStore) {
  const folder = tempFolder('wrong');
  const world = stillWorld(NOON);
  const fresh = testHome(folder, 'one', () => store, world);
  await setUp(fresh, { runtimes: ['claude-code'], agentIds: { 'claude-code': 'cc-01' } });
  const home = { ...fresh, settings: openHome({}, envOf(folder)).settings };
  const settings = hookSettings(home, { 'claude-code': 'cc-01' });
  const rows = (query: string) => {
    const state = openForReading(home, 'state');
    const found = state.all(query);
    state.close();
    return found;
  };
  return {
    home,
    /** A whole session, as hooks see it at a moment. */
    happen(session: string, at: number, prompt = 'go') {
      world.set(at);
      const of = { session_id: session, cwd: folder };
      callHook(home, settings, 'UserPromptSubmit', { ...of, prompt });
      callHook(home, settings, 'SessionEnd', { ...of, reason: 'exit' });
    },
    async run<T>(pass: (parts: Parameters<typeof sync>[0]) => Promise<T>, at: number): Promise<T> {
      world.set(at);
      const done = await withParts(home, pass, envOf(folder));
      if (!done) throw new Error('another process holds the lock');
      return done.value;
    },
    sessions: () => rows('SELECT key, revision FROM sessions ORDER BY key'),
    notes: () => rows('SELECT summary, issued_at FROM handoffs'),
  };
}

const note = (written: number) => ({
  version: 1 as const,
  session: 's',
  agent: 'cc-01',
  runtime: 'claude-code',
  repo: 'r',
  status: 'partial' as const,
  summary: 'half',
  written_at: toInstant(written),
});

describe('a clock that was days ahead', () => {
  test('loses no session and no handoff', async () => {
    const one = await machine(openMemoryStore());
    one.happen('s', NOON + 48 * HOUR);
    openOutbox(one.home.folders.home).add('01', note(NOON + 48 * HOUR));
    const report = await one.run(sync, NOON + HOUR);
    expect(report).toMatchObject({ sealed: 1, handoffs: 1, waiting: [], troubles: [] });
    expect(one.sessions()).toEqual([{ key: 's', revision: 1 }]);
    expect(one.notes()).toEqual([{ summary: 'half', issued_at: toInstant(NOON + HOUR) }]);
  });

  test('and still is: what the ledger refuses is said', async () => {
    let storeTime: number | undefined;
    const one = await machine(Object.assign(openMemoryStore(), { time: async () => storeTime }));
    storeTime = NOON;
    one.happen('s', NOON + 48 * HOUR);
    openOutbox(one.home.folders.home).add('01', note(NOON));
    const { troubles } = await one.run(sync, NOON + 48 * HOUR);
    expect(troubles).toEqual([
      {
        id: 's',
        code: 'record.future',
        message: expect.stringMatching(/^the ledger refused the session record [0-9a-f]{12}$/),
      },
    ]);
    expect(one.notes()).toHaveLength(1);
  });
});

describe('a part that was changed in the store', () => {
  test('keeps its session from its next seal, and nothing else from anything', async () => {
    const store = openMemoryStore();
    const one = await machine(store);
    one.happen('changed', NOON);
    one.happen('other', NOON);
    await one.run(sync, NOON + 1);
    for await (const key of store.list('sessions/')) {
      if (!key.includes('session=changed/part-')) continue;
      const events = await parquet.decode((await store.get(key)) ?? new Uint8Array());
      await store.put(key, parquet.encode(events.map((event) => ({ ...event, content: 'no' }))));
    }
    for (const session of ['changed', 'other', 'third']) one.happen(session, NOON + HOUR, 'more');
    const report = await one.run(sync, NOON + HOUR + 1);
    expect(report).toMatchObject({
      sealed: 2,
      troubles: [{ id: 'changed', code: 'lake.part_changed' }],
    });
    expect(one.sessions()).toEqual([
      { key: 'changed', revision: 1 },
      { key: 'other', revision: 2 },
      { key: 'third', revision: 1 },
    ]);
    const later = await one.run(maintain, NOON + 48 * HOUR);
    expect(later?.troubles.map(({ code }) => code)).toEqual([
      'lake.part_changed',
      'lake.part_changed',
    ]);
  });
});
