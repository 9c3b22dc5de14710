import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toInstant } from '../../src/base/time.ts';
import { ALL_PAUSED_PATH } from '../../src/capture/paths.ts';
import { toldRules } from '../../src/capture/told.ts';
import { hookSettingsOf, setUp, writeHookSettings } from '../../src/home/set-up.ts';
import { hookFiles } from '../../src/io/hook-files.ts';
import { openLocal } from '../../src/node/local.ts';
import type { Event } from '../../src/runtime/envelope.ts';
import {
  callHook,
  envOf,
  hookSettings,
  place,
  stillWorld,
  tempFolder,
  testHome,
} from '../kit/home.ts';
import { openMemoryStore } from '../kit/memory-store.ts';

const NOON = Date.UTC(2026, 2, 5, 12);
const AGENTS = { 'claude-code': 'cc-01' };

/** A home that is set up at noon, and what sets its pause `seconds` later. */
async function newHome() {
  const folder = tempFolder('pause');
  const world = stillWorld(NOON);
  const store = openMemoryStore();
  const home = testHome(folder, 'pause', () => store, world);
  await setUp(home, { runtimes: ['claude-code'], agentIds: AGENTS });
  const log = join(home.folders.home, ALL_PAUSED_PATH);
  const set = (paused: boolean, seconds: number) => {
    world.set(NOON + seconds * 1_000);
    const settings = { ...home.settings, 'capture.pause': paused };
    writeHookSettings({ ...home, lasting: () => settings }, 'local', AGENTS);
  };
  return { folder, home, log, set };
}

describe('a pause for all', () => {
  test('is noted by whoever writes the hook’s settings, when it is news', async () => {
    const { log, set } = await newHome();
    set(false, 1);
    expect(existsSync(log)).toBe(false);
    for (const [paused, seconds] of [
      [true, 60],
      [true, 70],
      [false, 120],
      [false, 130],
      [true, 180],
    ] as const)
      set(paused, seconds);
    expect(readFileSync(log, 'utf8')).toBe(
      [`paused ${NOON + 60_000}`, `resumed ${NOON + 120_000}`, `paused ${NOON + 180_000}`, ''].join(
        '\n',
      ),
    );
  });

  test('holds for all that was written in it, also where no hook ran meanwhile', async () => {
    const { home, set } = await newHome();
    const settings = hookSettings(home, AGENTS);
    const event = (session: string, seconds: number): Event => ({
      session_id: session,
      emitted_at: toInstant(NOON + seconds * 1_000),
      event_type: 'assistant',
      native: { key: 'assistant:u', counted: false },
    });
    callHook(home, settings, 'Stop', { session_id: 's1', cwd: home.folders.home });
    set(true, 60);
    set(false, 120);
    callHook(home, settings, 'Stop', { session_id: 's1', cwd: home.folders.home });
    const { isExcluded } = toldRules({
      runtime: 'claude-code',
      files: hookFiles(home.folders.home),
      settings: hookSettingsOf(home, 'local', AGENTS),
      world: home.world,
      secret: () => home.keys.hostSecret(),
    });
    for (const session of ['s1', 's1:a7', 'other']) {
      const excluded = [30, 60, 90, 119, 120].filter((at) => isExcluded(event(session, at)));
      expect(excluded, session).toEqual([60, 90, 119]);
    }
  });
});

test('the fault of a project’s file is shown as long as it holds', async () => {
  const { folder, home } = await newHome();
  const project = join(folder, 'w');
  const file = join(project, 'credence.toml');
  const { projectFault } = openLocal(home, envOf(folder));
  const settings = hookSettings(home, AGENTS);
  const stop = () => callHook(home, settings, 'Stop', { session_id: 's1', cwd: project });
  place(file, 'store = 1\n');
  expect(projectFault()).toBeUndefined();
  stop();
  expect(projectFault()).toMatch(/credence\.toml: line 1: only exclude/);
  place(file, 'pause = maybe\n');
  expect(projectFault()).toMatch(/credence\.toml: line 1: the value of pause/);
  place(file, 'pause = false\n');
  expect(projectFault()).toBeUndefined();
  stop();
  expect(projectFault()).toBeUndefined();
});
