import { existsSync, statSync } from 'node:fs';
import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { LIMIT } from '../base/limits.ts';
import { principalOf } from '../fold/view.ts';
import type { Home } from '../home/home.ts';
import { createFileAtomically, readBytesIfThere } from '../io/small-file.ts';
import { type CheckedBundle, checkBundle } from '../ledger/bundle.ts';
import type { Parts } from '../pipeline.ts';
import { type Exported, exportBundle } from '../query/export.ts';
import type { ExportWish } from '../query/export-wish.ts';
import { readerOf } from '../snapshot/database.ts';
import type { Sql } from '../snapshot/port.ts';
import { type Imported, importBundle } from '../verbs/bundles.ts';
import { openForReading } from './snapshots.ts';

/* Bundles as files, made and read in a home. */

/** The person of a home signs what leaves it, or its host where the fleet knows no such person. */
function exporterOf({ keys }: Home, state: Sql): Signer {
  const person = keys.signer('person');
  return principalOf(readerOf(state), person.address) ? person : keys.signer('host');
}

/** Makes a bundle up to where this home has followed the ledger. With `out` writes it to a new file. Throws `export.exists`. */
export async function exportIn(
  home: Home,
  wish: ExportWish,
  out: string | undefined,
  heard: (n: number, of: number) => void,
): Promise<Exported> {
  if (out !== undefined && existsSync(out)) throw isThere(out);
  const state = openForReading(home, 'state');
  try {
    const signer = exporterOf(home, state);
    const now = home.world.now();
    const exported = await exportBundle({ state, store: home.store(), signer, now, heard }, wish);
    // It may have come meanwhile, or be a link that leads nowhere.
    if (out !== undefined && !createFileAtomically(out, exported.bytes)) throw isThere(out);
    return exported;
  } finally {
    state.close();
  }
}

function isThere(out: string): CredenceError {
  return new CredenceError('conflict', 'export.exists', `${out} is there already`, {
    next: 'name another file, or move it away',
  });
}

/** Reads a bundle and checks all of it. Throws `bundle.*`, `file.missing`. */
export function readBundle(path: string, heard: (n: number, of: number) => void): CheckedBundle {
  // Looked at before it is read: what somebody sent may be of any size, and what is no file has none.
  const there = statSync(path, { throwIfNoEntry: false });
  if (there && !there.isFile()) throw noFile(path);
  const size = there?.size ?? 0;
  if (size > LIMIT.bundle_bytes_max) throw tooLarge(path, size);
  const bytes = readBytesIfThere(path);
  if (bytes) return checkBundle(bytes, heard);
  throw new CredenceError('missing', 'file.missing', `there is no file ${path}`, {
    next: 'give the path of a bundle that `credence export` wrote',
  });
}

function noFile(path: string): CredenceError {
  return new CredenceError('incorrect', 'bundle.file', `${path} is no file`, {
    next: 'give the path of a bundle that `credence export` wrote',
  });
}

function tooLarge(path: string, size: number): CredenceError {
  const what = `${path} has ${size} bytes, and a bundle at most ${LIMIT.bundle_bytes_max}`;
  return new CredenceError('incorrect', 'bundle.size', what, {
    next: 'ask for several bundles, by --space, --repo or --topic',
  });
}

/** Who imports: the person of the home where they may, else the first of its agents that may propose. */
function importerOf({ keys, settings }: Home, state: Sql): Signer {
  const reader = readerOf(state);
  const person = keys.signer('person');
  const rolesOf = ({ address }: Signer) => principalOf(reader, address)?.roles ?? [];
  const isOpen = reader.get('fleet', 'fleet')?.admission === 'open';
  if (isOpen || rolesOf(person).some((role) => role === 'admin' || role === 'propose'))
    return person;
  const agents = Object.values(settings.agents).map((agent) => keys.signer(`agent-${agent}`));
  return agents.find((agent) => rolesOf(agent).includes('propose')) ?? person;
}

/** Says in the ledger what a bundle holds. */
export function importIn(
  home: Home,
  parts: Parts,
  bundle: CheckedBundle,
  dryRun: boolean,
): Promise<Imported> {
  const by = importerOf(home, parts.state);
  return importBundle({ ...parts, ...parts.identity }, bundle, by, { dryRun });
}
