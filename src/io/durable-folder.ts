import { closeSync, constants, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../base/errors.ts';

/** Some network file systems can't sync a folder, and then order its names themselves; nor can who may not read it. */
const UNSYNCABLE = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES', 'EPERM'];

/** True for the error of a folder that can't be synced, and need not be. */
export function isUnsyncable(error: unknown): boolean {
  return UNSYNCABLE.includes(codeOf(error));
}

/** Makes the names in a folder durable. */
export function syncNames(folder: string): void {
  try {
    const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!isUnsyncable(error)) throw error;
  }
}

/**
 * Makes a folder and those above it, mode 700; answers with those that were missing, outermost first. Throws Node's
 * errors: EEXIST or ENOTDIR where a file is in the way, ENOENT where the file system takes no new folder.
 *
 * Not by `mkdirSync` with `recursive`: below /proc, where making a folder says that the one above is missing, that
 * goes round for ever.
 */
export function makeFolders(path: string): readonly string[] {
  const missing: string[] = [];
  for (let at = path; !isFolder(at) && at !== dirname(at); at = dirname(at)) missing.push(at);
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another process may have been faster.
      if (codeOf(error) !== 'EEXIST' || !isFolder(folder)) throw error;
    }
  }
  return missing;
}

/** The same, durably. */
export function makeDurableFolders(path: string): void {
  for (const folder of makeFolders(path)) syncNames(dirname(folder));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
