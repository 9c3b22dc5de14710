import { constants, copyFileSync } from 'node:fs';
import { CredenceError, codeOf, messageOf } from '../base/errors.ts';
import { deleteFile, readBytesIfThere, replaceFile, targetOf } from './small-file.ts';

/** What editing another program's settings file came to. */
export interface Edited {
  readonly path: string;
  readonly before: string | undefined;
  /** Undefined where the file goes. */
  readonly after: string | undefined;
  readonly backup: string | undefined;
  readonly changed: boolean;
}

/**
 * Edits a settings file that belongs to another program: a backup beside it first, then one atomic write. With
 * `dryRun` nothing is written. An edit that answers undefined removes the file; a link that led to it stays, so that
 * taking an edit back leaves what was there before. Throws `settings.encoding` for a file that is not UTF-8: what could not
 * be read would come back changed.
 */
export function editSettings(
  path: string,
  edit: (text: string | undefined) => string | undefined,
  options: { readonly dryRun: boolean; readonly stamp: string },
): Edited {
  const bytes = orRefuse(path, () => readBytesIfThere(path));
  const before = bytes && decoded(path, bytes);
  const after = edit(before);
  const changed = after !== before;
  if (!changed || options.dryRun) return { path, before, after, backup: undefined, changed };
  const backup = before === undefined ? undefined : `${path}.credence-${options.stamp}.bak`;
  orRefuse(path, () => {
    // Never over what is there: a link in its place would lead the copy elsewhere.
    if (backup !== undefined) copyFileSync(path, backup, constants.COPYFILE_EXCL);
    if (after === undefined) deleteFile(targetOf(path));
    else replaceFile(path, after);
  });
  return { path, before, after, backup, changed };
}

function decoded(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CredenceError('incorrect', 'settings.encoding', `${path} is not UTF-8`, {
      cause,
      next: 'nothing was changed; save the file as UTF-8 and run the command again',
    });
  }
}

function orRefuse<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new CredenceError(
      'unavailable',
      `settings.${codeOf(error).toLowerCase()}`,
      `${path}: ${messageOf(error)}`,
      {
        cause: error,
        next: 'nothing was changed; make the file writable and run the command again',
      },
    );
  }
}
