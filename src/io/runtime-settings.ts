import { copyFileSync, rmSync } from 'node:fs';
import { CredenceError, codeOf, messageOf } from '../base/errors.ts';
import { readIfThere, writeFileAtomically } from './small-file.ts';

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
 * `dryRun` nothing is written. An edit that leaves nothing of a file removes it.
 */
export function editSettings(
  path: string,
  edit: (text: string | undefined) => string,
  options: { readonly dryRun: boolean; readonly stamp: string },
): Edited {
  const before = readIfThere(path);
  const edited = edit(before);
  const after = edited.trim() === '' ? undefined : edited;
  const changed = after !== before;
  if (!changed || options.dryRun) return { path, before, after, backup: undefined, changed };
  const backup = before === undefined ? undefined : `${path}.credence-${options.stamp}.bak`;
  try {
    if (backup !== undefined) copyFileSync(path, backup);
    if (after === undefined) rmSync(path, { force: true });
    else writeFileAtomically(path, after);
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
  return { path, before, after, backup, changed };
}
