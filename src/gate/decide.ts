import { toInstant, toMs } from '../base/time.ts';
import { policyOf } from '../fold/knowledge.ts';
import type { ClaimRow } from '../fold/knowledge-rows.ts';
import type { Reader } from '../fold/state.ts';
import type { GateSaid } from '../record/decision.ts';
import { type Evidence, evidenceOf } from './evidence.ts';
import type { ExposureReader } from './exposure.ts';
import {
  type Case,
  contradictionGate,
  evidenceGate,
  independenceGate,
  isQuarantined,
  neededByType,
  provenanceGate,
  quarantineGate,
} from './gates.ts';
import { type Independence, independenceOf } from './independence.ts';
import { type Pairs, pairsOf, rulingsOn } from './pairs.ts';
import { GRACE_MS, ruleOfType, typeOf } from './types.ts';

/** What is settled of a claim, and what only this kind of decision says. */
export type Outcome =
  | { readonly kind: 'candidate' }
  | { readonly kind: 'promoted'; readonly segment: string | null }
  | { readonly kind: 'contested'; readonly against: readonly string[] }
  | { readonly kind: 'expired' }
  | { readonly kind: 'joined'; readonly into: string };

/** A decision as it can be told again from the state before it. */
export interface Ruling {
  readonly claim: string;
  readonly outcome: Outcome;
  readonly gates: readonly GateSaid[];
  readonly findings: readonly string[];
  readonly policy: string | undefined;
}

/** What the gate works with: a state, and the instant at which it decides. */
export interface GateParts {
  readonly reader: Reader;
  readonly exposures: ExposureReader;
  readonly now: string;
}

/** A claim as the gates see it. */
function caseOf({ reader, exposures }: GateParts, claim: ClaimRow): Case {
  const scope = { space: claim.space, segment: claim.segment };
  const evidence = evidenceOf(reader, claim);
  const pairs = pairsOf(reader, evidence.claims);
  return {
    reader,
    claim,
    policy: policyOf(reader, scope, claim.spec),
    evidence,
    independence: independenceOf(reader, evidence, exposures),
    pairs,
    opponents: opponentsOf(reader, claim, pairs),
  };
}

/** What all of the gates say, in their order, also behind one that fails. */
function gatesOf(at: Case): GateSaid[] {
  return [
    quarantineGate(at),
    evidenceGate(at),
    contradictionGate(at),
    provenanceGate(at),
    independenceGate(at),
  ];
}

/** True for a claim that is held to be true, or was until another one contested it. */
function holds({ status, retired, superseded_by }: ClaimRow): boolean {
  const isThere = retired === null && superseded_by === null;
  return isThere && (status === 'accepted' || status === 'contested');
}

/** Two claims speak of one place where one of them holds everywhere, or both in the same segment. */
function meet(a: ClaimRow, b: ClaimRow): boolean {
  if (a.space !== b.space) return false;
  return a.segment === null || b.segment === null || a.segment === b.segment;
}

/** Another claim, or the one that says the same for it. */
function standingFor(reader: Reader, id: string): ClaimRow | undefined {
  const row = reader.get('claims', id);
  return row?.joined_into ? reader.get('claims', row.joined_into) : row;
}

function opponentsOf(reader: Reader, claim: ClaimRow, { judged }: Pairs): string[] {
  const rulings = rulingsOn(reader, claim.key);
  const opponents = judged.flatMap(({ claim: other, verdict }) => {
    if (verdict !== 'contradicts') return [];
    const row = standingFor(reader, other);
    if (!row || row.key === claim.key || !holds(row) || !meet(claim, row)) return [];
    const ruling = rulings.get(row.key);
    return ruling === 'both_hold' || ruling === 'split' ? [] : [row.key];
  });
  return [...new Set(opponents)].sort();
}

/** The earlier claim that says the same, as far as no person said that it does not. */
function sameAs(reader: Reader, claim: ClaimRow, { judged }: Pairs): ClaimRow | undefined {
  const rulings = rulingsOn(reader, claim.key);
  const earlier = judged.flatMap(({ claim: other, verdict }) => {
    const row = verdict === 'same' ? standingFor(reader, other) : undefined;
    if (!row || row.key === claim.key || row.seq > claim.seq || !meet(claim, row)) return [];
    const isOpen = holds(row) || (row.status === 'pending' && row.retired === null);
    return isOpen && typeOf(row) === typeOf(claim) && rulings.get(row.key) !== 'split' ? [row] : [];
  });
  return earlier.sort((a, b) => a.seq - b.seq)[0];
}

/** When it was last met by somebody who had not met it before, or by whoever said it first. */
function corroboratedAt(
  claim: ClaimRow,
  { supports }: Evidence,
  { classes }: Independence,
): string {
  const observed = classes.flatMap((one) =>
    one.counts ? one.supports[0].episodes.map(({ observedAt }) => observedAt) : [],
  );
  const all = supports.length === 0 ? [] : observed;
  return [claim.asserted_at, ...all].sort().at(-1) ?? claim.asserted_at;
}

/** True once its time is over: a hypothesis at its date, at once; any other some days after its time to live. */
function isOver(at: Case, now: string): boolean {
  const { claim, evidence, independence } = at;
  const lives = ruleOfType(claim).livesMs;
  if (lives === undefined) return false;
  if (typeOf(claim) === 'hypothesis') {
    return now > (claim.resolves_at ?? toInstant(toMs(claim.asserted_at) + lives));
  }
  const since = toMs(corroboratedAt(claim, evidence, independence));
  return toMs(now) > since + lives + GRACE_MS;
}

