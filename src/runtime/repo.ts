import { hashParts } from '../base/hash.ts';
import type { World } from '../base/world.ts';
import type { LocalFiles } from './port.ts';
import { normaliseRemote, remotesOf } from './remote.ts';

/** Where a folder belongs, and what is checked out there. */
export interface Checkout {
  /** `host/path` of the first remote, `local:<id>` without one, `dir:<hash>` without git. */
  readonly repo: string;
  /** The folder that paths are relative to: the top of the checkout, or the folder itself without git. */
  readonly root: string;
  readonly sha?: string;
  readonly branch?: string;
}

/** What a lookup may use: files, the host's id (two hosts' folders are not one repo), randomness for a new id. */
export interface RepoParts {
  readonly files: LocalFiles;
  readonly hostId: string;
  readonly world: World;
}

const ID_FILE = 'credence-repo-id';
const DEPTH_MAX = 64;

function resolve(from: string, to: string): string {
  return to.startsWith('/') || /^[A-Za-z]:[\\/]/.test(to) ? to : `${from}/${to}`;
}

/** Without the slashes at its end; looked for where slashes begin alone, so that a path of slashes costs its length. */
function trimmed(path: string): string {
  return path.replace(/(?<!\/)\/+$/, '');
}

function parentOf(path: string): string | undefined {
  const cut = trimmed(path).lastIndexOf('/');
  return cut <= 0 ? undefined : path.slice(0, cut);
}

/** The git directory of the checkout that holds a folder, and the common directory that its worktrees share. */
function gitDirs(
  folder: string,
  files: LocalFiles,
): { root: string; git: string; common: string } | undefined {
  let at: string | undefined = folder;
  for (let depth = 0; at !== undefined && depth < DEPTH_MAX; depth++) {
    const dot = `${at}/.git`;
    const kind = files.kind(dot);
    if (kind === 'directory') return { root: at, git: dot, common: dot };
    if (kind === 'file') {
      const target = /^gitdir:(.*)/.exec(files.read(dot) ?? '')?.[1]?.trim();
      if (!target) return undefined;
      const git = resolve(at, target);
      const common = files.read(`${git}/commondir`)?.trim();
      return { root: at, git, common: common === undefined ? git : resolve(git, common) };
    }
    at = parentOf(at);
  }
  return undefined;
}

function headOf(git: string, common: string, files: LocalFiles): { sha?: string; branch?: string } {
  const head = files.read(`${git}/HEAD`)?.trim() ?? '';
  const ref = /^ref:\s*(refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return /^[0-9a-f]{40,64}$/.test(head) ? { sha: head } : {};
  const branch = ref.replace(/^refs\/heads\//, '');
  // A ref is a relative path inside the repository: one that climbs out of it is hostile.
  const loose = ref.split('/').includes('..') ? undefined : files.read(`${common}/${ref}`)?.trim();
  const packed = (files.read(`${common}/packed-refs`) ?? '')
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  const sha = loose ?? packed?.split(' ')[0];
  return sha !== undefined && /^[0-9a-f]{40,64}$/.test(sha) ? { sha, branch } : { branch };
}

/**
 * An id for a repository without a remote: kept in the common directory, so that its worktrees share it. A `.git` file
 * can name any folder as that, so that nothing is written where no repository has its HEAD.
 */
function localId(common: string, parts: RepoParts): string {
  if (parts.files.kind(`${common}/HEAD`) !== 'file') return dirId(common, parts.hostId);
  const path = `${common}/${ID_FILE}`;
  const known = parts.files.read(path)?.trim();
  if (known !== undefined && /^[0-9a-f]{32}$/.test(known)) return `local:${known}`;
  const fresh = Buffer.from(parts.world.random(16)).toString('hex');
  if (parts.files.create(path, `${fresh}\n`)) return `local:${fresh}`;
  const other = parts.files.read(path)?.trim();
  return other !== undefined && /^[0-9a-f]{32}$/.test(other)
    ? `local:${other}`
    : dirId(common, parts.hostId);
}

function dirId(path: string, hostId: string): string {
  return `dir:${hashParts([hostId, path]).slice(0, 32)}`;
}

/**
 * The repository of a folder, without starting git: the first remote, origin before others, of the common
 * directory's config. Undefined where the folder is not there: then only a person's map can say.
 */
export function checkoutOf(folder: string, parts: RepoParts): Checkout | undefined {
  if (parts.files.kind(folder) !== 'directory') return undefined;
  const bare = trimmed(folder);
  const dirs = gitDirs(bare, parts.files);
  if (!dirs) return { repo: dirId(bare, parts.hostId), root: bare };
  const remotes = remotesOf(parts.files.read(`${dirs.common}/config`) ?? '');
  const url = remotes.get('origin') ?? remotes.values().next().value;
  const remote = url === undefined ? undefined : normaliseRemote(url);
  const repo =
    remote ?? (url === undefined ? localId(dirs.common, parts) : dirId(url, parts.hostId));
  return { repo, root: dirs.root, ...headOf(dirs.git, dirs.common, parts.files) };
}
