import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../base/errors.ts';

/** Writes beside, syncs, renames: after a crash the file is the old one or the new one, whole. Mode 600. */
export function writeFileAtomically(path: string, data: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}.tmp`;
  const fd = openSync(beside, 'w', 0o600);
  try {
    const bytes = Buffer.from(data);
    let written = 0;
    while (written < bytes.length) written += writeSync(fd, bytes, written);
    fsyncSync(fd);
  } catch (error) {
    closeSync(fd);
    unlinkSync(beside);
    throw error;
  }
  closeSync(fd);
  renameSync(beside, path);
}

/** The text of a file, or undefined where there is none. Other errors are thrown. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Deletes a file; no error where there is none. */
export function deleteFile(path: string): void {
  rmSync(path, { force: true });
}
