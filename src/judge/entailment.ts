import type { Judgement } from './rules.ts';

/** What an entailment model says of a premise and a hypothesis: three probabilities that sum to 1. */
export interface Probabilities {
  readonly entailment: number;
  readonly neutral: number;
  readonly contradiction: number;
}

/** An entailment model, where one is configured. `name` and `version` go into the findings that rest on it. */
export interface Entailment {
  readonly name: string;
  readonly version: string;
  ask(premise: string, hypothesis: string): Promise<Probabilities>;
}

/** Both directions must be at least this sure. A model errs more often than it doubts. */
const SURE = 0.9;

/**
 * Rules by which a pair is of two things, or of two values: models take identifiers, numbers and environments for noise,
 * so that theirs is not the better answer.
 */
const SETTLED = new Set([
  'equal',
  'fact-span',
  'fact-value',
  'fact-many',
  'value',
  'other-circumstance',
  'other-subject',
  'aspect',
  'default',
]);

/**
 * Puts what a model says of a pair, once each way, together with what the rules say. The model is heard where the rules
 * found no difference that they know: it can make *unrelated* either of the other two, and *same* a contradiction; it
 * never clears a contradiction that the rules found.
 */
export function combine(rules: Judgement, there: Probabilities, back: Probabilities): Judgement {
  if (SETTLED.has(rules.why) || rules.verdict === 'contradicts') return rules;
  // What contradicts does so both ways; what entails one way alone is a refinement.
  const least = (of: keyof Probabilities) => Math.min(there[of], back[of]);
  if (least('contradiction') >= SURE) return { verdict: 'contradicts', why: 'model' };
  if (least('entailment') >= SURE) return { verdict: 'same', why: 'model' };
  return rules;
}
