import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newSeed, type Signer, signerOf } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import type { Keyring } from '../base/keyring.ts';
import { objectOf } from '../base/unknown.ts';
import { createFileAtomically, deleteFile, readIfThere, writeFileDurably } from './small-file.ts';

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
  // No name of a key ends so: an agent's id holds dots, and each key's file ends in .json.
  const nextPath = (name: string) => `${pathOf(name)}.next`;
  // By the text: another process may have let another key take its place.
  const known = new Map<string, { readonly text: string; readonly signer: Signer }>();
  const peekAt = (path: string) => {
    const text = readIfThere(path);
    if (text === undefined) return undefined;
    const kept = known.get(path);
    if (kept?.text === text) return kept.signer;
    const signer = signerIn(path, text);
    known.set(path, { text, signer });
    return signer;
  };
  const signerAt = (path: string) => peekAt(path) ?? made(path, peekAt);
  return {
    signer: (name) => signerAt(pathOf(name)),
    peek: (name) => peekAt(pathOf(name)),
    next: (name) => signerAt(nextPath(name)),
    turn(name) {
      const text = readIfThere(nextPath(name));
      if (text === undefined) return;
      signerIn(nextPath(name), text);
      writeFileDurably(pathOf(name), text);
      deleteFile(nextPath(name));
    },
    dropNext: (name) => deleteFile(nextPath(name)),
    hostSecret() {
      const path = join(folder, 'host.secret');
      if (readIfThere(path) === undefined) createFileAtomically(path, randomBytes(SECRET_BYTES));
      assertPrivate(path);
      const secret = readFileSync(path);
      // By a shorter one, an empty one above all, anybody could find out what was withheld.
      if (secret.length !== SECRET_BYTES) malformed(path, 'remove it: a new one is made');
      return secret;
    },
  };
}

function made(path: string, peekAt: (path: string) => Signer | undefined): Signer {
  const seed = newSeed();
  const stored = { address: signerOf(seed).address, seed: Buffer.from(seed).toString('base64') };
  createFileAtomically(path, `${JSON.stringify(stored, undefined, 2)}\n`);
  // What stands, not what was made: another process may have been faster.
  return peekAt(path) ?? malformed(path, NEXT);
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
