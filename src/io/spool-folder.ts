import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { LIMIT } from '../base/limits.ts';
import { jsonIn } from '../base/unknown.ts';
import { isUnsealed, Manifest } from '../lake/manifest.ts';
import type { Spool, SpoolFile, SpoolSession } from '../lake/port.ts';
import { lineReader } from './line-reader.ts';
import { readIfThere, writeFileDurably } from './small-file.ts';
import { openSpoolCounts } from './spool-counts.ts';

const OPEN = /^(.+)\.ndjson$/;
const FROZEN = /^(.+)\.(\d+)\.(draining|sent)$/;
/** A file of the usual size is smaller. */
const TAIL_BYTES_MAX = 2 * LIMIT.part_bytes_max;
const LINE_FEED = 0x0a;

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

function fileOf(folder: string, name: string): { stem: string; file: SpoolFile } | undefined {
  const open = OPEN.exec(name);
  const frozen = FROZEN.exec(name);
  const stem = open?.[1] ?? frozen?.[1];
  const stat =
    stem === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
  if (stem === undefined || !stat?.isFile()) return undefined;
  const state = open ? 'open' : (frozen?.[3] as 'draining' | 'sent');
  return {
    stem,
    file: { name, state, n: Number(frozen?.[2] ?? 0), bytes: stat.size, writtenAt: stat.mtimeMs },
  };
}

function tailOf(path: string): string {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(0, size - TAIL_BYTES_MAX);
    const buffer = Buffer.alloc(size - start);
    const bytes = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, start));
    return bytes.toString('utf8', start === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1);
  } finally {
    closeSync(fd);
  }
}

/** The spool under `<home>/spool/<runtime>/`, the manifests under `manifests/`, and marks of the unsealed ones under `unsealed/`. */
export function openSpool(home: string): Spool {
  const spool = join(home, 'spool');
  const manifestPath = (runtime: string, stem: string) =>
    join(home, 'manifests', runtime, `${stem}.json`);
  const markPath = (runtime: string, stem: string) => join(home, 'unsealed', runtime, stem);
  const pathOf = (session: SpoolSession, name: string) => join(spool, session.runtime, name);
  const readManifest = (runtime: string, stem: string): Manifest | undefined => {
    const text = readIfThere(manifestPath(runtime, stem));
    // One that is damaged is as one that was lost.
    return text === undefined ? undefined : Manifest.safeParse(jsonIn(text)).data;
  };
  const lines = lineReader();
  const counts = openSpoolCounts(home);
  return {
    sessions() {
      const found = new Map<string, { runtime: string; stem: string; files: SpoolFile[] }>();
      for (const runtime of names(spool)) {
        for (const name of names(join(spool, runtime))) {
          const entry = fileOf(join(spool, runtime), name);
          if (!entry) continue;
          const key = `${runtime}/${entry.stem}`;
          const session = found.get(key) ?? { runtime, stem: entry.stem, files: [] };
          session.files.push(entry.file);
          found.set(key, session);
        }
      }
      return [...found.values()];
    },
    lines: (session, file) => lines.lines(pathOf(session, file.name), 0),
    read: (session, file) => tailOf(pathOf(session, file.name)),
    freeze(session, file, n) {
      const name = `${session.stem}.${n}.draining`;
      renameSync(pathOf(session, file.name), pathOf(session, name));
      return { ...file, name, n, state: 'draining' };
    },
    markSent(session, file) {
      renameSync(pathOf(session, file.name), pathOf(session, `${session.stem}.${file.n}.sent`));
    },
    remove: (session, file) => rmSync(pathOf(session, file.name), { force: true }),
    count(session, file, odd, at) {
      // Frozen, it keeps the moment of its last line; its number alone can come back once it is gone.
      const { mtimeMs } = statSync(pathOf(session, file.name));
      counts.add(`${session.runtime}/${file.name}@${mtimeMs}`, odd, at);
    },
    counted: counts.totals,
    manifest: readManifest,
    writeManifest(stem, manifest) {
      const text = `${JSON.stringify(manifest)}\n`;
      const mark = markPath(manifest.runtime, stem);
      // The mark stands whenever the manifest may be unsealed: set before, taken away after.
      if (isUnsealed(manifest) && readIfThere(mark) === undefined) writeFileDurably(mark, '');
      writeFileDurably(manifestPath(manifest.runtime, stem), text);
      if (!isUnsealed(manifest)) rmSync(mark, { force: true });
    },
    unsealed() {
      const folder = join(home, 'unsealed');
      return names(folder).flatMap((runtime) =>
        names(join(folder, runtime)).flatMap((stem) => {
          const manifest = readManifest(runtime, stem);
          return manifest && isUnsealed(manifest) ? [{ stem, manifest }] : [];
        }),
      );
    },
  };
}
