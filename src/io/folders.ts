import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { CredenceError } from '../base/errors.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The two folders that the product keeps on a machine, both absolute. */
export interface Folders {
  /** Settings and keys: small, precious, the user's to back up. */
  readonly config: string;
  /** Everything else: spool, state, and the default store. */
  readonly home: string;
}

/** `CREDENCE_CONFIG_HOME` and `CREDENCE_HOME`, else `$XDG_CONFIG_HOME/credence` and `~/.credence`. Throws as {@link folderOf}. */
export function foldersOf(env: Env): Folders {
  const xdg = env['XDG_CONFIG_HOME'];
  const configBase = () => (xdg?.startsWith('/') ? xdg : join(homedir(), '.config'));
  return {
    config: folderOf(env, 'CREDENCE_CONFIG_HOME', () => join(configBase(), 'credence')),
    home: folderOf(env, 'CREDENCE_HOME', () => join(homedir(), '.credence')),
  };
}

/** The folder of the user. Throws as {@link folderOf}. */
export function userHome(): string {
  return folderOf({}, 'HOME', homedir);
}

/**
 * The folder that a variable names; where it is empty or not set the one of the user, who is asked for only then: not
 * everyone has an entry in the password file. Throws `home.relative`: a relative folder is another one wherever a command
 * is started, or a hook, which runs what is set there.
 */
export function folderOf(env: Env, name: string, ofUser: () => string): string {
  const named = env[name] ?? '';
  const folder = named === '' ? ofUser() : named;
  if (isAbsolute(folder)) return folder;
  const variable = named === '' ? 'HOME' : name;
  const message = `${folder}, by ${variable}, is not an absolute path`;
  throw new CredenceError('configuration', 'home.relative', message, {
    next: `set ${variable} to an absolute path`,
  });
}
