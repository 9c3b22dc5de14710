import { isUnsealed, type Manifest } from '../../src/lake/manifest.ts';
import type { FileLine, Spool, SpoolFile, SpoolSession } from '../../src/lake/port.ts';

/** A spool in memory. `append` is what hooks do; `files` and `manifests` are there to look at. */
export interface MemorySpool extends Spool {
  append(runtime: string, stem: string, text: string, writtenAt?: number): void;
  /** `runtime/name` → its text. */
  readonly files: ReadonlyMap<string, string>;
  /** `runtime/stem` → the manifest. */
  readonly manifests: ReadonlyMap<string, Manifest>;
}

const NAME = /^(.+?)\.(?:ndjson|(\d+)\.(draining|sent))$/;

/** A line in each group. */
function* linesOf(text: string): Generator<readonly FileLine[]> {
  const texts = text.split('\n');
  let end = 0;
  for (const [i, line] of texts.entries()) {
    const open = i === texts.length - 1;
    const bytes = Buffer.byteLength(line);
    end += bytes + (open ? 0 : 1);
    if (!open || bytes > 0) yield [{ text: line, end, bytes, open }];
  }
}

/** An empty spool. Reading or renaming a file that is not there throws, as on a disk. */
export function memorySpool(): MemorySpool {
  const files = new Map<string, string>();
  const times = new Map<string, number>();
  const manifests = new Map<string, Manifest>();
  const counted = new Set<string>();
  let totals: ReturnType<Spool['counted']> = { torn: 0, unrecognised: 0 };
  const textOf = ({ runtime }: SpoolSession, { name }: SpoolFile) => {
    const text = files.get(`${runtime}/${name}`);
    if (text === undefined) throw Object.assign(new Error(`no ${name}`), { code: 'ENOENT' });
    return text;
  };
  const move = (runtime: string, from: string, to: string) => {
    const text = files.get(`${runtime}/${from}`);
    if (text === undefined) throw Object.assign(new Error(`no ${from}`), { code: 'ENOENT' });
    files.delete(`${runtime}/${from}`);
    files.set(`${runtime}/${to}`, text);
    times.set(`${runtime}/${to}`, times.get(`${runtime}/${from}`) ?? 0);
  };
  return {
    files,
    manifests,
    append(runtime, stem, text, writtenAt = 0) {
      const path = `${runtime}/${stem}.ndjson`;
      files.set(path, (files.get(path) ?? '') + text);
      times.set(path, writtenAt);
    },
    sessions() {
      const found = new Map<string, { runtime: string; stem: string; files: SpoolFile[] }>();
      for (const [path, text] of files) {
        const [runtime = '', name = ''] = path.split('/');
        const [, stem = '', n = '0', state = 'open'] = NAME.exec(name) ?? [];
        const session = found.get(`${runtime}/${stem}`) ?? { runtime, stem, files: [] };
        session.files.push({
          name,
          state: state as SpoolFile['state'],
          n: Number(n),
          bytes: Buffer.byteLength(text),
          writtenAt: times.get(path) ?? 0,
        });
        found.set(`${runtime}/${stem}`, session);
      }
      return [...found.values()];
    },
    *lines(session, file) {
      yield* linesOf(textOf(session, file));
    },
    read: textOf,
    count(session, file, { torn, unrecognised }, last_at) {
      const at = times.get(`${session.runtime}/${file.name}`);
      const key = `${session.runtime}/${file.name}@${at}`;
      if (counted.has(key)) return;
      counted.add(key);
      totals = {
        torn: totals.torn + torn,
        unrecognised: totals.unrecognised + unrecognised,
        last_at,
      };
    },
    counted: () => totals,
    freeze(session, file, n) {
      const name = `${session.stem}.${n}.draining`;
      move(session.runtime, file.name, name);
      return { ...file, name, n, state: 'draining' };
    },
    markSent: (session: SpoolSession, file: SpoolFile) =>
      move(session.runtime, file.name, `${session.stem}.${file.n}.sent`),
    remove: (session, file) => void files.delete(`${session.runtime}/${file.name}`),
    manifest: (runtime, stem) => structuredClone(manifests.get(`${runtime}/${stem}`)),
    writeManifest: (stem, manifest) =>
      void manifests.set(`${manifest.runtime}/${stem}`, structuredClone(manifest)),
    unsealed: () =>
      [...manifests]
        .filter(([, manifest]) => isUnsealed(manifest))
        .map(([path, manifest]) => ({ stem: path.split('/')[1] ?? '', manifest })),
  };
}
