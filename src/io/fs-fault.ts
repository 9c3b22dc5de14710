import { CredenceError, codeOf, messageOf } from '../base/errors.ts';

const FULL = [
  'store.full',
  'has no room left',
  'Free some space there; then do it again.',
] as const;
const DENIED = [
  'store.denied',
  'refuses this user',
  'Give the user that runs credence the right to read and write there; then do it again.',
] as const;
const GONE = [
  'store.gone',
  'is not there',
  'Mount the volume, bring the folder back, or set `store` to where it is now; then start credence again. A folder made anew is not the same store.',
] as const;
const FOLDER_GONE = ['store.gone', 'lost the folder of this key again and again', GONE[2]] as const;
const READ_ONLY = [
  'store.read_only',
  'can only be read',
  'Mount the volume for writing, or choose another store; then do it again.',
] as const;
const OTHER = [
  'store.io',
  'failed',
  'Look at the error code and at the volume. The operation may have happened: look before you do it again.',
] as const;

const FAULTS: Readonly<Record<string, readonly [code: string, what: string, next: string]>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: READ_ONLY,
  EACCES: DENIED,
  EPERM: DENIED,
  ENOENT: FOLDER_GONE,
  ESTALE: GONE,
  ENOTCONN: GONE,
};

/**
 * Any error of a file operation → the CredenceError of the store port; ours, and errors that no system call
 * gave (bugs), come back as they are. `doing` says what was tried, `store` names the store.
 */
export function faultOf(error: unknown, doing: string, store: string, key = ''): unknown {
  if (error instanceof CredenceError) return error;
  const errno = codeOf(error);
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  if (errno === 'ELOOP') return linkFault(store, key, error);
  if (errno === 'EISDIR' || errno === 'ENOTDIR') return clashFault(key, error);
  const [code, what, next] = FAULTS[errno] ?? OTHER;
  return new CredenceError('unavailable', code, `${doing}: the store ${store} ${what} (${errno})`, {
    next,
    data: { key, errno, reason: messageOf(error) },
    cause: error,
  });
}

/** The root is not the folder that was opened. */
export function goneFault(store: string, cause?: unknown): CredenceError {
  const [code, what, next] = GONE;
  return new CredenceError('unavailable', code, `the store ${store} ${what}`, { next, cause });
}

/** The root can't be a store at all. */
export function rootFault(root: string, why: string, cause?: unknown): CredenceError {
  return new CredenceError(
    'configuration',
    'store.root',
    `the store ${JSON.stringify(root)} ${why}`,
    {
      next: 'Set the store to file:// and the absolute path of a folder.',
      cause,
    },
  );
}

/** A symbolic link stands where a folder or an object of the store should be. */
export function linkFault(store: string, at: string, cause?: unknown): CredenceError {
  return new CredenceError(
    'configuration',
    'store.symlink',
    `${at} in the store ${store} is a symbolic link, which could lead out of it`,
    {
      next: 'Put a real folder or file in its place, or make the link the root.',
      data: { at },
      cause,
    },
  );
}

/** The file system has no hard links, and with them no way to write only where nothing is. */
export function noLinkFault(store: string, key: string, cause: unknown): CredenceError {
  return new CredenceError(
    'configuration',
    'store.no_link',
    `${key} can't be put if absent: the file system of ${store} makes no hard links (${codeOf(cause)})`,
    {
      next: 'Keep the ledger on a local disk, a bucket or PostgreSQL; run credence doctor.',
      data: { key },
      cause,
    },
  );
}

/** In a folder, unlike in a bucket, one name can't be an object and the beginning of other keys. */
export function clashFault(key: string, cause?: unknown): CredenceError {
  return new CredenceError(
    'incorrect',
    'store.key',
    `${key} can't be written: a key before one of its \`/\` is an object, or it is itself the folder of other keys`,
    { next: 'Give the object another key.', data: { key }, cause },
  );
}
