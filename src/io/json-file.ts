import { basename } from 'node:path';
import { CredenceError, messageOf } from '../base/errors.ts';
import { LAST_SYNC_FILE, PIN_FILE } from '../base/home-file.ts';
import { objectOf } from '../base/unknown.ts';
import { ROSTER_PATH } from '../capture/paths.ts';

/** What a small file of ours has to hold, and what to do where it doesn't. */
const FORM: Readonly<
  Record<string, { readonly members: readonly string[]; readonly next: string }>
> = {
  [PIN_FILE]: {
    members: ['fleetId', 'entry', 'store', 'joinedAt', 'admitted'],
    next: 'restore it from a backup; or move it away and run `credence init`, which joins the fleet of the store again',
  },
  [LAST_SYNC_FILE]: { members: ['at', 'ok'], next: 'remove it: the next sync writes it again' },
  [ROSTER_PATH]: { members: ['agents'], next: 'remove it: the next sync writes it again' },
};

/** Parses a small JSON object of our own. Throws `file.malformed` with its path where it can't be one that we wrote. */
export function parseJsonFile<T>(path: string, text: string): T {
  const { members, next } = FORM[basename(path)] ?? {
    members: [],
    next: 'restore it from a backup',
  };
  const fail = (why: string, cause?: unknown): never => {
    throw new CredenceError('configuration', 'file.malformed', `${path} is damaged: ${why}`, {
      next,
      cause,
    });
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return fail(messageOf(cause), cause);
  }
  const missing = members.find((name) => objectOf(value)[name] === undefined);
  return missing === undefined ? (value as T) : fail(`it has no ${missing}`);
}