/** Where a claim lives once it is promoted: in the fleet where independent sessions of two repos support it. */
function homeOf({ reader, claim, independence }: Case): string | null {
  if (claim.segment?.startsWith('repo:') !== true) return claim.segment;
  const repos = independence.classes
    .filter(({ counts }) => counts)
    .map(({ supports: [first] }) => reader.get('sessions', first.session)?.repo ?? undefined);
  const known = new Set(repos.filter((repo) => repo !== undefined));
  return known.size > 1 ? null : claim.segment;
}

/** What the gate settles of a claim; nothing where it is as it was. One that contests another settles of both. */
export function ruleOn(parts: GateParts, claim: ClaimRow): Ruling[] {
  const { status, retired, superseded_by } = claim;
  const isIncumbent = status === 'accepted';
  const isOpen = status === 'pending' || status === 'expired';
  if (!(isIncumbent || isOpen) || retired !== null || superseded_by !== null) return [];
  const at = caseOf(parts, claim);
  if (at.policy.mode !== 'gates') return [];
  return isIncumbent ? onIncumbent(parts, at) : onCandidate(parts, at);
}

function ruling(at: Case, outcome: Outcome, gates: readonly GateSaid[]): Ruling {
  const { claim, evidence, independence, pairs, policy } = at;
  const judged = pairs.judged.filter(({ verdict }) => verdict !== 'unrelated');
  const used = [
    ...evidence.findings,
    ...independence.findings,
    ...judged.map(({ finding }) => finding),
  ];
  const findings = [...new Set(used)].sort();
  return { claim: claim.key, outcome, gates, findings, policy: policy.record };
}

function onCandidate(parts: GateParts, at: Case): Ruling[] {
  const { reader, claim, pairs, opponents } = at;
  const gates = gatesOf(at);
  const same = claim.status === 'pending' ? sameAs(reader, claim, pairs) : undefined;
  if (same) return [ruling(at, { kind: 'joined', into: same.key }, gates)];
  if (isOver(at, parts.now))
    return claim.status === 'expired' ? [] : [ruling(at, { kind: 'expired' }, gates)];
  const open = gates.filter(({ outcome }) => outcome !== 'passed');
  if (open.length === 0) return [ruling(at, { kind: 'promoted', segment: homeOf(at) }, gates)];
  const isContestable = open.length === 1 && opponents.length > 0;
  const contested = isContestable ? opponents.filter((id) => reaches(parts, at, id)) : [];
  if (contested.length > 0) return contest(parts, at, contested, gates);
  return claim.status === 'expired' ? [] : [ruling(at, { kind: 'candidate' }, gates)];
}

/** True where a challenger has as many independent observations, beside an incumbent's, as the policy asks. */
function reaches(parts: GateParts, at: Case, incumbent: string): boolean {
  const { contestRatio } = at.policy;
  if (contestRatio === 0) return true;
  const row = at.reader.get('claims', incumbent);
  const has = row ? caseOf(parts, row).independence.count : 0;
  return at.independence.count >= contestRatio * has;
}

/** Both go to a person: neither is better for being newer. */
function contest(
  parts: GateParts,
  at: Case,
  against: readonly string[],
  gates: readonly GateSaid[],
): Ruling[] {
  const others = against.flatMap((id) => {
    const row = parts.reader.get('claims', id);
    if (!row) return [];
    const other = caseOf(parts, row);
    const all = new Set([...(JSON.parse(row.against) as string[]), at.claim.key]);
    return [ruling(other, { kind: 'contested', against: [...all].sort() }, gatesOf(other))];
  });
  return [ruling(at, { kind: 'contested', against }, gates), ...others];
}

function onIncumbent(parts: GateParts, at: Case): Ruling[] {
  const gates = gatesOf(at);
  const [quarantine] = gates;
  if (quarantine?.outcome === 'failed')
    return [ruling(at, { kind: 'contested', against: [] }, gates)];
  if (isOver(at, parts.now)) return [ruling(at, { kind: 'expired' }, gates)];
  if (isChallenged(parts, at)) return [ruling(at, { kind: 'contested', against: [] }, gates)];
  // It goes on to hold, perhaps by more observations than it was promoted by, or in more repos.
  const [segment, { count }] = [homeOf(at), at.independence];
  const isAsBefore = at.claim.independent === count && at.claim.segment === segment;
  const stillPasses = gates.every(({ outcome }) => outcome === 'passed');
  return stillPasses && !isAsBefore ? [ruling(at, { kind: 'promoted', segment }, gates)] : [];
}

/** True where those who contradict it would be enough to promote a claim of its type. */
function isChallenged({ exposures }: GateParts, at: Case): boolean {
  const { reader, evidence } = at;
  const isHeld = (one: { readonly observedBy: string }) => isQuarantined(reader, one.observedBy);
  const supports = evidence.supports.filter(
    (one) => one.verdict === 'contradict' && one.wrong === 0 && !isHeld(one),
  );
  if (supports.length === 0) return false;
  const against = independenceOf(reader, { ...evidence, supports }, exposures, 'contradict');
  return against.unread.length === 0 && against.count >= neededByType(at);
}
