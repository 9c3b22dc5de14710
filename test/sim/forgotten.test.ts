import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setUp } from '../../src/home/set-up.ts';
import { openSpool } from '../../src/io/spool-folder.ts';
import { openHome } from '../../src/node/node.ts';
import { withParts } from '../../src/node/passes.ts';
import { openForReading } from '../../src/node/snapshots.ts';
import { sync } from '../../src/pipeline.ts';
import { callHook, envOf, hookSettings, stillWorld, tempFolder, testHome } from '../kit/home.ts';
import { openMemoryStore } from '../kit/memory-store.ts';
import { happen, NOON, SYNCED } from './story.ts';

/** Syncs a story, lets this machine forget something, and lets the session go on. */
async function goOnAfter(forget: (home: string) => void) {
  const folder = tempFolder('forgotten');
  const store = openMemoryStore();
  const world = stillWorld(SYNCED);
  const home = { ...testHome(folder, 'one', () => store, world), world };
  const env = envOf(folder);
  happen(home, folder);
  await setUp(home, { runtimes: ['claude-code'], agentIds: { 'claude-code': 'cc-01' } });
  const settled = { ...home, settings: openHome({}, env).settings };
  const run = async () => {
    await withParts(settled, sync, env);
  };
  await run();
  forget(home.folders.home);
  const settings = hookSettings(home, { 'claude-code': 'cc-01' });
  world.set(SYNCED + 60_000);
  const more = { session_id: 'ended', cwd: join(folder, 'work') };
  callHook(home, settings, 'UserPromptSubmit', { ...more, prompt: 'mend the pump' });
  callHook(home, settings, 'SessionEnd', { ...more, reason: 'exit' });
  await run();
  const state = openForReading(settled, 'state');
  const row = state.get("SELECT revision, parts, digest FROM sessions WHERE key = 'ended'");
  state.close();
  const digest = JSON.parse(String(row?.['digest'])) as {
    prompts: number;
    tool_calls: number;
    duration_ms: number;
  };
  return {
    revision: row?.['revision'],
    parts: (JSON.parse(String(row?.['parts'])) as unknown[]).length,
    digest,
    unsealed: openSpool(home.folders.home).unsealed().length,
  };
}

const expected = {
  revision: 2,
  digest: { prompts: 2, tool_calls: 2, duration_ms: SYNCED + 60_000 - NOON },
};

test('a session that goes on after its seal keeps all of its parts', async () => {
  expect(await goOnAfter(() => {})).toMatchObject(expected);
});

test('so it does on a machine that lost its manifests', async () => {
  const after = await goOnAfter((home) => rmSync(join(home, 'manifests'), { recursive: true }));
  expect(after).toMatchObject(expected);
});
