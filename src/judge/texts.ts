import { framesOf, withAbsent } from './clauses.ts';
import { type Comparison, compareFrames } from './compare.ts';
import { type Judgement, RULES } from './rules.ts';

/** White space and the last full stop say nothing. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[.。!]+$/, '');
}

/** Nor does the case of the first letter, unless it begins a name. */
const lowered = (text: string) =>
  /^\p{Lu}\p{Ll}*\b(?![-_])/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

const CLAUSES_MAX = 4;
/** A clause that contradicts one of the other claim decides if it has that much in common with it. */
const OVERLAP_MIN = 0.5;

interface Judged extends Judgement {
  /** Which clause of the one stands beside which of the other. */
  readonly at: readonly [number, number];
  readonly overlap: number;
  readonly common: number;
}

function judgeFrames(c: Comparison): Judgement {
  const rule = RULES.find(({ holds }) => holds(c));
  return { verdict: rule?.verdict ?? 'unrelated', why: rule?.why ?? 'says-more' };
}

/** Judges each clause of a claim beside each of the other; those with most in common stand first. */
function judgeClauses(one: string, other: string): Judged[] {
  const [as = [], bs = []] = [one, other].map((text) => {
    const frames = framesOf(text).slice(0, CLAUSES_MAX);
    return frames.map((frame) => withAbsent(frame, frames));
  });
  const judged = as.flatMap((a, i) =>
    bs.map((b, j): Judged => {
      const c = compareFrames(a, b);
      return { ...judgeFrames(c), at: [i, j], overlap: c.overlap, common: c.common };
    }),
  );
  return judged.sort((x, y) => y.common - x.common);
}

/** Claims of several clauses say the same if each clause of both does; else what is left decides. */
function judgeRest(judged: readonly Judged[], same: Judged): Judgement {
  const said = judged.filter(({ verdict }) => verdict === 'same');
  const isSaid = (side: 0 | 1) => (one: Judged) => said.some(({ at }) => at[side] === one.at[side]);
  if (judged.every(isSaid(0)) && judged.every(isSaid(1))) return same;
  const left = judged.filter((one) => !isSaid(0)(one) && !isSaid(1)(one));
  const against = left.find(({ verdict }) => verdict === 'contradicts');
  return against ?? { verdict: 'unrelated', why: 'says-more' };
}

/** Judges two claims by their texts alone. */
export function judgeTexts(one: string, other: string): Judgement {
  const texts = [plain(one), plain(other)];
  // In one order, so that the answer is the same whichever is named first.
  const [a = '', b = ''] =
    lowered(texts[0] ?? '') < lowered(texts[1] ?? '') ? texts : texts.reverse();
  if (lowered(a) === lowered(b)) return { verdict: 'same', why: 'equal' };
  const judged = judgeClauses(a, b);
  const against = judged.find(
    (c) => c.verdict === 'contradicts' && (c.overlap >= OVERLAP_MIN || c.why === 'set-aside'),
  );
  const nearest = against ?? judged[0] ?? { verdict: 'unrelated', why: 'nothing-said' };
  const first = judged[0];
  const { verdict, why } =
    nearest === first && first.verdict === 'same' ? judgeRest(judged, first) : nearest;
  return { verdict, why };
}
