import { randomBytes } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { LIMIT } from '../base/limits.ts';
import { assertKey, assertPrefix, isKey } from '../lake/key.ts';
import { folderOf } from '../lake/layout.ts';
import { assertFits, type ObjectStore } from '../lake/objects.ts';
import { makeDurableFolders } from './durable-folder.ts';
import { clashFault, faultOf, goneFault, linkFault, noLinkFault, rootFault } from './fs-fault.ts';
import {
  entriesOf,
  isAbsence,
  kindOf,
  linkIfAbsent,
  makeFolder,
  readWhole,
  removeFile,
  removeTemp,
  sweepTemps,
  syncFolder,
  TEMP,
  writeNew,
} from './fs-file.ts';

const TEMP_AGE_MS_MAX = 24 * 3_600_000;
/** How often a write starts again because someone removed its still empty folder under it. */
const ATTEMPTS = 20;
/** Folders remembered as durable; beyond this they are all looked at again. */
const DURABLE_MAX = 10_000;
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * An object store in a folder: the object of a key is the file of that path under `root`, mode 600 in folders
 * of mode 700. `root` is an absolute path. Where it is missing it is made only if so asked: a folder that was moved
 * away or unmounted is no store, and must not be taken for an empty one.
 *
 * Throws CredenceError `configuration`, `store.root` for a root that can't be a folder, and what methods throw.
 * Methods reject with `incorrect` `store.key` (no key, or a key that is a folder of keys too), `store.too_large`,
 * `configuration` `store.no_link` and `store.symlink`, `unavailable` `store.full`, `store.read_only`, `store.denied`,
 * `store.gone` (the root is not the folder that was opened) and `store.io`.
 */
export function openFsStore(root: string, { make = false } = {}): ObjectStore {
  if (!isAbsolute(root) || root.includes('\0')) throw rootFault(root, 'is not an absolute path');
  try {
    if (make) makeDurableFolders(root);
    const real = realpathSync(root);
    const found = statSync(real, { bigint: true });
    if (!found.isDirectory()) throw rootFault(root, 'is not a folder');
    return new FsStore(root, real, identityOf(found));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' || code === 'ENOTDIR') throw rootFault(root, 'is not a folder', error);
    if (code === 'ENOENT')
      throw make
        ? rootFault(root, 'lies where no folder can be made', error)
        : goneFault(root, error);
    throw faultOf(error, 'opening', root);
  }
}

/**
 * Removes temp files that a crash left in a store more than a day before `now` (milliseconds). Reads every folder of
 * it once. No error where there is no store.
 */
export function sweepFsStore(root: string, now: number): void {
  sweepTemps(root, now - TEMP_AGE_MS_MAX);
}

class FsStore implements ObjectStore {
  readonly name: string;
  readonly #root: string;
  readonly #identity: string;
  readonly #durable = new Set<string>();

  constructor(name: string, root: string, identity: string) {
    this.name = name;
    this.#root = root;
    this.#identity = identity;
  }

