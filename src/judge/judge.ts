import type { Fact } from '../record/claim.ts';
import { compareFrames } from './compare.ts';
import { judgeFacts } from './fact.ts';
import { type Frame, framesOf } from './frame.ts';
import { RULES, type Verdict } from './rules.ts';

/** Which judge it was: findings carry it, since another may answer otherwise. It changes with every rule and table. */
export const JUDGE_VERSION = 'rules-1';

/** A claim as far as the judge looks at it: its text and, where it is known, what it says of one thing. */
export interface Statement {
  readonly text: string;
  readonly fact?: Fact;
}

/** What the judge says of two claims, and the short code of the rule that decided. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly why: string;
}

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

/** The clause of a claim that has most in common with the other: what else it says stands beside it. */
function nearest(frames: readonly Frame[], other: readonly Frame[]): Frame | undefined {
  const keys = new Set(other.flatMap(({ units }) => units.map(({ key }) => key)));
  const common = ({ units }: Frame) => units.filter(({ key }) => keys.has(key)).length;
  let best = frames[0];
  for (const frame of frames) if (best && common(frame) > common(best)) best = frame;
  return best;
}

function judgeTexts(one: string, other: string): Judgement {
  // In one order, so that the answer is the same whichever is named first.
  const texts = [plain(one), plain(other)];
  const [a = '', b = ''] =
    lowered(texts[0] ?? '') < lowered(texts[1] ?? '') ? texts : texts.reverse();
  if (lowered(a) === lowered(b)) return { verdict: 'same', why: 'equal' };
  const [framesA, framesB] = [framesOf(a), framesOf(b)];
  const x = nearest(framesA, framesB);
  const y = nearest(framesB, framesA);
  if (!x || !y) return { verdict: 'unrelated', why: 'nothing-said' };
  const compared = compareFrames(x, y);
  const rule = RULES.find(({ holds }) => holds(compared));
  return { verdict: rule?.verdict ?? 'unrelated', why: rule?.why ?? 'says-more' };
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
  return judgeTexts(one.text, other.text);
}
