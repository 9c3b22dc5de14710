import type { KeyObject } from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newSeed, type Signer, signerOf } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import type { Keyring, Passphrase } from '../base/keyring.ts';
import { openBytes, parseSealed, type Sealed, sealBytes } from '../base/sealed.ts';
import { jsonIn, objectOf } from '../base/unknown.ts';
import { createFileAtomically, deleteFile, readIfThere, writeFileDurably } from './small-file.ts';

const SECRET_BYTES = 32;
const SEED_BYTES = 32;
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

/** The keys under `<config>/keys`. Where there is a passphrase, or is to be one, keys are sealed as they are made. */
export function openKeyring(configFolder: string, passphrase: Passphrase = {}): Keyring {
  const folder = keyFolder(configFolder);
  const pathOf = (name: string) => join(folder, `${name}.json`);
  // No name of a key ends so: an agent's id holds dots, and each key's file ends in .json.
  const nextPath = (name: string) => `${pathOf(name)}.next`;
  // By the text: another process may have let another key take its place.
  const known = new Map<string, { readonly text: string; readonly signer: Signer }>();
  const peekAt = (path: string) => {
    const text = readIfThere(path);
    if (text === undefined) return undefined;
    const kept = known.get(path);
    if (kept?.text === text) return kept.signer;
    const signer = signerIn(path, text, passphrase);
    known.set(path, { text, signer });
    return signer;
  };
  const signerAt = (path: string) => {
    const there = peekAt(path);
    if (there) return there;
    makeKey(path, passphrase);
    // What stands, not what was made: another process may have been faster.
    return peekAt(path) ?? malformed(path, NEXT);
  };
  return {
    signer: (name) => signerAt(pathOf(name)),
    peek: (name) => peekAt(pathOf(name)),
    next: (name) => signerAt(nextPath(name)),
    turn(name) {
      const text = readIfThere(nextPath(name));
      if (text === undefined) return;
      signerIn(nextPath(name), text, passphrase);
      writeFileDurably(pathOf(name), text);
      deleteFile(nextPath(name));
    },
    dropNext: (name) => deleteFile(nextPath(name)),
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

/** Where the keys of a home lie. */
export function keyFolder(configFolder: string): string {
  return join(configFolder, 'keys');
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

function makeKey(path: string, passphrase: Passphrase): void {
  const seed = newSeed();
  const isSealed = passphrase.value !== undefined || passphrase.variable !== undefined;
  const stored = isSealed ? sealedKey(seed, passphraseFor(path, passphrase)) : openKey(seed);
  createFileAtomically(path, stored);
}

/** A key as its file holds it: the seed, or what it is sealed in. */
export type StoredKey = { readonly address: string } & (
  | { readonly seed: Uint8Array }
  | { readonly sealed: Sealed }
);

const written = (stored: object) => `${JSON.stringify(stored, undefined, 2)}\n`;

/** The text of an open key's file. */
export function openKey(seed: Uint8Array): string {
  return written({ address: signerOf(seed).address, seed: Buffer.from(seed).toString('base64') });
}

/** The text of a sealed key's file. */
export function sealedKey(seed: Uint8Array, passphrase: string): string {
  const { address } = signerOf(seed);
  const random = (bytes: number) => randomBytes(bytes);
  const sealed = sealBytes(passphrase, seed, { purpose: purposeOf(address), random });
  return written({ address, sealed });
}

/** A sealed key opens for its own address alone: whoever writes another one into the file gains no name by it. */
function purposeOf(address: string): string {
  return `credence/v1 key ${address}`;
}

/** Reads a key's file, as far as that can be done without a passphrase. Throws `key.mode`, `key.malformed`. */
export function readKey(path: string, text: string): StoredKey {
  assertPrivate(path);
  const { address, seed, sealed } = objectOf(jsonIn(text));
  if (typeof address !== 'string' || (seed === undefined) === (sealed === undefined))
    return malformed(path, NEXT);
  if (sealed !== undefined) return { address, sealed: sealedIn(path, sealed) };
  const bytes = Buffer.from(typeof seed === 'string' ? seed : '', 'base64');
  const fits = bytes.length === SEED_BYTES && signerOf(bytes).address === address;
  return fits ? { address, seed: bytes } : malformed(path, NEXT);
}

function sealedIn(path: string, sealed: unknown): Sealed {
  try {
    return parseSealed(sealed);
  } catch (cause) {
    return malformed(path, NEXT, cause);
  }
}

/** The seed of a key. Throws `key.sealed`, `key.passphrase`. */
export function seedOf(path: string, stored: StoredKey, passphrase: Passphrase): Uint8Array {
  if ('seed' in stored) return stored.seed;
  const word = passphraseFor(path, passphrase);
  const seed = openBytes(word, stored.sealed, purposeOf(stored.address));
  if (seed?.length === SEED_BYTES && signerOf(seed).address === stored.address) return seed;
  const where = passphrase.variable === undefined ? 'that was given' : `in ${passphrase.variable}`;
  const what = `${path} does not open under the passphrase ${where}`;
  throw new CredenceError('configuration', 'key.passphrase', what, {
    next: 'give the one that it was sealed by; `credence keys` lists the keys. A file that was changed opens under none',
  });
}

function passphraseFor(path: string, { variable, value }: Passphrase): string {
  if (value !== undefined) return value;
  const what =
    variable === undefined
      ? `${path} is sealed, and no setting names the variable that holds its passphrase`
      : `${path} is under a passphrase, and ${variable}, which is to hold it, is not set`;
  const next =
    variable === undefined
      ? 'run `credence config set keys.passphrase_env <NAME>`, and set that variable to the passphrase'
      : `set ${variable} to the passphrase for this command`;
  throw new CredenceError('configuration', 'key.sealed', what, { next });
}

function signerIn(path: string, text: string, passphrase: Passphrase): Signer {
  const stored = readKey(path, text);
  if ('seed' in stored) return signerOf(stored.seed);
  let opened: KeyObject | undefined;
  return {
    address: stored.address,
    get key() {
      opened ??= signerOf(seedOf(path, stored, passphrase)).key;
      return opened;
    },
  };
}
