import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { LIMIT } from '../base/limits.ts';
import type { HookFiles } from '../capture/port.ts';
import { makeFolders } from './durable-folder.ts';

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // Not there, not readable, not a file: for every reader here these are one answer.
    return undefined;
  }
}

/** Appends in one write; retried on the new file when the path no longer names the file that was written. */
function append(path: string, text: string): void {
  const bytes = Buffer.from(text);
  for (let attempts = 0; attempts < 8; attempts++) {
    const fd = openForAppend(path);
    try {
      // A short write leaves a torn line, which the line feed ahead of the next one makes harmless.
      if (writeSync(fd, bytes) !== bytes.length)
        throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
      if (attempt(() => statSync(path).ino) === fstatSync(fd).ino) return;
    } finally {
      closeSync(fd);
    }
  }
  // Each of the files may have been read before the text was in it, so that this has to count as lost.
  throw Object.assign(new Error(`${path} was renamed away again and again`), { code: 'EBUSY' });
}

function openForAppend(path: string): number {
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY;
  const fd = attempt(() => openSync(path, flags, 0o600));
  if (fd !== undefined) return fd;
  makeFolders(dirname(path));
  return openSync(path, flags, 0o600);
}

function tail(path: string, bytes: number): string {
  const fd = attempt(() => openSync(path, 'r'));
  if (fd === undefined) return '';
  try {
    const { size } = fstatSync(fd);
    const length = Math.min(size, bytes);
    const buffer = Buffer.alloc(length);
    readSync(fd, buffer, 0, length, size - length);
    return buffer.toString('utf8');
  } finally {
    closeSync(fd);
  }
}

/** The hook's files. Relative paths are inside `home`; absolute ones are the user's checkouts. */
export function hookFiles(home: string): HookFiles {
  const at = (path: string) => (path.startsWith('/') ? path : join(home, path));
  return {
    read: (path) =>
      attempt(() => {
        // A pipe in place of a config would hold the hook up for as long as nobody writes to it.
        const stat = statSync(at(path));
        const isSmall = stat.isFile() && stat.size <= LIMIT.hook_file_bytes_max;
        return isSmall ? readFileSync(at(path), 'utf8') : undefined;
      }),
    kind: (path) =>
      attempt(() => {
        const stat = statSync(at(path));
        return stat.isDirectory() ? 'directory' : stat.isFile() ? 'file' : undefined;
      }),
    create: (path, text) =>
      attempt(() => {
        writeFileSync(at(path), text, { flag: 'wx', mode: 0o600 });
        return true;
      }) ?? false,
    append: (path, text) => append(at(path), text),
    tail: (path, bytes) => tail(at(path), bytes),
    real: (path) => attempt(() => realpathSync(at(path))),
    names: (path) => attempt(() => readdirSync(at(path))) ?? [],
    age: (path) => attempt(() => Date.now() - statSync(at(path)).mtimeMs),
    mark: (path, text) => mark(at(path), text),
  };
}

/** Beside, then renamed: a reader never sees half of a small file. */
function mark(path: string, text: string): boolean {
  const beside = `${path}.${process.pid}.tmp`;
  const done = attempt(() => {
    makeFolders(dirname(path));
    writeFileSync(beside, text, { mode: 0o600 });
    renameSync(beside, path);
    return true;
  });
  if (done) return true;
  attempt(() => unlinkSync(beside));
  return false;
}