  get(key: string, bytesMax: number = LIMIT.object_bytes_max): Promise<Uint8Array | undefined> {
    return this.#run('reading', key, async () => {
      assertKey(key);
      const isThere = await this.#walk(parentOf(key), false);
      const check = (bytes: number) => assertFits(this.name, key, bytes, bytesMax);
      const bytes = isThere ? await readWhole(this.#path(key), check) : undefined;
      // After the read, since under a root that was unmounted meanwhile everything looks absent.
      await this.#checkRoot();
      return bytes;
    });
  }

  put(key: string, bytes: Uint8Array): Promise<void> {
    return this.#write(key, bytes, (temp) => rename(temp, this.#path(key)));
  }

  putIfAbsent(key: string, bytes: Uint8Array): Promise<boolean> {
    return this.#write(key, bytes, async (temp) => {
      try {
        const isFirst = await linkIfAbsent(temp, this.#path(key));
        if (!isFirst && (await kindOf(this.#path(key))) === 'folder') throw clashFault(key);
        return isFirst;
      } catch (error) {
        throw NO_LINKS.includes(codeOf(error)) ? noLinkFault(this.name, key, error) : error;
      } finally {
        await removeTemp(temp);
      }
    });
  }

  delete(key: string): Promise<void> {
    return this.#run('deleting', key, async () => {
      assertKey(key);
      const folder = parentOf(key);
      await this.#checkRoot();
      const isThere = await this.#walk(folder, false);
      if (isThere && (await removeFile(this.#path(key)))) await this.#settleDeletion(folder);
      await this.#checkRoot();
    });
  }

  /** Holds the names of one folder on each level of the way down. Links are neither followed nor shown. */
  async *list(prefix: string): AsyncGenerator<string> {
    assertPrefix(prefix);
    const base = folderOf(prefix);
    const pending = await this.#run('listing', prefix, async (): Promise<string[]> => {
      const isThere = await this.#walk(base.slice(0, -1), false);
      return isThere ? this.#children(base, prefix) : [];
    });
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const key = next;
      if (!key.endsWith('/')) {
        yield key;
        continue;
      }
      const inside = await this.#run('listing', key, () => this.#children(key, key));
      // No spread: a folder may hold more names than a call takes arguments.
      for (const child of inside) pending.push(child);
    }
    await this.#run('listing', prefix, () => this.#checkRoot());
  }

  async time(): Promise<undefined> {
    return undefined;
  }

  #path(key: string): string {
    return key === '' ? this.#root : `${this.#root}/${key}`;
  }

  /** Writes a temp file beside the target and lets `land` give it its name; resolves once that is durable. */
  #write<T>(key: string, bytes: Uint8Array, land: (temp: string) => Promise<T>): Promise<T> {
    return this.#run('writing', key, async () => {
      assertKey(key);
      const folder = parentOf(key);
      const landed = await this.#retryVanished(async () => {
        await this.#checkRoot();
        await this.#walk(folder, true);
        const temp = `${this.#path(folder)}/${TEMP}${randomBytes(9).toString('hex')}`;
        try {
          await writeNew(temp, bytes);
          return await land(temp);
        } catch (error) {
          await removeTemp(temp);
          throw error;
        }
      });
      // Also where the object was there before: its writer may not have come this far, and our caller builds on it.
      await this.#settle(folder);
      await this.#checkRoot();
      return landed;
    });
  }

  async #retryVanished<T>(attempt: () => Promise<T>): Promise<T> {
    for (let n = 1; ; n++) {
      try {
        return await attempt();
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || n === ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Walks from the root down to a folder, creating what is missing if so asked; false where there is no such
   * folder. A symbolic link on the way is refused, since it could lead a write anywhere.
   */
  async #walk(folder: string, create: boolean): Promise<boolean> {
    let at = '';
    for (const part of folder === '' ? [] : folder.split('/')) {
      at = at === '' ? part : `${at}/${part}`;
      const kind = await kindOf(this.#path(at));
      if (kind === 'folder') continue;
      if (kind === 'link') throw linkFault(this.name, at);
      if (!create) return false;
      if (kind === 'other') throw clashFault(folder);
      this.#durable.delete(at);
      await makeFolder(this.#path(at));
    }
    return true;
  }

  /** Makes the names in a folder durable, and, once a process, the names of the folders that lead to it. */
  async #settle(folder: string): Promise<void> {
    await syncFolder(this.#path(folder));
    if (this.#durable.has(folder)) return;
    for (let at = folder; at !== ''; ) {
      at = parentOf(at);
      await syncFolder(this.#path(at));
    }
    if (this.#durable.size >= DURABLE_MAX) this.#durable.clear();
    this.#durable.add(folder);
  }

  /** Makes a deletion durable, in a folder that others may have removed since it is empty, or those above it. */
  async #settleDeletion(folder: string): Promise<void> {
    try {
      await syncFolder(this.#path(folder));
    } catch (error) {
      if (!isAbsence(error) || folder === '') throw error;
      await this.#settleDeletion(parentOf(folder));
    }
  }

  /** The keys in a folder (`''`, or ending in `/`), and its folders with a `/` at the end, that begin with `start`; last first. */
  async #children(folder: string, start: string): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await entriesOf(this.#path(folder.slice(0, -1)))) {
      const key = folder + entry.name;
      if (!isKey(key) || !(entry.isDirectory() || entry.isFile())) continue;
      // With its `/`, so that `a-b` comes before what is in `a`, as it does among whole keys.
      const shown = entry.isDirectory() ? `${key}/` : key;
      if (shown.startsWith(start)) found.push(shown);
    }
    return found.sort().reverse();
  }

  /** A store that was unmounted leaves an empty mount point behind, where nothing may be found or written. */
  async #checkRoot(): Promise<void> {
    let current: string;
    try {
      current = identityOf(await stat(this.#root, { bigint: true }));
    } catch (error) {
      throw isAbsence(error) ? goneFault(this.name, error) : error;
    }
    if (current !== this.#identity) throw goneFault(this.name);
  }

  async #run<T>(doing: string, key: string, body: () => Promise<T>): Promise<T> {
    try {
      return await body();
    } catch (error) {
      throw faultOf(error, `${doing} ${key}`, this.name, key);
    }
  }
}

/** The folder that a key or folder lies in; empty for the root. */
function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

function identityOf(found: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${found.dev}:${found.ino}`;
}
