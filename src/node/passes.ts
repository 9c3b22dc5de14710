import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CredenceError, codeOf, messageOf } from '../base/errors.ts';
import { unsealed } from '../base/keyring.ts';
import { explained } from '../base/system-error.ts';
import { toInstant } from '../base/time.ts';
import type { Home } from '../home/home.ts';
import { finishRotations } from '../home/rotation.ts';
import { writeHookSettings } from '../home/set-up.ts';
import { deleteFile, writeFileAtomically } from '../io/small-file.ts';
import { isDamaged, lockMachine } from '../io/sqlite.ts';
import { isDue, stamp } from '../io/stamp.ts';
import { maintain, type Parts, type SyncReport, sync } from '../pipeline.ts';
import { noteChanges } from '../verbs/changes.ts';
import { type Env, withOpenParts } from './node.ts';
import { changesParts } from './seen-heads.ts';

/* What a machine does one at a time: passes over its parts, under its lock. */

/**
 * Runs with all parts while holding the machine's lock, and then makes the sync that was asked for meanwhile; undefined
 * where another process holds the lock. What fails is noted for `status`. Throws as {@link withOpenParts} does.
 */
export async function withParts<T>(
  home: Home,
  body: (parts: Parts) => Promise<T>,
  env: Env = process.env,
): Promise<{ readonly value: T } | undefined> {
  const done = await noted(home, () => locked(home, body, env));
  if (done && existsSync(againMark(home))) await syncOnce(home, env);
  return done;
}

export async function locked<T>(
  home: Home,
  body: (parts: Parts) => Promise<T>,
  env: Env,
): Promise<{ readonly value: T } | undefined> {
  const lock = lockMachine(join(home.folders.home, 'machine.sqlite'));
  if (!lock) return undefined;
  try {
    const withKeys = async (parts: Parts) => body(await finishRotations(home, parts));
    return { value: await withOpenParts(home, withKeys, env) };
  } finally {
    lock.release();
  }
}

/** Runs, and notes for `status` what went wrong; that it went well is noted where a sync is done. */
async function noted<T>(home: Home, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    noteFailure(home, error);
    throw error;
  }
}

function noteFailure(home: Home, thrown: unknown): void {
  const error = explained(thrown);
  const next =
    error instanceof CredenceError && error.next !== undefined ? { next: error.next } : {};
  const at = toInstant(home.world.now());
  try {
    home.writeLastSync({ at, ok: false, code: codeOf(error), message: messageOf(error), ...next });
  } catch {
    // The home takes nothing: what went wrong first says it all.
    return;
  }
}

/** Says to whoever holds the lock that there is more to do when that is done. */
function againMark(home: Home): string {
  return join(home.folders.home, 'run', 'sync.again');
}

/** How a sync is to be done. */
export interface SyncOptions {
  readonly watch?: Partial<Pick<Parts, 'followed' | 'sealing'>>;
  /** With a maintenance pass where one is due: nobody sets up a timer for a store that is a folder. */
  readonly maintains?: boolean;
}

/**
 * One sync, of which a machine never runs two. A call that comes while one runs leaves a mark, and the running one
 * goes once more: what ended meanwhile is not left for later. Undefined where another process does it. Throws `key.sealed`
 * or `key.passphrase` where the host's key can't be opened here, whoever is at work.
 */
export async function syncOnce(
  home: Home,
  env: Env = process.env,
  { watch = {}, maintains = false }: SyncOptions = {},
): Promise<SyncReport | undefined> {
  const mark = againMark(home);
  return noted(home, async () => {
    let report: SyncReport | undefined;
    const pin = home.readPin();
    if (pin) writeHookSettings(home, pin.fleetId, home.settings.agents);
    writeFileAtomically(mark, '');
    // Whoever can't sign hears of it, also where the process at work does what was asked for, or fails at it.
    const host = home.keys.peek('host');
    if (host) unsealed(host);
    while (existsSync(mark)) {
      const pass = async (parts: Parts) => {
        deleteFile(mark);
        const changed = await noteChanges(parts, changesParts(home.folders.home));
        const synced = await (maintains
          ? maintainWhenDue(home, { ...parts, ...watch })
          : sync({ ...parts, ...watch }));
        return { ...synced, changed };
      };
      const done = await locked(home, pass, env);
      if (!done) return report;
      report = done.value;
    }
    return report;
  });
}

/** A pass looks at every session in the store: too much for each turn's end. */
const MAINTAIN_MS = 3_600_000;

/** A sync, in a maintenance pass where one is due. That one can't be made is noted, and keeps nothing from being sent. */
async function maintainWhenDue(home: Home, parts: Parts): Promise<SyncReport> {
  const path = join(home.folders.home, 'run', 'maint.stamp');
  const now = home.world.now();
  if (!isDue(path, MAINTAIN_MS, now)) return sync(parts);
  try {
    // Before it is tried: one that fails is not tried again at once.
    stamp(path, now);
    // Nobody who looks on would hear of what it costs: a pass that starts by itself asks no model.
    return (await maintain({ ...parts, extractor: undefined })) ?? (await sync(parts));
  } catch (error) {
    // Then all is done again, on a new snapshot.
    if (isDamaged(error)) throw error;
    const report = await sync(parts);
    noteFailure(home, error);
    return report;
  }
}
