import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, codeOf } from '../base/errors.ts';
import { keyFolder, openKey, readKey, type StoredKey, sealedKey, seedOf } from './keys.ts';
import { replaceFile, sweepTemps } from './small-file.ts';

/** A key of a home, without what is secret in it. `address` is missing where its file holds none, as `fault` says. */
export interface KeyFile {
  readonly name: string;
  readonly path: string;
  readonly address?: string;
  readonly sealed?: boolean;
  /** The code of what is wrong with it. */
  readonly fault?: string;
}

/** What a write that was cut off left beside is removed once it is this old: whoever is at it is done sooner. */
const TEMP_AGE_MS_MAX = 60_000;

interface Found {
  readonly name: string;
  readonly path: string;
  readonly stored: StoredKey;
}

function keyPaths(configFolder: string): { readonly name: string; readonly path: string }[] {
  const folder = keyFolder(configFolder);
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ name: name.slice(0, -'.json'.length), path: join(folder, name) }));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The keys that are there, by name; also such as can't be read. */
export function listKeys(configFolder: string): KeyFile[] {
  return keyPaths(configFolder).map(({ name, path }) => {
    try {
      const stored = readKey(path, readFileSync(path, 'utf8'));
      return { name, path, address: stored.address, sealed: 'sealed' in stored };
    } catch (error) {
      return { name, path, fault: codeOf(error) };
    }
  });
}

/**
 * Seals every key that is open, or opens every sealed one. Before the first is changed each sealed one has to open under the
 * passphrase, so that a home is never under two. Each file is replaced whole: cut off at any moment, a key is
 * sealed or open, and the same call goes on. Answers with the keys that were, or with `dryRun` would be, changed. Throws `key.*`.
 */
export function changeKeys(
  configFolder: string,
  to: 'sealed' | 'open',
  { passphrase, dryRun }: { readonly passphrase: string; readonly dryRun: boolean },
): readonly KeyFile[] {
  const found: Found[] = keyPaths(configFolder).map(({ name, path }) => ({
    name,
    path,
    stored: readKey(path, readFileSync(path, 'utf8')),
  }));
  const seeds = found.map(({ path, stored }) => seedOf(path, stored, { value: passphrase }));
  const changed = found.flatMap(({ name, path, stored }, i) => {
    const seed = seeds[i];
    if (!seed || 'sealed' in stored === (to === 'sealed')) return [];
    if (!dryRun) replaceKey(path, to, seed, passphrase);
    return [{ name, path, address: stored.address, sealed: to === 'sealed' }];
  });
  // A key that was being made, or opened, when its process died lies there open.
  if (!dryRun) sweepTemps(keyFolder(configFolder), Date.now(), TEMP_AGE_MS_MAX);
  return changed;
}

function replaceKey(
  path: string,
  to: 'sealed' | 'open',
  seed: Uint8Array,
  passphrase: string,
): void {
  const text = to === 'sealed' ? sealedKey(seed, passphrase) : openKey(seed);
  // The old form goes for good: the new one has to be known to open.
  const again = seedOf(path, readKey(path, text), { value: passphrase });
  assert(Buffer.compare(again, seed) === 0, 'what is written opens to the same key');
  replaceFile(path, text);
}
