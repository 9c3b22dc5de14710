import { homedir } from 'node:os';
import { join } from 'node:path';

/** The two folders that the product keeps on a machine, both absolute. */
export interface Folders {
  /** Settings and keys: small, precious, the user's to back up. */
  readonly config: string;
  /** Everything else: spool, state, and the default store. */
  readonly home: string;
}

/** `CREDENCE_CONFIG_HOME` and `CREDENCE_HOME`, else `$XDG_CONFIG_HOME/credence` and `~/.credence`. */
export function foldersOf(env: Readonly<Record<string, string | undefined>>): Folders {
  const xdg = env['XDG_CONFIG_HOME'];
  // Asked for only where it is needed: a user without an entry in the password file has none.
  const configBase = () => (xdg?.startsWith('/') ? xdg : join(homedir(), '.config'));
  return {
    config: env['CREDENCE_CONFIG_HOME'] ?? join(configBase(), 'credence'),
    home: env['CREDENCE_HOME'] ?? join(homedir(), '.credence'),
  };
}
