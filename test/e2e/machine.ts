import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { settle } from '../kit/detached.ts';

const root = join(import.meta.dirname, '..', '..');

/** The built command line. */
export const MAIN = join(root, 'dist', 'door', 'cli', 'main.js');

/** The built hook. */
const HOOK = join(root, 'dist', 'credence-hook.cjs');

/** A home with a command line of its own. */
export function machine(folder: string, env: Readonly<Record<string, string>> = {}) {
  mkdirSync(folder, { recursive: true });
  const all: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: folder,
    XDG_CONFIG_HOME: '',
    CLAUDE_CONFIG_DIR: join(folder, '.claude'),
    ...env,
  };
  const run = (...args: string[]): SpawnSyncReturns<string> =>
    spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, env: all, encoding: 'utf8' });
  /** What a command prints for programs: one value, and nothing else. */
  const json = (...args: string[]) =>
    JSON.parse(run(...args, '--json').stdout) as Record<string, unknown>;
  /** Calls the hook as a runtime does; answers with what it prints. A sync that it starts may go on. */
  const racingHook = (event: string, payload: object): string => {
    const input = JSON.stringify({ hook_event_name: event, cwd: folder, ...payload });
    const child = spawnSync(process.execPath, [HOOK, 'hook', event, 'claude-code'], {
      env: all,
      input,
      encoding: 'utf8',
    });
    expect({ status: child.status, stderr: child.stderr }).toEqual({ status: 0, stderr: '' });
    return child.stdout;
  };
  /** The same, and waits for the sync that it starts, so that what the test does next has no rival. */
  const hook = (event: string, payload: object): string => {
    const printed = racingHook(event, payload);
    settle(folder);
    return printed;
  };
  return { folder, run, json, hook, racingHook, env: all };
}

/** A glob of the folder that the history below was made in. */
export const HISTORY_FOLDER = '/*/dev/src/tidepool';

/** Puts the agent history of a machine of the samples into a home: `north-1` has three transcripts of 104 lines. */
export function placeHistory(folder: string, of = 'north-1'): void {
  cpSync(join(root, 'samples', 'fleet', of, '.claude'), join(folder, '.claude'), {
    recursive: true,
  });
}
