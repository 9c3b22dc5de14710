import { CredenceError, codeOf } from '../base/errors.ts';
import { TAKEN_IN } from '../fold/take-in.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { type EntryProof, type GrowthProof, openHead } from '../ledger/entry-proof.ts';
import { findEntry, readHead } from '../ledger/find.ts';
import { consistencyProof, inclusionProof } from '../ledger/proof.ts';
import { SignedRecord } from '../record/record.ts';
import { readerOf } from '../snapshot/database.ts';
import { headOf } from '../snapshot/follow.ts';
import type { Sql, SqlRow } from '../snapshot/port.ts';
import { nodesOf } from '../snapshot/tiles.ts';
import { findKey } from './shown-id.ts';

const hexOf = (path: readonly Buffer[]) => path.map((hash) => hash.toString('hex'));

/** Of this many records that begin alike the ids are told. */
const CANDIDATES_MAX = 10;
/** Enough of a record's id to mean it; fewer digits are a position. */
const BEGINNING = /^(?=.{4})(?!\d{1,11}$)[0-9a-f]{1,64}$/;

/**
 * The position that is meant by that, by the beginning of a record's id, or by a session's id, whose newest seal is meant
 * then. Throws `entry.missing`, `entry.ambiguous`, `session.ambiguous`.
 */
export function positionMeant(state: Sql, ref: string): number {
  const { size } = headOf(state).frontier;
  if (/^\d{1,11}$/.test(ref) && Number(ref) >= 1 && Number(ref) <= size) return Number(ref);
  const rows = BEGINNING.test(ref) ? recordsFrom(state, ref) : [];
  if (rows.length > 1) throw ambiguous(ref, rows);
  if (rows[0]) return Number(rows[0]['at']);
  const session = ref === '' ? undefined : sessionMeant(state, ref);
  if (session) return positionMeant(state, session.record);
  throw new CredenceError('missing', 'entry.missing', `no entry of the ledger is ${ref}`, {
    data: { ref },
    next: `give a position from 1 to ${size}, a record's id, or a session's`,
  });
}

/** The records that begin so and are entries of their own, some of them where there are many. */
function recordsFrom(state: Sql, beginning: string): SqlRow[] {
  return state.all(
    'SELECT key, at FROM decided WHERE key >= ? AND key < ? AND code IS NULL AND context <> ? ORDER BY key LIMIT ?',
    ...[beginning, `${beginning}g`, TAKEN_IN, CANDIDATES_MAX],
  );
}

function sessionMeant(state: Sql, ref: string): { readonly record: string } | undefined {
  try {
    return readerOf(state).get('sessions', findKey(state, 'session', ref));
  } catch (error) {
    if (codeOf(error) === 'session.missing') return undefined;
    throw error;
  }
}

function ambiguous(ref: string, rows: readonly SqlRow[]): CredenceError {
  const candidates = rows.map(({ key }) => String(key));
  const what = `several records begin with ${ref}`;
  const more = { data: { ref, candidates }, next: 'give more of the id' };
  return new CredenceError('incorrect', 'entry.ambiguous', what, more);
}

/** Proves to whoever has nothing but the proof that an entry stands in the ledger, up to the head that was followed. */
export async function proveEntry(state: Sql, store: ObjectStore, seq: number): Promise<EntryProof> {
  const head = headOf(state);
  const { checkpoint } = await readHead(store, head.n);
  const entry = await findEntry(store, seq, head.n);
  const path = hexOf(inclusionProof(nodesOf(state), seq - 1, head.frontier.size));
  return { format: 1, kind: 'entry', entry, path, checkpoint };
}

/** Proves that the ledger goes on from a head that was seen before. Throws `proof.*`, `record.*`. */
export async function proveGrowth(
  state: Sql,
  store: ObjectStore,
  seen: unknown,
): Promise<GrowthProof> {
  const head = headOf(state);
  const { size } = openHead(seen);
  const from = SignedRecord.parse(seen);
  if (size > head.frontier.size) {
    throw new CredenceError(
      'incorrect',
      'proof.ahead',
      `the ledger was followed up to ${head.frontier.size}, and that head is at ${size}`,
      {
        next: 'run `credence sync --once`, and ask again',
      },
    );
  }
  const { checkpoint: to } = await readHead(store, head.n);
  const path = hexOf(consistencyProof(nodesOf(state), size, head.frontier.size));
  return { format: 1, kind: 'growth', from, to, path };
}
