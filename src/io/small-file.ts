import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { makeDurableFolders, makeFolders, syncNames } from './durable-folder.ts';

/** The name of a write that is not done; no longer than others, whatever the file is called. */
const TEMP = /^\.credence-\d+-[0-9a-f]{8}\.tmp$/;
/** Older than this, nobody is at it any more. */
const TEMP_AGE_MS_MAX = 24 * 3_600_000;
/** What the kernel follows, too. */
const LINKS_MAX = 40;

/** Writes beside, syncs, renames: after a crash the file is the old one or the new one, whole. Mode 600, unless another is named. */
export function writeFileAtomically(path: string, data: string | Uint8Array, mode = 0o600): void {
  makeFolders(dirname(path));
  writeBeside(path, data, mode, (beside) => renameSync(beside, path));
}

/** The same for what can't be made again: once this returns it is the new one, whatever comes. */
export function writeFileDurably(path: string, data: string | Uint8Array, mode?: number): void {
  makeDurableFolders(dirname(path));
  writeFileAtomically(path, data, mode);
  syncNames(dirname(path));
}

/** Writes a file where none is, whole and durably; of several processes at once, one does. Mode 600. True where it is this one. */
export function createFileAtomically(path: string, data: string | Uint8Array): boolean {
  makeDurableFolders(dirname(path));
  let isMade = true;
  writeBeside(path, data, 0o600, (beside) => {
    try {
      linkSync(beside, path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      isMade = false;
    }
    rmSync(beside);
  });
  syncNames(dirname(path));
  return isMade;
}

/** `land` gives what was written its name. Where that fails nothing stays beside. */
function writeBeside(
  path: string,
  data: string | Uint8Array,
  mode: number,
  land: (beside: string) => void,
): void {
  // Processes of two containers may have one number.
  const name = `.credence-${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  const beside = join(dirname(path), name);
  try {
    writeWhole(beside, Buffer.from(data), mode);
    land(beside);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

function writeWhole(path: string, bytes: Uint8Array, mode: number): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
    if (mode !== 0o600) fchmodSync(fd, mode);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Writes a file that a person keeps, or another program: where its name is a link, the file that it leads to, which need not
 * be there; and it stays open to whom it was open. Throws ELOOP, and ENOENT where the folder is missing that a link
 * leads into: that may be a volume which is not mounted.
 */
export function replaceFile(path: string, data: string | Uint8Array): void {
  const target = targetOf(path);
  const mode = statSync(target, { throwIfNoEntry: false })?.mode;
  writeFileDurably(target, data, mode === undefined ? 0o600 : mode & 0o777);
  sweepTemps(dirname(target), Date.now());
}

/** Where the links from a path end, which need not be there; the path itself where it is no link. */
export function targetOf(path: string): string {
  let at = path;
  for (let links = 0; lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink(); links++) {
    if (links === LINKS_MAX)
      throw Object.assign(new Error(`too many links: ${path}`), { code: 'ELOOP' });
    const link = readlinkSync(at);
    const to = isAbsolute(link) ? link : `${dirname(at)}/${link}`;
    // Its folder first: `..` goes up from where the links of that lead.
    at = join(realpathSync(dirname(to)), basename(to));
  }
  return at;
}

/** Removes from a folder what writes that were cut off left there more than a day before `now`, or `ageMs` (milliseconds). */
export function sweepTemps(folder: string, now: number, ageMs: number = TEMP_AGE_MS_MAX): void {
  for (const name of namesIn(folder)) {
    if (TEMP.test(name)) deleteOlder(join(folder, name), now - ageMs);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nobody waits for a sweep: what can't be looked at now is swept another day.
    return [];
  }
}

/** Deletes a file that was last written before a moment (milliseconds), if that can be done. */
export function deleteOlder(path: string, before: number): void {
  try {
    const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before;
    if (at < before) unlinkSync(path);
  } catch {
    // As above.
    return;
  }
}

/** The text of a file, or undefined where there is none. Other errors are thrown. */
export function readIfThere(path: string): string | undefined {
  return readBytesIfThere(path)?.toString('utf8');
}

/** The bytes of a file, or undefined where there is none. Other errors are thrown. */
export function readBytesIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Deletes a file; no error where there is none. */
export function deleteFile(path: string): void {
  rmSync(path, { force: true });
}
