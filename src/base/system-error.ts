import { CredenceError } from './errors.ts';

/** What helps where files can't be written. */
export const WRITABLE =
  'make it readable and writable for this user, or point CREDENCE_HOME and CREDENCE_CONFIG_HOME to folders that are';
const SPACE = 'free some disk space, and run the command again';

/** What the system's codes mean, and what a person can do. */
const SYSTEM: Readonly<Record<string, readonly [says: string, next: string]>> = {
  EACCES: ['this user has no permission', WRITABLE],
  EPERM: ['the system does not permit it', WRITABLE],
  EROFS: ['it lies on a read-only file system', WRITABLE],
  ENOSPC: ['the disk is full', SPACE],
  EDQUOT: ['the quota of this user is used up', SPACE],
  ENOTDIR: ['a file stands where a folder has to be', 'move that file away'],
  EISDIR: ['a folder stands where a file has to be', 'move that folder away'],
  EEXIST: ['something else is there already', 'move it away'],
  ENOENT: ['it is not there', 'look at the path; `credence config` prints where everything is'],
  ELOOP: ['its links lead round in a circle', 'replace the link by a file or a folder'],
  EMFILE: ['too many files are open', 'close some programs, and run the command again'],
};
const OTHER = [
  'the system refused',
  '`credence doctor` tries every part of the installation',
] as const;

/** An error of the operating system as one of ours: which file, why, and what to do. Any other stays as it is. */
export function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CredenceError) return error;
  const { code, syscall, path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  if (code === undefined || syscall === undefined) return error;
  const [says, next] = SYSTEM[code] ?? OTHER;
  // A write that is not done yet has a name of its own, which says nothing to people.
  const place = dest ?? path?.replace(/\/\.credence-[^/]*\.tmp$/, '');
  const what = place ?? (syscall === 'uv_cwd' ? 'the current folder' : 'a file of this home');
  return new CredenceError(
    'unavailable',
    `file.${code.toLowerCase()}`,
    `${what}: ${says} (${code} in ${syscall})`,
    { next, cause: error },
  );
}
