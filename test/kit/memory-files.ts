import type { HookFiles } from '../../src/capture/port.ts';

/** Files of a hook in memory: `files` by path as the hook names it, `log` what was written, in order. */
export interface MemoryFiles extends HookFiles {
  readonly files: Map<string, string>;
  readonly log: string[];
}

/**
 * Files as they are given, folders implied by them. `refuse` says which writes fail: an append throws
 * `ENOSPC`, the others answer false. Ages are 0 unless `ages` says otherwise, in milliseconds.
 */
export function memoryFiles(
  initial: Readonly<Record<string, string>> = {},
  more: {
    readonly refuse?: (what: 'append' | 'mark' | 'create', path: string) => boolean;
    readonly ages?: Readonly<Record<string, number>>;
    /** Paths at which something stands that can't be read. */
    readonly unreadable?: readonly string[];
    /** Where links lead, by their paths. */
    readonly links?: Readonly<Record<string, string>>;
  } = {},
): MemoryFiles {
  const files = new Map(Object.entries(initial));
  const log: string[] = [];
  const refuse = more.refuse ?? (() => false);
  const unreadable = new Set(more.unreadable);
  const below = (path: string) =>
    [...files.keys()].filter((name) => name.startsWith(`${path.replace(/\/+$/, '')}/`));
  return {
    files,
    log,
    read: (path) => files.get(path),
    kind(path) {
      if (files.has(path) || unreadable.has(path)) return 'file';
      return below(path).length > 0 ? 'directory' : undefined;
    },
    create(path, text) {
      if (refuse('create', path) || files.has(path)) return false;
      files.set(path, text);
      return true;
    },
    append(path, text) {
      log.push(`append ${path}`);
      if (refuse('append', path)) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      files.set(path, (files.get(path) ?? '') + text);
    },
    tail: (path, bytes) => (files.get(path) ?? '').slice(-bytes),
    real: (path) => more.links?.[path] ?? path,
    names: (path) => below(path).map((name) => name.slice(path.length + 1).split('/')[0] ?? ''),
    age: (path) => more.ages?.[path] ?? (files.has(path) ? 0 : undefined),
    mark(path, text) {
      log.push(`mark ${path}`);
      if (refuse('mark', path)) return false;
      files.set(path, text);
      return true;
    },
  };
}
