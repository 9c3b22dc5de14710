import { toInstant } from '../base/time.ts';
import { objectOf } from '../base/unknown.ts';
import { signedOf } from '../fold/held.ts';
import type { HeldRow, OriginRow } from '../fold/held-rows.ts';
import { type Position, type Standing, standingOf } from '../fold/standing.ts';
import type { Reader } from '../fold/state.ts';

/** How many distinct identities of other fleets take which position. */
export interface ForeignPositions {
  readonly corroborations: number;
  readonly contradictions: number;
}

/** A principal of another fleet as it is shown: nobody here can bear such a name. */
function foreignName(fleetId: string, principal: string): string {
  return `foreign:${fleetId}/${principal}`;
}

/** Positions as they were taken, in the order of their ledgers. The same name in two fleets is two identities. */
function positionsOf(rows: readonly HeldRow[]): Position[] {
  return rows
    .filter(({ context }) => context === 'endorsement')
    .sort((a, b) => a.seq - b.seq)
    .map((row) => {
      const { verdict, issued_at } = signedOf(row).body;
      return {
        identity: `${row.origin}\n${row.principal}`,
        verdict: verdict === 'corroborate' ? 'corroborate' : 'contradict',
        issued_at: String(issued_at),
      };
    });
}

/** The positions that identities of other fleets take on a claim, and that count for nothing here. */
export function foreignPositions(reader: Reader, claim: string): ForeignPositions {
  const held = reader.where('held', 'subject', claim).filter(({ taken }) => taken === null);
  if (held.length === 0) return { corroborations: 0, contradictions: 0 };
  const { corroborations, contradictions } = standingOf(
    { asserted_at: toInstant(0), refs: [] },
    positionsOf(held),
    () => undefined,
    0,
  );
  return { corroborations, contradictions };
}

/** A fleet of which something was imported. */
export interface Origin {
  /** The id of the record that founded it. */
  readonly fleet: string;
  readonly fleetId: string;
  readonly exporter: string;
  /** How far its ledger reached in the newest bundle. */
  readonly commit: number;
  readonly entries: number;
  readonly claims: number;
  /** Those of them whose author somebody admitted here. */
  readonly taken: number;
}

/** The fleets of which something was imported, by the ids of their founding records. */
export function listOrigins(reader: Reader): Origin[] {
  return reader.where('origins').map((row: OriginRow) => {
    const claims = reader
      .where('held', 'origin', row.key)
      .filter(({ context }) => context === 'claim');
    return {
      fleet: row.key,
      fleetId: row.fleet_id,
      exporter: row.exporter,
      commit: row.n,
      entries: row.size,
      claims: claims.length,
      taken: claims.filter(({ taken }) => taken !== null).length,
    };
  });
}

/** A claim of another fleet as that one has it, with its standing there. */
export interface ForeignClaim
  extends Pick<Standing, 'confidence' | 'corroborations' | 'contradictions'> {
  readonly id: string;
  readonly space: string;
  readonly segment: string | null;
  readonly statement: string;
  readonly topics: readonly string[];
  readonly author: string;
  /** Whom its author's key spoke for there. */
  readonly principal: string;
  readonly assertedAt: string;
  readonly retired: boolean;
  /** From which position on it counts here; null while nobody admitted its author. */
  readonly taken: number | null;
}

/** The claims that are held of a fleet, in the order of its ledger. Suspicion is left out: what changed there was not carried. */
export function foreignClaims(
  reader: Reader,
  { fleet, fleetId }: Origin,
  now: number,
): ForeignClaim[] {
  return reader
    .where('held', 'origin', fleet)
    .filter(({ context }) => context === 'claim')
    .sort((a, b) => a.seq - b.seq)
    .map((row) => {
      const { body } = signedOf(row);
      const about = reader
        .where('held', 'subject', row.subject)
        .filter(({ origin }) => origin === fleet);
      const scope = objectOf(body['scope']);
      const assertedAt = String(body['asserted_at'] ?? body['issued_at']);
      const { confidence, corroborations, contradictions } = standingOf(
        { asserted_at: assertedAt, refs: [] },
        positionsOf(about),
        () => undefined,
        now,
      );
      return {
        id: row.record,
        space: String(scope['space']),
        segment: typeof scope['segment'] === 'string' ? scope['segment'] : null,
        statement: String(body['statement']),
        topics: Array.isArray(body['topics']) ? body['topics'].map(String) : [],
        author: row.author,
        principal: foreignName(fleetId, row.principal),
        assertedAt,
        retired: about.some(({ context }) => context === 'retirement'),
        taken: row.taken,
        ...{ confidence, corroborations, contradictions },
      };
    });
}
