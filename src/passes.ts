import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CredenceError, codeOf, messageOf } from './base/errors.ts';
import { toInstant } from './base/time.ts';
import type { Home } from './home.ts';
import { deleteFile, writeFileAtomically } from './io/small-file.ts';
import { lockMachine } from './io/sqlite.ts';
import { isDue, stamp } from './io/stamp.ts';
import { type Env, withOpenParts } from './node.ts';
import { maintain, type Parts, type SyncReport, sync } from './pipeline.ts';
import { writeHookSettings } from './set-up.ts';

/* What a machine does one at a time: passes over its parts, under its lock. */

/**
 * Runs with all parts while holding the machine's lock, and notes for `status` what came of it; undefined where another
 * process holds the lock. Throws `fleet.missing` or `fleet.pin` where the store is not the one that this home joined.
 */
export async function withParts<T>(
  home: Home,
  body: (parts: Parts) => Promise<T>,
  env: Env = process.env,
): Promise<{ readonly value: T } | undefined> {
  const lock = lockMachine(join(home.folders.home, 'machine.sqlite'));
  if (!lock) return undefined;
  try {
    const value = await withOpenParts(home, body, env);
    home.writeLastSync({ at: toInstant(home.world.now()), ok: true });
    return { value };
  } catch (error) {
    recordFailure(home, error);
    throw error;
  } finally {
    lock.release();
  }
}

/** Says to a sync that is running that there is more to do when it is done. */
function againMark(home: Home): string {
  return join(home.folders.home, 'run', 'sync.again');
}

function recordFailure(home: Home, error: unknown): void {
  const next =
    error instanceof CredenceError && error.next !== undefined ? { next: error.next } : {};
  home.writeLastSync({
    at: toInstant(home.world.now()),
    ok: false,
    code: codeOf(error),
    message: messageOf(error),
    ...next,
  });
}

/** How a sync is to be done. */
export interface SyncOptions {
  readonly watch?: Partial<Pick<Parts, 'followed' | 'sealing'>>;
  /** With a maintenance pass where one is due: nobody sets up a timer for a store that is a folder. */
  readonly maintains?: boolean;
}

/**
 * One sync, of which a machine never runs two. A call that comes while one runs leaves a mark, and the running one
 * goes once more: what ended meanwhile is not left for later. Undefined where another process does it.
 */
export async function syncOnce(
  home: Home,
  env: Env = process.env,
  { watch = {}, maintains = false }: SyncOptions = {},
): Promise<SyncReport | undefined> {
  const mark = againMark(home);
  let report: SyncReport | undefined;
  const pin = home.readPin();
  if (pin) writeHookSettings(home, pin.fleetId, home.settings.agents);
  writeFileAtomically(mark, '');
  while (existsSync(mark)) {
    const done = await withParts(
      home,
      async (parts) => {
        deleteFile(mark);
        const watched = { ...parts, ...watch };
        return maintains ? maintainWhenDue(home, watched) : sync(watched);
      },
      env,
    );
    if (!done) return report;
    report = done.value;
  }
  return report;
}

/** A pass looks at every session in the store: too much for each turn's end. */
const MAINTAIN_MS = 3_600_000;

async function maintainWhenDue(home: Home, parts: Parts): Promise<SyncReport> {
  const path = join(home.folders.home, 'run', 'maint.stamp');
  const now = home.world.now();
  if (!isDue(path, MAINTAIN_MS, now)) return sync(parts);
  const done = await maintain(parts);
  stamp(path, now);
  return done ?? sync(parts);
}
