import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toInstant } from '../../src/base/time.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { openForReading } from '../../src/node/snapshots.ts';
import { importAll, maintain, type Parts, sync } from '../../src/pipeline.ts';
import type { Digest } from '../../src/record/digest.ts';
import { place, stillWorld, tempFolder } from '../kit/home.ts';
import { joined } from '../kit/joined.ts';
import { openMemoryStore } from '../kit/memory-store.ts';

const NOON = Date.UTC(2026, 2, 5, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A store, and machines that share it and a clock. */
function fleet() {
  const store = openMemoryStore();
  const world = stillWorld(NOON);
  /** `wrapped` is the store as this machine sees it. */
  async function joinAs(name: string, wrapped: ObjectStore = store) {
    const folder = tempFolder(name);
    const one = await joined(folder, name, wrapped, world);
    return {
      hook: (event: string, payload: object = {}) => one.hook(event, { cwd: folder, ...payload }),
      run: one.run,
      transcript(prompts: number) {
        const line = (n: number) =>
          JSON.stringify({
            uuid: `u${n}`,
            sessionId: 's',
            cwd: '/w',
            timestamp: toInstant(NOON + n * MINUTE),
            type: 'user',
            message: { content: `step ${n}` },
          });
        const lines = Array.from({ length: prompts }, (_, n) => `${line(n)}\n`);
        place(join(folder, '.claude', 'projects', '-w', 's.jsonl'), lines.join(''));
      },
      session() {
        const state = openForReading(one.home, 'state');
        const row = state.get("SELECT agent, digest, parts FROM sessions WHERE key = 's'");
        state.close();
        const digest = JSON.parse(String(row?.['digest'])) as Digest;
        const parts = (JSON.parse(String(row?.['parts'])) as unknown[]).length;
        return { agent: row?.['agent'], prompts: digest.prompts, parts };
      },
    };
  }
  return { store, join: joinAs, at: (ms: number) => world.set(NOON + ms) };
}
const importNow = (parts: Parts) => importAll(parts, parts.history.files(), () => {});

describe('a session that two hosts seal', () => {
  test('one comes back in the very moment in which the other seals what it had left: nothing is lost', async () => {
    const { store, join, at } = fleet();
    let beforePut: (() => Promise<unknown>) | undefined;
    const watched: ObjectStore = {
      name: store.name,
      get: (key) => store.get(key),
      putIfAbsent: (key, bytes) => store.putIfAbsent(key, bytes),
      list: (prefix) => store.list(prefix),
      delete: (key) => store.delete(key),
      time: () => store.time(),
      async put(key, bytes) {
        const act = key.startsWith('sessions/') ? beforePut : undefined;
        if (act) beforePut = undefined;
        await act?.();
        await store.put(key, bytes);
      },
    };
    const ours = await join('ours', watched);
    const other = await join('other');
    ours.hook('UserPromptSubmit', { prompt: 'go' });
    at(20 * MINUTE);
    await ours.run(sync);
    at(26 * HOUR);
    ours.hook('UserPromptSubmit', { prompt: 'go on' });
    ours.hook('SessionEnd', { reason: 'exit' });
    beforePut = () => other.run(maintain);
    await ours.run(sync);
    at(27 * HOUR);
    await ours.run(sync);
    await other.run(sync);
    const whole = { agent: 'ours', prompts: 2, parts: 2 };
    expect([ours.session(), other.session()]).toEqual([whole, whole]);
    at(60 * HOUR);
    expect((await ours.run(sync)).sealed + ((await other.run(maintain))?.sealed ?? 0)).toBe(0);
  });

  test('an older copy of its transcript on another machine takes nothing away', async () => {
    const { join, at } = fleet();
    const ours = await join('ours');
    const copy = await join('copy');
    ours.transcript(5);
    copy.transcript(1);
    at(24 * HOUR);
    await ours.run(importNow);
    await copy.run(importNow);
    expect(copy.session()).toMatchObject({ agent: 'ours', prompts: 5 });
    await ours.run(sync);
    expect(ours.session()).toMatchObject({ agent: 'ours', prompts: 5 });
    // Both are content with it.
    expect([(await ours.run(importNow)).sync.sealed, (await copy.run(sync)).sealed]).toEqual([
      0, 0,
    ]);
  });
});
