import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { deleteOlder } from './small-file.ts';

const DAY_MS = 24 * 3_600_000;
/** After this much silence no session is asked for a handoff again. */
const MARK_AGE_MS_MAX = 30 * DAY_MS;
/** What has a sweep of its own, or is another home's. */
const NOT_OURS = ['lake', 'sample', 'spool'];

/**
 * Removes from both folders of a home what crashes and sessions leave behind: writes that were cut off a day before,
 * processes that run no more, and marks of sessions that have been silent for long. Not `paused/`: a transcript of
 * those times may still be imported.
 */
export function sweepHome(
  { config, home }: { readonly config: string; readonly home: string },
  now: number,
): void {
  for (const folder of [config, home]) {
    for (const path of filesBelow(folder)) {
      const kept = keptFor(relative(folder, path));
      if (kept !== undefined) deleteOlder(path, now - kept);
    }
  }
}

/** For how long a file is kept after it was last written; undefined for what stays. */
function keptFor(path: string): number | undefined {
  if (path.endsWith('.tmp')) return DAY_MS;
  if (/^run\/[^/]+\.nudged$/.test(path)) return MARK_AGE_MS_MAX;
  const [, pid] = /^run\/[^/]+\/(\d+)\.json$/.exec(path) ?? [];
  // A day, since it may run where its number is another one: in a container.
  return pid !== undefined && isGone(Number(pid)) ? DAY_MS : undefined;
}

function* filesBelow(folder: string, top = true): Generator<string> {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !(top && NOT_OURS.includes(entry.name))) {
      yield* filesBelow(path, false);
    }
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Nobody waits for a sweep: what can't be looked at now is swept another day.
    return [];
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}
