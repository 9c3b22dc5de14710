import { describe, expect, test } from 'vitest';
import { combine, type Probabilities } from './entailment.ts';
import type { Judgement } from './rules.ts';

const sure = (of: keyof Probabilities, by = 0.96): Probabilities => ({
  entailment: (1 - by) / 2,
  neutral: (1 - by) / 2,
  contradiction: (1 - by) / 2,
  [of]: by,
});
const open: Judgement = { verdict: 'unrelated', why: 'says-more' };
const same: Judgement = { verdict: 'same', why: 'paraphrase' };

describe('a model is heard', () => {
  test('where the rules know no difference', () => {
    const [no, yes] = [sure('contradiction'), sure('entailment')];
    expect(combine(open, no, no)).toEqual({ verdict: 'contradicts', why: 'model' });
    expect(combine(open, yes, yes)).toEqual({ verdict: 'same', why: 'model' });
    expect(combine(same, no, no)).toEqual({ verdict: 'contradicts', why: 'model' });
  });
  test('only if it is sure both ways', () => {
    expect(combine(open, sure('entailment'), sure('neutral'))).toBe(open);
    expect(combine(open, sure('contradiction'), sure('contradiction', 0.8))).toBe(open);
  });
  test('not against a value, another thing, or a contradiction that the rules found', () => {
    const settled: readonly Judgement[] = [
      { verdict: 'contradicts', why: 'value' },
      { verdict: 'contradicts', why: 'reversed' },
      { verdict: 'unrelated', why: 'other-circumstance' },
      { verdict: 'unrelated', why: 'fact-span' },
      { verdict: 'same', why: 'equal' },
    ];
    for (const rules of settled) {
      expect(combine(rules, sure('entailment'), sure('entailment'))).toBe(rules);
      expect(combine(rules, sure('contradiction'), sure('contradiction'))).toBe(rules);
    }
  });
});
