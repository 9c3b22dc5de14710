import type { Comparison } from './compare.ts';
import {
  both,
  deniesOther,
  differing,
  doesMore,
  excludesOther,
  isNotAll,
  isParaphrase,
  isPartial,
  isReversed,
  lacksOnly,
  nounsLeft,
  one,
  oneDenies,
  oneOnly,
  otherCause,
  otherCircumstance,
  otherModality,
  otherOrder,
  otherSubject,
  otherValue,
  rests,
  restsOnBothSides,
  some,
  tellsOfGone,
  wasFormerly,
} from './contrast.ts';
import { namesOther } from './one-other.ts';

/** What can be said of two claims. */
export type Verdict = 'same' | 'contradicts' | 'unrelated';

/** What the judge says of two claims, and the short code of the rule that decided. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly why: string;
}

interface Rule {
  readonly why: string;
  readonly verdict: Verdict;
  readonly holds: (c: Comparison) => boolean;
}

/** In order: the first that holds decides. */
export const RULES: readonly Rule[] = [
  {
    why: 'nothing-shared',
    verdict: 'unrelated',
    holds: (c) => c.overlap < 0.25 && !deniesOther(c),
  },
  { why: 'set-aside', verdict: 'contradicts', holds: tellsOfGone },
  { why: 'formerly', verdict: 'contradicts', holds: wasFormerly },
  { why: 'other-circumstance', verdict: 'unrelated', holds: (c) => one(c, '@formerly') },
  { why: 'order', verdict: 'contradicts', holds: otherOrder },
  { why: 'other-circumstance', verdict: 'unrelated', holds: otherCircumstance },
  {
    why: 'default',
    verdict: 'unrelated',
    holds: (c) => one(c, '@default') && (differing(c).length > 0 || c.reversed),
  },
  {
    why: 'other-change',
    verdict: 'unrelated',
    holds: (c) => both(c, '@change') && differing(c).length > 0,
  },
  {
    why: 'set-aside',
    verdict: 'contradicts',
    holds: (c) =>
      !both(c, '@change') &&
      ((deniesOther(c) && (c.overlap > 0.3 || c.common > 0.6)) || excludesOther(c)),
  },
  {
    why: 'partly',
    verdict: 'unrelated',
    holds: isPartial,
  },
  {
    why: 'only',
    verdict: 'contradicts',
    holds: (c) => lacksOnly(c) || isNotAll(c),
  },
  {
    why: 'only',
    verdict: 'contradicts',
    holds: (c) =>
      one(c, '@only') &&
      (some(c, '@all') || some(c, '@also')) &&
      c.overlap >= 0.4 &&
      nounsLeft(c).length + c.different.length > 0,
  },
  {
    why: 'cause',
    verdict: 'contradicts',
    holds: (c) =>
      otherCause(c) && !c.reversed && differing(c).length + rests(c).length > 0 && !otherSubject(c),
  },
  {
    why: 'aspect',
    verdict: 'unrelated',
    holds: (c) => c.different.some(({ how }) => how === 'aspect'),
  },
  { why: 'other-subject', verdict: 'unrelated', holds: otherSubject },
  { why: 'value', verdict: 'contradicts', holds: (c) => otherValue(c) && c.overlap >= 0.4 },
  { why: 'other-answer', verdict: 'contradicts', holds: namesOther },
  {
    why: 'modality',
    verdict: 'contradicts',
    holds: (c) => otherModality(c) && differing(c).length === 0 && !restsOnBothSides(c),
  },
  {
    why: 'reversed',
    verdict: 'contradicts',
    holds: isReversed,
  },
  {
    why: 'two-differences',
    verdict: 'unrelated',
    holds: (c) => differing(c).length + (c.reversed ? 1 : 0) > 0,
  },
  {
    why: 'same',
    verdict: 'same',
    holds: (c) =>
      !restsOnBothSides(c) &&
      nounsLeft(c).length === 0 &&
      !oneOnly(c) &&
      !oneDenies(c) &&
      !doesMore(c),
  },
  {
    why: 'paraphrase',
    verdict: 'same',
    holds: (c) => isParaphrase(c) && !oneOnly(c) && !oneDenies(c),
  },
  { why: 'says-more', verdict: 'unrelated', holds: () => true },
];
