import { toInstant, toMs } from '../base/time.ts';
import type { FindingRow } from '../fold/belief-rows.ts';
import type { ClaimRow } from '../fold/knowledge-rows.ts';
import type { Reader } from '../fold/state.ts';
import { gatedClaims, isGated } from '../gate/find.ts';
import { GATE_VERSION } from '../gate/run.ts';
import { GRACE_MS, LIVES_MS } from '../gate/types.ts';
import { JUDGE_VERSION } from '../judge/judge.ts';
import type { PairFound } from '../record/finding.ts';
import { meta, readerOf, setMeta } from './database.ts';
import { positionOf } from './follow.ts';
import type { Sql } from './port.ts';

/*
 * Which claims the gate has to look at: those to which something happened since this machine looked last. It remembers that beside its
 * state, and looks at all of them where that is gone, once a day, and where what happened concerns everybody.
 */

const DAY_MS = 86_400_000;

/** What this machine looked at last, as it is kept in the state's `meta`. */
const SEEN = 'gate_seen';

interface Seen {
  readonly position: number;
  /** When all were looked at last. */
  readonly all: string;
  /** Of the gate and of the judge: another one may see all of them otherwise. */
  readonly versions: string;
}

const versions = `${GATE_VERSION} ${JUDGE_VERSION}`;

function seenIn(state: Sql): Seen | undefined {
  const text = meta(state, SEEN);
  return text === undefined ? undefined : (JSON.parse(text) as Seen);
}

/** What says who may speak, who is held back, and what gates ask: any claim may hang on it. */
const FOR_ALL = ['principals', 'trust', 'policies', 'fleet'] as const;

/** What happened to a claim, by the position of what did. */
const TOUCHED = `
  WITH since(n) AS (SELECT ?)
  SELECT key AS claim FROM claims WHERE at > (SELECT n FROM since)
  UNION SELECT claim FROM citations WHERE at > (SELECT n FROM since)
  UNION SELECT claim FROM endorsements WHERE at > (SELECT n FROM since)
  UNION SELECT claim FROM promotions WHERE at > (SELECT n FROM since)
  UNION SELECT promotions.claim FROM verdicts JOIN promotions ON promotions.key = verdicts.promotion WHERE verdicts.at > (SELECT n FROM since)
  UNION SELECT claim FROM settlements WHERE at > (SELECT n FROM since)
  UNION SELECT subject FROM findings WHERE at > (SELECT n FROM since) AND kind <> 'exposure'
  UNION SELECT citations.claim FROM sessions JOIN citations ON citations.session = sessions.key WHERE sessions.at > (SELECT n FROM since)
  UNION SELECT citations.claim FROM findings JOIN citations ON citations.session = findings.subject
        WHERE findings.at > (SELECT n FROM since) AND findings.kind = 'exposure'`;

/** The claims that were judged beside another one, and are not unrelated to it. */
function relatedIn({ found }: Pick<FindingRow, 'found'>): string[] {
  const pairs = JSON.parse(found) as PairFound[];
  const isRelated = ({ answer, reverse }: PairFound) =>
    answer !== 'unrelated' || reverse !== 'unrelated';
  return pairs.filter(isRelated).map(({ claim_id }) => claim_id);
}

/** A claim with all that say the same: they stand as one. */
function groupOf(reader: Reader, claim: string): string[] {
  const into = reader.get('claims', claim)?.joined_into ?? claim;
  return [into, ...reader.where('claims', 'joined_into', into).map(({ key }) => key)];
}

/** The claims that say the same as one or contradict it, whichever of the two was judged beside the other. */
function relatedTo(reader: Reader, claim: string): string[] {
  const told = reader.where('pairs', 'claim', claim).flatMap(({ finding }) => {
    const row = reader.get('findings', finding);
    return row && relatedIn(row).includes(claim) ? row.subject : [];
  });
  const found = reader
    .where('findings', 'subject', claim)
    .flatMap((row) => (row.kind === 'pair' ? relatedIn(row) : []));
  return [...told, ...found];
}

/** What hangs on claims: those that stand as one with them, and what is related to any of these. */
function hangingOn(reader: Reader, claims: readonly string[]): Set<string> {
  const groups = new Set(claims.flatMap((id) => groupOf(reader, id)));
  const related = new Set([...groups].flatMap((id) => relatedTo(reader, id)));
  return new Set([...groups, ...[...related].flatMap((id) => groupOf(reader, id))]);
}

/** Candidates whose last decision waits for something: for a session that they may not cite. */
const WAITING = `
  SELECT claims.key AS claim FROM claims JOIN decisions ON decisions.claim = claims.key
  WHERE claims.status = 'pending' AND decisions.gates LIKE '%"waits"%'`;

/** Claims that may be over by now: so long ago they were told. */
const OVER = `
  SELECT key AS claim FROM claims
  WHERE status IN ('accepted', 'pending') AND (resolves_at < ? OR asserted_at < ?)`;

function concernsAll(state: Sql, since: number): boolean {
  return FOR_ALL.some((table) => state.get(`SELECT 1 FROM ${table} WHERE at > ? LIMIT 1`, since));
}

const claimsIn = (state: Sql, sql: string, ...values: (string | number)[]) =>
  state.all(sql, ...values).map(({ claim }) => String(claim));

/** The claims that the gate looks at now, in the order of the ledger; `isAll` where that is every open one. */
export function dueClaims(
  state: Sql,
  now: number,
): { readonly claims: ClaimRow[]; readonly isAll: boolean } {
  const reader = readerOf(state);
  const seen = seenIn(state);
  const isFresh =
    seen !== undefined &&
    seen.versions === versions &&
    seen.position <= positionOf(state) &&
    now - toMs(seen.all) < DAY_MS &&
    !concernsAll(state, seen.position);
  if (!isFresh) return { claims: gatedClaims(reader), isAll: true };
  const judged = state.all(
    "SELECT found FROM findings WHERE at > ? AND kind = 'pair'",
    seen.position,
  );
  const touched = [
    ...claimsIn(state, TOUCHED, seen.position),
    ...judged.flatMap(({ found }) => relatedIn({ found: String(found) })),
  ];
  const longAgo = toInstant(now - Math.min(...LIVES_MS) - GRACE_MS);
  const ids = new Set([
    ...touched,
    ...hangingOn(reader, touched),
    ...claimsIn(state, WAITING),
    ...claimsIn(state, OVER, toInstant(now), longAgo),
  ]);
  const space = reader.get('fleet', 'fleet')?.fleet_id ?? '';
  const claims = [...ids].flatMap((id) => reader.get('claims', id) ?? []);
  return {
    claims: claims.filter((row) => isGated(row, space)).sort((a, b) => a.seq - b.seq),
    isAll: false,
  };
}

/** Remembers that the gate has looked at what was due at a position. */
export function noteSeen(state: Sql, position: number, isAll: boolean, now: number): void {
  const all = isAll ? toInstant(now) : (seenIn(state)?.all ?? toInstant(0));
  setMeta(state, SEEN, JSON.stringify({ position, all, versions } satisfies Seen));
}
