import { expect, test } from 'vitest';
import { setUp } from '../../src/home/set-up.ts';
import { openHome } from '../../src/node/node.ts';
import { withParts } from '../../src/node/passes.ts';
import { openForReading } from '../../src/node/snapshots.ts';
import { maintain, sync } from '../../src/pipeline.ts';
import { callHook, envOf, hookSettings, stillWorld, tempFolder, testHome } from '../kit/home.ts';
import { openMemoryStore } from '../kit/memory-store.ts';

const NOON = Date.UTC(2026, 2, 5, 12);
const HOUR = 3_600_000;

test('what a host that has gone left in the store is sealed by maintenance, once, after a day', async () => {
  const store = openMemoryStore();
  const world = stillWorld(NOON);
  const join = async (name: string) => {
    const folder = tempFolder(name);
    const home = testHome(folder, name, () => store, world);
    await setUp(home, { runtimes: ['claude-code'], agentIds: { 'claude-code': name } });
    return {
      home: { ...home, settings: openHome({}, envOf(folder)).settings },
      env: envOf(folder),
      folder,
    };
  };
  const gone = await join('gone');
  const other = await join('other');
  const settings = hookSettings(gone.home, { 'claude-code': 'gone' });
  callHook(gone.home, settings, 'UserPromptSubmit', {
    session_id: 's',
    cwd: gone.folder,
    prompt: 'go',
  });
  // After 20 minutes a part is cut; the session is not over, so that its host does not seal it.
  world.set(NOON + HOUR / 3);
  await withParts(gone.home, sync, gone.env);
  const pass = async (at: number) => {
    world.set(at);
    const done = await withParts(other.home, maintain, other.env);
    return done?.value?.sealed;
  };
  expect(await pass(NOON + 23 * HOUR)).toBe(0);
  expect(await pass(NOON + 25 * HOUR)).toBe(1);
  expect(await pass(NOON + 26 * HOUR)).toBe(0);
  const state = openForReading(other.home, 'state');
  const row = state.get("SELECT agent, revision, digest FROM sessions WHERE key = 's'");
  const unusable = state.all('SELECT * FROM decided WHERE code IS NOT NULL');
  state.close();
  expect(row).toMatchObject({ agent: 'gone', revision: 1 });
  expect(JSON.parse(String(row?.['digest']))).toMatchObject({ prompts: 1, asked: 'go' });
  expect(unusable).toEqual([]);
});
