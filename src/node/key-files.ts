import { join } from 'node:path';
import { CredenceError } from '../base/errors.ts';
import type { KeyFiles } from '../door/cli/context.ts';
import { busyError } from '../door/cli/error-text.ts';
import type { Home } from '../home/home.ts';
import { passphraseOf } from '../home/settings.ts';
import { changeKeys, listKeys } from '../io/keys-sealing.ts';
import { lockMachine } from '../io/sqlite.ts';
import type { Env } from './node.ts';

/** A passphrase that is guessed in seconds, whatever each guess costs, is none. */
const LENGTH_MIN = 8;

/** The files that hold the keys of a home, as commands list and change them. */
export function openKeyFiles(home: () => Home, env: Env): KeyFiles {
  const named = () => passphraseOf(home().settings, env);
  return {
    list: () => listKeys(home().folders.config),
    passphrase: () => ({ variable: named().variable, isSet: named().value !== undefined }),
    change(to, { passphrase = named().value, dryRun }) {
      if (passphrase === undefined) throw missing(named().variable);
      if (to === 'sealed' && [...passphrase].length < LENGTH_MIN) throw tooShort();
      const { config, home: folder } = home().folders;
      // Whoever works with the keys holds it: nobody reads a key while it is replaced, and no two replace one.
      const lock = lockMachine(join(folder, 'machine.sqlite'));
      if (!lock) throw busyError();
      try {
        return changeKeys(config, to, { passphrase, dryRun });
      } finally {
        lock.release();
      }
    },
  };
}

function missing(variable: string | undefined): CredenceError {
  const what =
    variable === undefined
      ? 'there is no passphrase: no setting names a variable that holds it'
      : `there is no passphrase: ${variable} is not set`;
  return new CredenceError('usage', 'key.passphrase_missing', what, {
    next: 'run the command at a terminal, which asks for it; or set keys.passphrase_env to the name of a variable, and that variable to the passphrase',
  });
}

function tooShort(): CredenceError {
  const what = `a passphrase has at least ${LENGTH_MIN} characters`;
  return new CredenceError('usage', 'key.passphrase_short', what, {
    next: 'take several words',
  });
}
