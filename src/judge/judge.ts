import type { Fact } from '../record/claim.ts';
import { judgeFacts } from './fact.ts';
import { areOfTwoMoments } from './moment.ts';
import type { Judgement } from './rules.ts';
import { judgeTexts } from './texts.ts';

/** Which judge it was: findings carry it, since another may answer otherwise. It changes with every rule and table. */
export const JUDGE_VERSION = 'rules-2';

/** A claim as far as the judge looks at it: its text and, where it is known, what it says of one thing. */
export interface Statement {
  readonly text: string;
  readonly fact?: Fact;
  /** It tells of one event, which took place when it says. */
  readonly isOutcome?: boolean;
}

/**
 * Judges whether two claims say the same, contradict each other, or neither: compatible, refining and nearly equal claims
 * of different things are *unrelated*. Pure and deterministic, the same for both orders; reads the first 2,000
 * characters of a text, in time linear in them, and throws nothing. In doubt between *same* and *contradicts* it says
 * *contradicts*. Source: design page 4, "The judge".
 */
export function judge(one: Statement, other: Statement): Judgement {
  if (one.fact && other.fact) {
    const judged = judgeFacts(one.fact, other.fact);
    if (judged) return judged;
  }
  const areEvents = one.isOutcome === true && other.isOutcome === true;
  if (areEvents && areOfTwoMoments(one.text, other.text))
    return { verdict: 'unrelated', why: 'other-moment' };
  return judgeTexts(one.text, other.text);
}
