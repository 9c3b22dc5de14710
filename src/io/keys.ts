import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newSeed, type Signer, signerOf } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import type { Keyring } from '../base/keyring.ts';
import { objectOf } from '../base/unknown.ts';
import { createFileAtomically, readIfThere } from './small-file.ts';

const SECRET_BYTES = 32;
const NEXT = 'restore it from a backup; a new key would be a new identity';

function malformed(path: string, next: string, cause?: unknown): never {
  throw new CredenceError('configuration', 'key.malformed', `${path} does not hold a key`, {
    next,
    cause,
  });
}

/** Refuses a key that anybody else can read: whoever could read it may have signed with it. */
function assertPrivate(path: string): void {
  const wide = statSync(path).mode & 0o077;
  if (wide === 0 || process.platform === 'win32') return;
  throw new CredenceError('configuration', 'key.mode', `${path} can be read by others`, {
    next: `run: chmod 600 '${path}'`,
  });
}

/** The keys under `<config>/keys`. */
export function openKeyring(configFolder: string): Keyring {
  const folder = join(configFolder, 'keys');
  const pathOf = (name: string) => join(folder, `${name}.json`);
  const known = new Map<string, Signer>();
  return {
    signer(name) {
      const signer = known.get(name) ?? loadOrMake(pathOf(name));
      known.set(name, signer);
      return signer;
    },
    hostSecret: () => madeSecret(join(folder, 'host.secret')),
    sealKey: () => madeSecret(join(folder, 'seal.secret')),
    fleetSecret(fleet) {
      const path = fleetSecretPath(folder, fleet);
      return readIfThere(path) === undefined
        ? undefined
        : secretIn(path, 'remove it: another host of the fleet can seal it to this one again');
    },
    keepFleetSecret(fleet, secret) {
      const path = fleetSecretPath(folder, fleet);
      if (readIfThere(path) === undefined)
        createFileAtomically(path, secret ?? randomBytes(SECRET_BYTES));
    },
  };
}

/** By fleet: in another one it would know nothing, and be handed on to whoever joins. */
function fleetSecretPath(folder: string, fleet: string): string {
  return join(folder, `fleet-${fleet.slice(0, 16)}.secret`);
}

function madeSecret(path: string): Uint8Array {
  if (readIfThere(path) === undefined) createFileAtomically(path, randomBytes(SECRET_BYTES));
  return secretIn(path, 'remove it: a new one is made');
}

function secretIn(path: string, next: string): Uint8Array {
  assertPrivate(path);
  const secret = readFileSync(path);
  // By a shorter one, an empty one above all, anybody could find out what it hides.
  if (secret.length !== SECRET_BYTES) malformed(path, next);
  return secret;
}

function loadOrMake(path: string): Signer {
  const known = readIfThere(path);
  if (known !== undefined) return signerIn(path, known);
  const seed = newSeed();
  const stored = { address: signerOf(seed).address, seed: Buffer.from(seed).toString('base64') };
  createFileAtomically(path, `${JSON.stringify(stored, undefined, 2)}\n`);
  // What stands, not what was made: another process may have been faster.
  return signerIn(path, readFileSync(path, 'utf8'));
}

function signerIn(path: string, text: string): Signer {
  assertPrivate(path);
  const { address, seed } = objectOf(parse(path, text));
  const bytes = Buffer.from(typeof seed === 'string' ? seed : '', 'base64');
  const signer = bytes.length === 32 ? signerOf(bytes) : undefined;
  return signer && signer.address === address ? signer : malformed(path, NEXT);
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    return malformed(path, NEXT, cause);
  }
}
