import { toInstant } from '../base/time.ts';
import { totalsOf, trustOf } from '../fold/belief.ts';
import { isQuarantined } from '../gate/gates.ts';
import { scorePpm, type Totals } from '../record/score.ts';
import { readerOf } from '../snapshot/database.ts';
import type { Sql } from '../snapshot/port.ts';

/** With fewer answered predictions a score says little. Source: design page 4, "Calibration". */
const LOW_SAMPLE = 10;
/** From here on a contradiction rate is warned about: one claim in five, of at least five. */
const RATE_WARNED = 0.2;
const CLAIMS_MIN = 5;
const WEEK_MS = 7 * 86_400_000;
/** So many weeks of a rate are shown. */
const WEEKS = 8;

/** How far an agent's word was borne out. */
export interface Calibration extends Totals {
  /** 0 for always right, 0.5 for nobody knows, 1 for always wrong. */
  readonly score: number;
  /** What its word weighs in gated scopes. */
  readonly trust: number;
  readonly lowSample: boolean;
  readonly promoted: number;
  readonly contested: number;
  /** contested / (promoted + contested), 0 to 1; undefined where it has neither. */
  readonly contradictionRate: number | undefined;
  readonly isWarned: boolean;
  readonly isQuarantined: boolean;
}

const rateOf = (promoted: number, contested: number) =>
  promoted + contested === 0 ? undefined : contested / (promoted + contested);

/** What an agent's claims were at an instant, by the decisions until then. */
function countsAt(decided: readonly Decided[], until: string) {
  const last = new Map<string, string>();
  for (const { claim, kind, at } of decided) {
    // Positions rise, and the instants of several hosts' gates need not.
    if (at > until) continue;
    // A decision that a claim waits on changes nothing that was settled.
    if (kind === 'promoted' || kind === 'contested') last.set(claim, kind);
    else if (kind !== 'candidate') last.delete(claim);
  }
  const kinds = [...last.values()];
  const contested = kinds.filter((kind) => kind === 'contested').length;
  return { promoted: kinds.length - contested, contested };
}

interface Decided {
  readonly claim: string;
  readonly kind: string;
  readonly at: string;
}

/** The decisions on an agent's claims, in their order. */
function decisionsOn(state: Sql, agent: string): Decided[] {
  return state
    .all(
      `SELECT claims.key AS claim, decisions.kind AS kind, decisions.issued_at AS at
       FROM claims JOIN decisions ON decisions.claim = claims.key
       WHERE claims.observed_by = ? ORDER BY decisions.at`,
      agent,
    )
    .map(({ claim, kind, at }) => ({ claim: String(claim), kind: String(kind), at: String(at) }));
}

/** How many of each agent's claims are promoted, and contested. */
function tally(state: Sql): Map<string, { readonly promoted: number; readonly contested: number }> {
  const rows = state.all(
    `SELECT observed_by AS agent, sum(status = 'accepted') AS promoted, sum(status = 'contested') AS contested
     FROM claims WHERE retired IS NULL AND superseded_by IS NULL GROUP BY observed_by`,
  );
  return new Map(
    rows.map(({ agent, promoted, contested }) => [
      String(agent),
      { promoted: Number(promoted), contested: Number(contested) },
    ]),
  );
}

/** The track records of all who observed a claim, and how often what they claim is contested, by agent. */
export function calibrations(state: Sql): Map<string, Calibration> {
  const reader = readerOf(state);
  const known = [...tally(state)].map(([agent, { promoted, contested }]) => {
    const totals = totalsOf(reader, agent);
    const contradictionRate = rateOf(promoted, contested);
    const one: Calibration = {
      ...totals,
      score: scorePpm(totals) / 1_000_000,
      trust: trustOf(reader, agent),
      lowSample: totals.correct + totals.incorrect < LOW_SAMPLE,
      promoted,
      contested,
      contradictionRate,
      isWarned: promoted + contested >= CLAIMS_MIN && (contradictionRate ?? 0) >= RATE_WARNED,
      isQuarantined: isQuarantined(reader, agent),
    };
    return [agent, one] as const;
  });
  return new Map(known);
}

/** An agent's contradiction rate at the end of each of the last weeks, the oldest first; `now` in milliseconds. */
export function weeklyRates(state: Sql, agent: string, now: number): (number | undefined)[] {
  const decided = decisionsOn(state, agent);
  return Array.from({ length: WEEKS }, (_, i) => {
    const { promoted, contested } = countsAt(decided, toInstant(now - (WEEKS - 1 - i) * WEEK_MS));
    return rateOf(promoted, contested);
  });
}

/** The agents whose claims are contested so often that a person should look, and that nobody holds back. */
export function warnedAgents(state: Sql): { readonly agent: string; readonly rate: number }[] {
  return [...calibrations(state)].flatMap(
    ([agent, { isWarned, isQuarantined, contradictionRate }]) =>
      isWarned && !isQuarantined ? [{ agent, rate: contradictionRate ?? 0 }] : [],
  );
}
