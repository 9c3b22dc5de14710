import { byCodePoint } from '../base/canonical.ts';
import type { ClaimsOnFile } from '../extract/port.ts';
import { trustOf } from '../fold/belief.ts';
import { saidOf, scopeKey } from '../fold/knowledge.ts';
import type { ClaimRow, ClaimState } from '../fold/knowledge-rows.ts';
import { type SourceWeight, type Standing, standingOf } from '../fold/standing.ts';
import type { Reader } from '../fold/state.ts';
import type { Scope } from '../record/knowledge.ts';
import { type ForeignPositions, foreignPositions } from './foreign.ts';

/** So many distinct identities that contradict a claim are a conflict for people to settle. Source: the seed on agent-knowledge. */
const CONFLICT_MIN = 2;

/** What a claim is to whoever reads it. */
export type ClaimStatus =
  | 'candidate'
  | 'promoted'
  | 'contested'
  | 'superseded'
  | 'joined'
  | 'expired'
  | 'rejected'
  | 'retired';

/** A claim with its standing at the moment of reading. */
export interface ClaimView extends Standing {
  readonly id: string;
  readonly scope: Scope;
  readonly kind: string;
  readonly statement: string;
  readonly topics: readonly string[];
  readonly refs: readonly { readonly uri: string; readonly kind: string | null }[];
  readonly episodes: readonly string[];
  readonly author: string;
  readonly principal: string;
  readonly assertedAt: string;
  readonly supersedes: string | undefined;
  readonly promotion: string;
  readonly status: ClaimStatus;
  /** It was promoted once: what is contested then is shown on, with what speaks against it. */
  readonly wasPromoted: boolean;
  /** The claims that it is contested with. */
  readonly against: readonly string[];
  /** The claim that says the same. */
  readonly joinedInto: string | undefined;
  /** Undefined for a claim of agent-knowledge. */
  readonly claimType: string | undefined;
  readonly subject: readonly string[];
  /** The agent that observed it, or `human`. */
  readonly observedBy: string;
  /** How many sessions support it. */
  readonly evidenceCount: number;
  /** How many of its observations followed from no other, as of the last decision; undefined where gates decided nothing. */
  readonly independentCount: number | undefined;
  /** Where its entry stands. */
  readonly seq: number;
  /** How many identities of other fleets corroborate and contradict it, as far as nobody here admitted them: they count for nothing. */
  readonly foreign: ForeignPositions;
}

/** How claims are read: at which moment, and by how much each identity counts. */
export interface Reading {
  readonly now: number;
  readonly weight?: SourceWeight | undefined;
  /** True for the agents' snapshot, which holds nothing of other fleets. */
  readonly ofAgents?: boolean;
}

/** What a row says of its claim. */
export function statusOf(row: ClaimRow): ClaimStatus {
  if (row.retired !== null) return 'retired';
  if (row.superseded_by !== null) return 'superseded';
  return STATUSES[row.status] ?? 'rejected';
}

const STATUSES: Readonly<Record<ClaimState, ClaimStatus>> = {
  pending: 'candidate',
  accepted: 'promoted',
  contested: 'contested',
  joined: 'joined',
  expired: 'expired',
  rejected: 'rejected',
};

const NO_POSITIONS: ForeignPositions = { corroborations: 0, contradictions: 0 };

