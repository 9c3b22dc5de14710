import * as z from 'zod';
import type { VerifyAll } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import type { Head } from '../ledger/commit.ts';
import { type EntryWithText, type OpenedEntry, openEntries } from '../ledger/entry.ts';
import { root } from '../ledger/tree.ts';
import { meta, setMeta } from './database.ts';
import type { Sql } from './port.ts';

/** More entries than these whose signatures are wrong are not worth remembering: then everything is checked again. */
const UNSIGNED_MAX = 1_000;

/**
 * A commit up to which this machine has checked every signature of a ledger, with the positions of those entries whose
 * signatures were wrong. Its root commits to every byte before it, so whoever meets that root need not check them again.
 */
export const VerifiedMark = z.strictObject({
  version: z.literal(1),
  fleet_id: z.string(),
  n: z.int().positive(),
  size: z.int().positive(),
  root: z.string().regex(/^[0-9a-f]{64}$/),
  unsigned: z.array(z.int().positive()).max(UNSIGNED_MAX),
});
export type VerifiedMark = z.infer<typeof VerifiedMark>;

/** Where a machine keeps its mark. `read` answers undefined where there is none that could be ours. */
export interface MarkFile {
  read(): VerifiedMark | undefined;
  /** Once this returns, the mark is durable. */
  write(mark: VerifiedMark): void;
  remove(): void;
}

/** A mark's text; undefined where it is none. */
export function parseMark(text: string): VerifiedMark | undefined {
  try {
    return VerifiedMark.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** What stands in a state that was folded without its signatures checked, until the commit that vouches for it is met. */
const ASSUMED = 'assumed';

/** The mark on which a state relies that has not come to its commit yet. Nobody may read such a state. */
export function assumedBy(state: Sql): VerifiedMark | undefined {
  return parseMark(meta(state, ASSUMED) ?? '');
}

/**
 * The mark on which following may rely from `head` on: the one that it relied on before it was cut off, else the machine's,
 * where that is ahead. It is noted in the state before anything rests on it.
 */
export function assume(
  state: Sql,
  head: Head,
  fleetId: string,
  marks: MarkFile | undefined,
): VerifiedMark | undefined {
  const known = assumedBy(state);
  if (known) return confirm(state, head, known) ? undefined : known;
  const mark = marks?.read();
  if (!mark || mark.fleet_id !== fleetId || mark.n <= head.n) return undefined;
  state.transaction(() => setMeta(state, ASSUMED, JSON.stringify(mark)));
  return mark;
}

/** True once a state is at the mark's commit: then nothing in it is assumed any more. Throws `state.unproven` where that is another commit. */
export function confirm(state: Sql, head: Head, mark: VerifiedMark): boolean {
  if (head.n < mark.n) return false;
  if (head.n > mark.n || head.frontier.size !== mark.size || rootOf(head) !== mark.root)
    throw unproven(mark);
  state.transaction(() => state.run('DELETE FROM meta WHERE key = ?', ASSUMED));
  return true;
}

/** Says that a state rests on a mark which its ledger does not bear out: it is thrown away, and all is checked. */
export function unproven({ n }: VerifiedMark): CredenceError {
  return new CredenceError(
    'unavailable',
    'state.unproven',
    `the ledger is not the one whose signatures this machine checked up to commit ${n}`,
    { next: 'run `credence sync --once`, which checks all of it' },
  );
}

const believe: VerifyAll = async (checks) => checks.map(() => true);

/** Opens entries up to a mark, as {@link openEntries} did when their signatures were checked. */
export async function openMarked(
  entries: readonly EntryWithText[],
  { unsigned }: VerifiedMark,
): Promise<OpenedEntry[]> {
  const opened = await openEntries(entries, believe);
  const wrong = new Set(unsigned);
  return opened.map((entry) => {
    if (!wrong.has(entry.seq) || !('record' in entry)) return entry;
    const { record: _, recordedAt: __, ...place } = entry;
    return { ...place, fault: 'record.signature' };
  });
}

/** Remembers that every signature up to a state's head was checked. To be called once that is committed, and nothing in it is assumed. */
export function noteVerified(state: Sql, head: Head, fleetId: string, marks: MarkFile): void {
  if (head.n === 0) return;
  const known = marks.read();
  const own = { fleet_id: fleetId, n: head.n, root: rootOf(head) };
  if (known?.fleet_id === own.fleet_id && known.n === own.n && known.root === own.root) return;
  const rows = state.all(
    "SELECT at FROM unusable WHERE code = 'record.signature' ORDER BY at LIMIT ?",
    UNSIGNED_MAX + 1,
  );
  if (rows.length > UNSIGNED_MAX) marks.remove();
  else {
    const unsigned = rows.map(({ at }) => Number(at));
    marks.write({ version: 1, ...own, size: head.frontier.size, unsigned });
  }
}

function rootOf({ frontier }: Head): string {
  return root(frontier).toString('hex');
}
