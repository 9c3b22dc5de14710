import type { Verdict } from '../../src/judge/rules.ts';

/** Two texts → a verdict. */
export type Judge = (a: string, b: string) => Verdict;

const OVERLAP_MIN = 0.6;
const CUE =
  /\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|instead|off|disabled|fails|failed)\b|n't\b/i;

const wordsOf = (text: string) =>
  new Set(
    text
      .toLowerCase()
      .split(/\s+/)
      .map((word) => word.replace(/^\W+|\W+$/g, ''))
      .filter((word) => word !== ''),
  );

/** Dice's coefficient of the words of two texts. */
function overlap(a: string, b: string): number {
  const [x, y] = [wordsOf(a), wordsOf(b)];
  const shared = [...x].filter((word) => y.has(word)).length;
  return (2 * shared) / (x.size + y.size);
}

/** What a judge has to be better than. */
export const BASELINES: Readonly<Record<string, Judge>> = {
  overlap: (a, b) => (a !== b && overlap(a, b) >= OVERLAP_MIN ? 'contradicts' : 'unrelated'),
  'cue word': (a, b) => (CUE.test(a) !== CUE.test(b) ? 'contradicts' : 'unrelated'),
  always: () => 'contradicts',
};
