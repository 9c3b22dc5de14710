import { CredenceError } from '../base/errors.ts';
import type { ObjectStore } from '../lake/objects.ts';
import type { EntryProof } from '../ledger/entry-proof.ts';
import { findEntry } from '../ledger/find.ts';
import type { LiveAgent } from '../live/live.ts';
import { ErasureBody } from '../record/erasure.ts';
import { recordId } from '../record/record.ts';
import { readerOf } from '../snapshot/database.ts';
import { headOf } from '../snapshot/follow.ts';
import type { Sql } from '../snapshot/port.ts';
import { stubsWithin } from '../snapshot/stubs.ts';
import { positionMeant, proveEntry } from './prove.ts';

/** What became of one erased position: `commit` is the commit whose bytes were seen to hold its stub. */
export interface Removed {
  readonly seq: number;
  readonly context: string;
  readonly commitment: string;
  readonly commit: number | null;
}

/** A machine of the fleet, and how far it says that it has followed. `passed` is null where it never said. */
export interface MachinePassed {
  readonly host: string;
  readonly position: number | null;
  readonly passed: boolean | null;
}

/** What can be said of an erasure, to whoever asked for it. */
export interface Certificate {
  readonly erasure: string;
  readonly seq: number;
  readonly author: string;
  readonly issuedAt: string;
  readonly reason: string;
  readonly tombstones: number;
  readonly removed: readonly Removed[];
  readonly machines: readonly MachinePassed[];
  /** That the erasure stands in the ledger. */
  readonly proof: EntryProof;
}

/**
 * The certificate of an erasure, by its id, its beginning or its position, as far as this machine has followed. Throws
 * `entry.*`, and `erasure.missing` for what is none that holds.
 */
export async function certificateOf(
  state: Sql,
  store: ObjectStore,
  live: readonly LiveAgent[],
  ref: string,
): Promise<Certificate> {
  const seq = positionMeant(state, ref);
  const entry = await findEntry(store, seq, headOf(state).n);
  const record = 'record' in entry && entry.record.context === 'erasure' ? entry.record : undefined;
  const body = record && ErasureBody.safeParse(record.body).data;
  const id = record ? recordId('erasure', record.body) : '';
  const first = body && readerOf(state).get('erased', String(body.entries[0]?.seq));
  if (!body || first?.erasure !== id) throw noErasure(ref);
  return {
    erasure: id,
    seq,
    author: body.author,
    issuedAt: body.issued_at,
    reason: body.reason,
    tombstones: body.tombstones.length,
    removed: body.entries.map((one) => ({
      ...one,
      commit: stubsWithin(state, one.seq, one.seq)[0]?.commit ?? null,
    })),
    machines: machinesPast(state, live, seq),
    proof: await proveEntry(state, store, seq),
  };
}

function noErasure(ref: string): CredenceError {
  const what = `${ref} is no erasure that holds`;
  return new CredenceError('missing', 'erasure.missing', what, {
    data: { ref },
    next: 'give the id that `credence erase` printed, or its position',
  });
}

/** Every host that was admitted, by its principal: one of two keys is one machine. */
function machinesPast(state: Sql, live: readonly LiveAgent[], seq: number): MachinePassed[] {
  const hosts = readerOf(state)
    .where('principals')
    .filter(({ kind }) => kind === 'host')
    .map(({ principal }) => principal);
  return [...new Set(hosts)].sort().map((host) => {
    const said = live.flatMap((one) => (one.host === host ? (one.position ?? []) : []));
    const position = said.length > 0 ? Math.max(...said) : null;
    return { host, position, passed: position === null ? null : position >= seq };
  });
}

/** The erasure that took what stood at a position; undefined where nothing did. */
export function erasureOf(state: Sql, seq: number): string | undefined {
  return readerOf(state).get('erased', String(seq))?.erasure ?? undefined;
}
