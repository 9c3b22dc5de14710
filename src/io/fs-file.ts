import type { Dirent } from 'node:fs';
import { constants, readdirSync, statSync, unlinkSync } from 'node:fs';
import { link, lstat, mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { isUnsyncable } from './durable-folder.ts';

/** How the name of a file begins that is not yet an object; no key has such a part. */
export const TEMP = '.tmp-';

/** True for the error of a path that is not there. */
export function isAbsence(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function orAbsent<T>(action: Promise<T>): Promise<T | undefined> {
  try {
    return await action;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** What a path is, a symbolic link not being followed; undefined where nothing is. */
export async function kindOf(path: string): Promise<'folder' | 'link' | 'other' | undefined> {
  const found = await orAbsent(lstat(path));
  if (!found) return undefined;
  if (found.isSymbolicLink()) return 'link';
  return found.isDirectory() ? 'folder' : 'other';
}

/** Makes one folder of mode 700, unless another process was faster. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The entries of a folder; none where it is not there. */
export async function entriesOf(path: string): Promise<Dirent[]> {
  return (await orAbsent(readdir(path, { withFileTypes: true }))) ?? [];
}

/** The bytes of a regular file of a size that `check` lets pass; undefined where there is none. A symbolic link is the error ELOOP. */
export async function readWhole(
  path: string,
  check: (bytes: number) => void,
): Promise<Uint8Array | undefined> {
  // O_NONBLOCK: opening a named pipe that someone put here would wait for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await orAbsent(open(path, flags));
  if (!file) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile()) return undefined;
    check(found.size);
    const bytes = await file.readFile();
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } finally {
    await file.close();
  }
}

/** Writes a new file of mode 600; its bytes, but not yet its name, are durable once it resolves. */
export async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Gives a file a second name where that name is free; false where it is taken. */
export async function linkIfAbsent(temp: string, path: string): Promise<boolean> {
  try {
    await link(temp, path);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    // NFS sends a call again when the answer was lost, and then the answer to our own link is "exists".
    return (await stat(temp)).nlink > 1;
  }
}

/** Unlinks a file; false where there was nothing, or a folder. */
export async function removeFile(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (isAbsence(error) || (await kindOf(path)) === 'folder') return false;
    throw error;
  }
}

/** Unlinks a temp file, whatever comes of it: what stays is hidden, harmless, and swept a day later. */
export async function removeTemp(temp: string): Promise<void> {
  await unlink(temp).catch(() => undefined);
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } catch (error) {
    if (!isUnsyncable(error)) throw error;
  } finally {
    await folder.close();
  }
}

/** Removes temp files under a folder that were last written before a moment (milliseconds). */
export function sweepTemps(folder: string, before: number): void {
  // Nobody waits for this: what can't be read or removed now stays hidden, and a store that is broken says so
  // at the first thing that is asked of it.
  for (const entry of attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sweepTemps(path, before);
    else if (entry.isFile() && entry.name.startsWith(TEMP)) {
      attempt(() => statSync(path).mtimeMs < before && unlinkSync(path));
    }
  }
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
