import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toInstant } from '../../src/base/time.ts';
import { openForReading } from '../../src/node/snapshots.ts';
import { importAll, maintain, type Parts, sync } from '../../src/pipeline.ts';
import type { Digest } from '../../src/record/digest.ts';
import { place, stillWorld, tempFolder } from '../kit/home.ts';
import { joined } from '../kit/joined.ts';
import { openMemoryStore } from '../kit/memory-store.ts';

const NOON = Date.UTC(2026, 2, 5, 12);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A machine with hooks, and with a transcript of session `s`. */
async function machine() {
  const folder = tempFolder('history');
  const store = openMemoryStore();
  const world = stillWorld(NOON);
  const one = await joined(folder, 'one', store, world, 'cc-01');
  const path = join(folder, '.claude', 'projects', '-w', 's.jsonl');
  const cwd = join(folder, 'work');
  return {
    store,
    path,
    at: (minute: number) => world.set(NOON + minute * MINUTE),
    hook: (event: string, payload: object = {}) =>
      one.hook(event, { cwd, transcript_path: path, ...payload }),
    run: one.run,
    /** The prompts so far, each at its minute, and the answer to each. */
    transcript(...prompts: readonly (readonly [minute: number, text: string])[]) {
      const line = (minute: number, uuid: string, fields: object) =>
        JSON.stringify({
          uuid,
          sessionId: 's',
          cwd,
          timestamp: toInstant(NOON + minute * MINUTE),
          ...fields,
        });
      const lines = prompts.flatMap(([minute, content]) => [
        line(minute, `u${minute}`, { type: 'user', message: { content } }),
        line(minute, `a${minute}`, {
          type: 'assistant',
          message: { id: `m${minute}`, content: [{ type: 'text', text: `so I ${content}` }] },
        }),
      ]);
      place(path, lines.map((one) => `${one}\n`).join(''));
    },
    digest(): Partial<Digest> {
      const state = openForReading(one.home, 'state');
      const row = state.get("SELECT digest FROM sessions WHERE key = 's'");
      state.close();
      return JSON.parse(String(row?.['digest'] ?? '{}')) as Partial<Digest>;
    },
  };
}
const importNow = (parts: Parts) => importAll(parts, parts.history.files(), () => {});

describe('a session that is both imported and live', () => {
  test('has each prompt once, where it goes on live with words that it had before', async () => {
    const one = await machine();
    one.transcript([0, 'continue'], [2, 'and now?']);
    one.at(60);
    await one.run(importNow);
    expect(one.digest()).toMatchObject({ prompts: 2 });
    one.at(120);
    one.hook('UserPromptSubmit', { prompt: 'continue' });
    one.hook('SessionEnd', { reason: 'exit' });
    one.transcript([0, 'continue'], [2, 'and now?'], [120, 'continue']);
    await one.run(sync);
    const coverage = { captured: 1, known: 3 };
    expect(one.digest()).toMatchObject({ asked: 'continue', prompts: 3, coverage });
  });

  test('has each prompt once, where it is imported again while it runs', async () => {
    const one = await machine();
    one.transcript([0, 'continue']);
    one.at(60);
    await one.run(importNow);
    for (const minute of [120, 121]) {
      one.at(minute);
      one.hook('UserPromptSubmit', { prompt: 'continue' });
      // The line of the hook is not due yet; the transcript has the prompt already.
      one.transcript(
        [0, 'continue'],
        [120, 'continue'],
        ...(minute > 120 ? [[121, 'continue'] as const] : []),
      );
      await one.run(importNow);
    }
    one.hook('SessionEnd', { reason: 'exit' });
    await one.run(sync);
    expect(one.digest()).toMatchObject({ prompts: 3, coverage: { captured: 2, known: 3 } });
  });

  test('is said to be at work all the while', async () => {
    const one = await machine();
    one.hook('UserPromptSubmit', { prompt: 'mend the pump' });
    one.transcript([0, 'mend the pump']);
    const said: unknown[] = [];
    await one.run((parts) => {
      const store: Parts['store'] = {
        name: 'watched',
        get: (key) => parts.store.get(key),
        putIfAbsent: (key, bytes) => parts.store.putIfAbsent(key, bytes),
        list: (prefix) => parts.store.list(prefix),
        delete: (key) => parts.store.delete(key),
        time: () => parts.store.time(),
        put(key, bytes) {
          if (key.startsWith('live/agents/')) said.push(JSON.parse(Buffer.from(bytes).toString()));
          return parts.store.put(key, bytes);
        },
      };
      return importNow({ ...parts, store });
    });
    const sessions = [expect.objectContaining({ session: 's', asked: 'mend the pump' })];
    expect(said).toHaveLength(2);
    expect(said).toEqual(said.map(() => expect.objectContaining({ sessions })));
  });
});

test('a transcript that cannot be read holds up no seal', async () => {
  const one = await machine();
  one.transcript([0, 'go']);
  one.hook('UserPromptSubmit', { prompt: 'go' });
  one.hook('SessionEnd', { reason: 'exit' });
  const lines = () => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  };
  const report = await one.run((parts) => sync({ ...parts, lines: { ...parts.lines, lines } }));
  const trouble = { id: 's', code: 'lake.transcript_unread' };
  expect(report).toMatchObject({ sealed: 1, troubles: [trouble] });
  expect(one.digest()).toMatchObject({ prompts: 1 });
  expect(one.digest()).not.toHaveProperty('coverage');
  // Once it can be read, an import adds what hooks missed, in a further revision.
  await one.run(importNow);
  expect(one.digest()).toMatchObject({ coverage: { captured: 1, known: 1 }, replied: 'so I go' });
});

describe('maintenance', () => {
  const leases = async (store: Parts['store']) => {
    const untils: unknown[] = [];
    for await (const key of store.list('live/leases/')) {
      const lease = JSON.parse(Buffer.from((await store.get(key)) ?? []).toString()) as object;
      untils.push((lease as { until: unknown }).until);
    }
    return untils;
  };
  const DAYS = 3;

  test('goes on where a part is lost: it is said, and other days are compacted', async () => {
    const one = await machine();
    for (let day = 0; day < DAYS; day++) {
      one.at((day * DAY) / MINUTE);
      one.hook('UserPromptSubmit', { session_id: `s${day}`, prompt: 'go' });
      one.hook('SessionEnd', { session_id: `s${day}`, reason: 'exit' });
      await one.run(sync);
    }
    for await (const key of one.store.list('sessions/'))
      if (key.includes('session=s1/part-')) await one.store.delete(key);
    one.at((DAYS * DAY) / MINUTE);
    const report = await one.run(maintain);
    expect(report).toMatchObject({
      compacted: DAYS - 1,
      troubles: [{ code: 'lake.part_missing' }],
    });
    expect(await leases(one.store)).toEqual([toInstant(NOON + DAYS * DAY)]);
  });

  test('that fails gives the lease back', async () => {
    const one = await machine();
    const failing = (parts: Parts) =>
      maintain({
        ...parts,
        followed: () => {
          throw new Error('no');
        },
      });
    await expect(one.run(failing)).rejects.toThrow('no');
    expect(await leases(one.store)).toEqual([toInstant(NOON)]);
  });
});
