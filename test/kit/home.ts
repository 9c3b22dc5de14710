import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { signerOf } from '../../src/base/ed25519.ts';
import type { World } from '../../src/base/world.ts';
import { handleHook } from '../../src/capture/hook.ts';
import type { HookSettings } from '../../src/capture/settings.ts';
import type { Home } from '../../src/home/home.ts';
import { hookFiles } from '../../src/io/hook-files.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { hostIdOf } from '../../src/ledger/found.ts';
import { openHome } from '../../src/node/node.ts';
import { HOOKED } from '../../src/runtime/hooked.ts';
import { vacate } from './detached.ts';

/** A folder of its own under the system's temporary one, gone when the test is, as are the processes that work there. */
export function tempFolder(name: string): string {
  const folder = newFolder(name);
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** The same for all tests of a suite, gone when the last of them is. */
export function suiteFolder(name: string): string {
  const folder = newFolder(name);
  afterAll(() => removeFolder(folder));
  return folder;
}

/**
 * A folder that `fill` fills once for the tests of a file; each call gives it back as it was then. It is always the same one,
 * since its path stands in what is kept there.
 */
export function filledFolder(name: string, fill: (folder: string) => Promise<void> | void) {
  const folder = suiteFolder(name);
  const kept = suiteFolder(`${name}-kept`);
  let isFilled = false;
  return async (): Promise<string> => {
    onTestFinished(() => vacate(folder));
    if (isFilled) {
      rmSync(folder, { recursive: true });
      cpSync(kept, folder, { recursive: true, preserveTimestamps: true });
      return folder;
    }
    await fill(folder);
    cpSync(folder, kept, { recursive: true, preserveTimestamps: true });
    isFilled = true;
    return folder;
  };
}

const newFolder = (name: string) => mkdtempSync(join(tmpdir(), `credence-${name}-`));

function removeFolder(folder: string): void {
  vacate(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** A world that stands still at `ms`, and draws the same bytes each time. */
export function stillWorld(ms: number): World & { set(ms: number): void } {
  let now = ms;
  let drawn = 0;
  return {
    now: () => now,
    set: (next) => {
      now = next;
    },
    random(bytes) {
      drawn += 1;
      return createHash('sha512').update(String(drawn)).digest().subarray(0, bytes);
    },
  };
}

/** The environment of a home in a folder. */
export function envOf(folder: string): Record<string, string> {
  return {
    CREDENCE_HOME: join(folder, '.credence'),
    CREDENCE_CONFIG_HOME: join(folder, '.config', 'credence'),
    CLAUDE_CONFIG_DIR: join(folder, '.claude'),
    CREDENCE_STORE: `file://${join(folder, 'lake')}`,
  };
}

/** A real home in a folder, with a store, a clock and keys that the test decides; `name` seeds the keys. */
export function testHome(
  folder: string,
  name: string,
  store: () => ObjectStore,
  world: World,
): Home {
  const turned = new Map<string, number>();
  const seeded = (key: string, turn = turned.get(key) ?? 0) =>
    signerOf(
      createHash('sha256')
        .update(`${name} ${key}${turn === 0 ? '' : ` ${turn}`}`)
        .digest(),
    );
  const secrets = new Map<string, Uint8Array>();
  return {
    ...openHome({}, envOf(folder)),
    world,
    store,
    user: 'tester',
    keys: {
      signer: (key) => seeded(key),
      peek: (key) => seeded(key),
      next: (key) => seeded(key, (turned.get(key) ?? 0) + 1),
      turn: (key) => void turned.set(key, (turned.get(key) ?? 0) + 1),
      dropNext: () => {},
      hostSecret: () => createHash('sha256').update(`${name} secret`).digest(),
      sealKey: () => createHash('sha256').update(`${name} seal`).digest(),
      fleetSecret: (fleet) => secrets.get(fleet),
      keepFleetSecret(fleet, secret) {
        const drawn = createHash('sha256').update(`${name} ${fleet}`).digest();
        if (!secrets.has(fleet)) secrets.set(fleet, secret ?? drawn);
      },
    },
  };
}

/** The hook's settings for a test home. */
export function hookSettings(home: Home, agents: Readonly<Record<string, string>>): HookSettings {
  return {
    fleet_id: 'local',
    host_id: hostIdOf(home.keys.signer('host').address),
    agents,
    pause: false,
    exclude: [],
    denied_paths: [],
    refuse_denied: false,
    handoffs: true,
    claims: false,
    sync_command: [],
    handoff_command: 'credence handoff',
  };
}

/** Calls the hook as a runtime would, in this process; answers with what it prints. */
export function callHook(
  home: Home,
  settings: HookSettings,
  event: string,
  payload: object,
): string {
  const runtime = HOOKED['claude-code'];
  if (!runtime) throw new Error('no runtime');
  const bytes = Buffer.from(JSON.stringify({ hook_event_name: event, ...payload }));
  const parts = {
    files: hookFiles(home.folders.home),
    world: home.world,
    settings,
    secret: () => home.keys.hostSecret(),
  };
  return handleHook('claude-code', runtime, event, bytes, parts).output;
}

/** Writes a file, its folders too. */
export function place(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
