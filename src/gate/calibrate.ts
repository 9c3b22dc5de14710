import type { Signer } from '../base/ed25519.ts';
import { toInstant, toMs } from '../base/time.ts';
import { totalsOf } from '../fold/belief.ts';
import type { ClaimRow } from '../fold/knowledge-rows.ts';
import type { Reader } from '../fold/state.ts';
import { agrees } from '../judge/agrees.ts';
import { type SignedRecord, SPEC, seal } from '../record/record.ts';
import { type ScoreBody, scorePpm, type Totals } from '../record/score.ts';
import { operatorOf } from './exposure.ts';
import { ruleOfType } from './types.ts';

/** What scores hypotheses. */
export interface CalibrateParts {
  readonly reader: Reader;
  /** The instant of every score. */
  readonly now: string;
  readonly signer: Signer;
}

type Answered = Pick<ScoreBody, 'result'> & { readonly outcome?: string };

/** By when a hypothesis is to be answered. */
function dueAt(claim: ClaimRow): string {
  const lives = ruleOfType(claim).livesMs ?? 0;
  return claim.resolves_at ?? toInstant(toMs(claim.asserted_at) + lives);
}

/** When an outcome was seen first. */
function seenAt(reader: Reader, { key, asserted_at }: ClaimRow): string {
  const cited = reader.where('citations', 'claim', key).filter(({ record }) => record === key);
  return cited.map(({ observed_at }) => observed_at).sort()[0] ?? asserted_at;
}

const namesOf = ({ subject }: ClaimRow) => JSON.parse(subject) as string[];

/**
 * How the earliest promoted outcome on a hypothesis's subject answers it: seen no earlier, by its date, by another agent, and
 * where the fleet has more than one operator by an agent of another one. Nobody makes its own track record. Source: design page 6,
 * "Calibration".
 */
function answerTo(
  hypothesis: ClaimRow,
  outcomes: readonly ClaimRow[],
  { reader, now }: CalibrateParts,
): Answered | undefined {
  const due = dueAt(hypothesis);
  const subject = new Set(namesOf(hypothesis));
  const operators = new Set(reader.where('principals').map(({ operator }) => operator));
  const own = operatorOf(reader, hypothesis.observed_by);
  const answering = outcomes
    .filter(
      (one) =>
        one.space === hypothesis.space &&
        one.observed_by !== hypothesis.observed_by &&
        (operators.size < 2 || operatorOf(reader, one.observed_by) !== own) &&
        namesOf(one).some((name) => subject.has(name)),
    )
    .map((one) => ({ one, at: seenAt(reader, one) }))
    .filter(({ at }) => at >= hypothesis.asserted_at && at <= due)
    .sort((a, b) => (a.at === b.at ? a.one.seq - b.one.seq : a.at < b.at ? -1 : 1));
  for (const { one } of answering) {
    const result = agrees({ text: hypothesis.statement }, { text: one.statement });
    if (result !== 'unrelated') return { result, outcome: one.key };
  }
  return now > due ? { result: 'expired' } : undefined;
}

/** Scores the hypotheses that were answered, or whose date passed without an answer: each once, with its agent's totals. */
export function scoreAll(parts: CalibrateParts): SignedRecord[] {
  const { reader, now, signer } = parts;
  const all = reader.where('claims').sort((a, b) => a.seq - b.seq);
  const outcomes = all.filter(
    ({ claim_type, status }) => claim_type === 'outcome' && status === 'accepted',
  );
  const totals = new Map<string, Totals>();
  return all.flatMap((claim): SignedRecord[] => {
    const isOpen = claim.claim_type === 'hypothesis' && claim.retired === null;
    if (!isOpen || reader.get('scores', claim.key)) return [];
    const answer = answerTo(claim, outcomes, parts);
    if (!answer) return [];
    const agent = claim.observed_by;
    const before = totals.get(agent) ?? totalsOf(reader, agent);
    const after = { ...before, [answer.result]: before[answer.result] + 1 };
    totals.set(agent, after);
    const body: ScoreBody = {
      spec: SPEC,
      author: signer.address,
      issued_at: now,
      agent,
      claim_id: claim.key,
      ...(answer.outcome === undefined ? {} : { outcome_id: answer.outcome }),
      result: answer.result,
      totals: after,
      score_ppm: scorePpm(after),
    };
    return [seal('score', body, signer)];
  });
}
