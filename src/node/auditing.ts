import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Audit, audit, type Witness } from '../fold/audit.ts';
import type { Home } from '../home/home.ts';
import { openVerifier } from '../io/verifier.ts';
import type { EntryProof, GrowthProof } from '../ledger/entry-proof.ts';
import { readHead } from '../ledger/find.ts';
import { root } from '../ledger/tree.ts';
import { type Certificate, certificateOf } from '../query/erasure.ts';
import { positionMeant, proveEntry, proveGrowth } from '../query/prove.ts';
import type { SignedRecord } from '../record/record.ts';
import { headOf } from '../snapshot/follow.ts';
import type { Sql } from '../snapshot/port.ts';
import { type Replay, replay } from '../snapshot/replay.ts';
import { TABLES } from '../snapshot/schema.ts';
import { readLive } from './node.ts';
import { openForReading, openSnapshot, readSnapshot, snapshotPath } from './snapshots.ts';

/** What this machine saw of the ledger when it followed it last. */
function ownWitness(home: Home): Witness[] {
  if (!existsSync(snapshotPath(home, 'state'))) return [];
  const { n, frontier } = readSnapshot(home, 'state', headOf);
  if (n === 0) return [];
  const { size } = frontier;
  return [{ n, size, root: root(frontier).toString('hex'), by: 'this machine' }];
}

/** Audits the ledger of a home's store, with what the home itself saw of it among the witnesses. */
export async function auditHome(
  home: Home,
  witnesses: readonly Witness[],
  heard: (n: number, of: number) => void,
): Promise<Audit> {
  const store = home.store();
  const verifier = openVerifier();
  try {
    return await audit({
      store,
      fleetId: home.readPin()?.fleetId,
      verifyAll: verifier.verifyAll,
      witnesses: [...ownWitness(home), ...witnesses],
      heard,
    });
  } finally {
    verifier.close();
  }
}

/**
 * Tells every decision of a ledger again that an audit found sound, in a database that is thrown away afterwards. Throws `ledger.*`.
 */
export async function replayHome(
  home: Home,
  fleetId: string,
  heard: (n: number, of: number) => void,
): Promise<Replay> {
  const folder = mkdtempSync(join(home.folders.home, 'replay-'));
  try {
    const scratch = openSnapshot(join(folder, 'state.sqlite'), TABLES);
    try {
      return await replay({ store: home.store(), fleetId, scratch, heard });
    } finally {
      scratch.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Proves an entry of the ledger up to where this home has followed it. */
export function proveIn(home: Home, ref: string): Promise<EntryProof> {
  return withState(home, (state) => proveEntry(state, home.store(), positionMeant(state, ref)));
}

/** Proves that the ledger goes on from a head, up to where this home has followed it. */
export function proveGrowthIn(home: Home, from: unknown): Promise<GrowthProof> {
  return withState(home, (state) => proveGrowth(state, home.store(), from));
}

/** The certificate of an erasure, as far as this home has followed. */
export function certificateIn(home: Home, erasure: string): Promise<Certificate> {
  return withState(home, (state) => certificateOf(state, home.store(), readLive(home), erasure));
}

/** The signed head of the commit up to which this home has followed the ledger. */
export function signedHeadIn(home: Home): Promise<SignedRecord> {
  return withState(home, async (state) => {
    const { checkpoint } = await readHead(home.store(), headOf(state).n);
    return checkpoint;
  });
}

async function withState<T>(home: Home, body: (state: Sql) => Promise<T>): Promise<T> {
  const state = openForReading(home, 'state');
  try {
    return await body(state);
  } finally {
    state.close();
  }
}