function view(reader: Reader, row: ClaimRow, { now, weight, ofAgents }: Reading): ClaimView {
  const refs = JSON.parse(row.refs) as ClaimView['refs'];
  const positions = reader
    .where('endorsements', 'claim', row.key)
    .sort((a, b) => a.at - b.at)
    .map(({ observed_by, verdict, issued_at }) => ({
      identity: observed_by,
      verdict: verdict as 'corroborate' | 'contradict',
      issued_at,
    }));
  const changedAt = (uri: string) =>
    reader.get('artifacts', JSON.stringify([row.space, uri]))?.changed_at;
  return {
    id: row.key,
    scope: { space: row.space, segment: row.segment },
    kind: row.kind,
    statement: row.statement,
    topics: JSON.parse(row.topics) as string[],
    refs,
    episodes: JSON.parse(row.episodes) as string[],
    author: row.author,
    principal: row.principal,
    assertedAt: row.asserted_at,
    supersedes: row.supersedes ?? undefined,
    promotion: row.promotion,
    status: statusOf(row),
    wasPromoted: row.promoted_at !== null,
    against: JSON.parse(row.against) as string[],
    joinedInto: row.joined_into ?? undefined,
    claimType: row.claim_type ?? undefined,
    subject: JSON.parse(row.subject) as string[],
    observedBy: row.observed_by,
    evidenceCount: supportersOf(reader, row.key),
    independentCount: row.independent ?? undefined,
    seq: row.seq,
    foreign: ofAgents ? NO_POSITIONS : foreignPositions(reader, row.key),
    ...standingOf(
      { asserted_at: row.asserted_at, refs, independent: observedWeight(reader, row) },
      positions,
      changedAt,
      now,
      row.independent === null ? weight : (agent) => trustOf(reader, agent),
    ),
  };
}

/** What the observations that gates counted weigh: each as the agent whose word it is, by its track record. */
function observedWeight(reader: Reader, row: ClaimRow): number | undefined {
  if (row.independent === null) return undefined;
  const weights = (JSON.parse(row.witnesses) as string[]).map((agent) => trustOf(reader, agent));
  const rest = Math.max(0, row.independent - weights.length);
  return weights.reduce((sum, one) => sum + one, rest);
}

/** The distinct sessions that are cited for a claim, by it and by those who agree. */
function supportersOf(reader: Reader, claim: string): number {
  const cited = reader.where('citations', 'claim', claim);
  return new Set(
    cited.filter(({ verdict }) => verdict === 'corroborate').map(({ session }) => session),
  ).size;
}

/** A claim by its id; undefined where none is known. */
export function getClaim(reader: Reader, id: string, reading: Reading): ClaimView | undefined {
  const row = reader.get('claims', id);
  return row && view(reader, row, reading);
}

/** The claims of a space, by their ids. */
export function listClaims(reader: Reader, space: string, reading: Reading): ClaimView[] {
  return reader.where('claims', 'space', space).map((row) => view(reader, row, reading));
}

/** The claims that a briefing of a scope may hold: promoted, and of its segment or of none. */
export function eligibleClaims(reader: Reader, scope: Scope, reading: Reading): ClaimView[] {
  return reader
    .where('claims', 'space', scope.space)
    .filter(
      (row) =>
        statusOf(row) === 'promoted' && (row.segment === null || row.segment === scope.segment),
    )
    .map((row) => view(reader, row, reading));
}

/** The seconds within which claims of a scope count as fresh; undefined for the default. */
export function horizonOf(reader: Reader, scope: Scope): number | undefined {
  return reader.get('policies', scopeKey(scope))?.horizon_seconds ?? undefined;
}

/** A claim that several identities contradict. */
export interface Conflict {
  readonly claim_id: string;
  readonly scope: Scope;
  readonly contradictions: number;
}

/** The claims of a space that two or more distinct identities contradict, by their ids, also such as were withdrawn since. */
export function conflictsIn(reader: Reader, space: string, reading: Reading): Conflict[] {
  return listClaims(reader, space, reading)
    .filter(({ status }) => status !== 'candidate' && status !== 'rejected')
    .filter(({ contradictions }) => contradictions >= CONFLICT_MIN)
    .map(({ id, scope, contradictions }) => ({ claim_id: id, scope, contradictions }))
    .sort((a, b) => byCodePoint(a.claim_id, b.claim_id));
}

/** The claims that stand, as proposers have to know them. `space` is the fleet. */
export function claimsOnFile(reader: Reader, space: string): ClaimsOnFile {
  return {
    isKnown: (id) => reader.get('decided', id) !== undefined,
    same({ claim_type, subject, statement }) {
      const said = saidOf({ space, claim_type, subject: JSON.stringify(subject), statement });
      const standing = reader.where('claims', 'said', said).filter((row) => {
        const status = statusOf(row);
        return status === 'candidate' || status === 'promoted';
      });
      const [first] = standing.sort((a, b) => a.seq - b.seq);
      return first && { id: first.key };
    },
  };
}
