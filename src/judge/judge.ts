import { compareFrames } from './compare.ts';
import { framesOf } from './frame.ts';
import { RULES, type Verdict } from './rules.ts';

/** Which judge it was: findings carry it, since another may answer otherwise. */
export const JUDGE_VERSION = 'rules-1';

export interface Judgement {
  readonly verdict: Verdict;
  readonly why: string;
}

const plain = (text: string) =>
  text
    .normalize('NFKC')
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[.。]+$/, '');

export function judge(one: string, other: string): Judgement {
  const [a, b] = [plain(one), plain(other)].sort() as [string, string];
  if (a === b || (a.toLowerCase() === b.toLowerCase() && !/[`-]/.test(a)))
    return { verdict: 'same', why: 'equal' };
  const [x] = framesOf(a);
  const [y] = framesOf(b);
  if (!x || !y) return { verdict: 'unrelated', why: 'nothing-said' };
  const compared = compareFrames(x, y);
  const rule = RULES.find(({ holds }) => holds(compared));
  return { verdict: rule?.verdict ?? 'unrelated', why: rule?.why ?? 'nothing-shared' };
}
