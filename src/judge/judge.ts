import type { Fact } from '../record/claim.ts';
import { type Comparison, compareFrames } from './compare.ts';
import { judgeFacts } from './fact.ts';
import { type Frame, framesOf, withAbsent } from './frame.ts';
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

const CLAUSES_MAX = 4;
/** A clause that contradicts one of the other claim decides if it has that much in common with it. */
const OVERLAP_MIN = 0.5;

function judgeFrames(c: Comparison): Judgement {
  const rule = RULES.find(({ holds }) => holds(c));
  return { verdict: rule?.verdict ?? 'unrelated', why: rule?.why ?? 'says-more' };
}

/** Each clause of a claim beside each of the other, those with most in common first. */
function compareClauses(one: readonly Frame[], other: readonly Frame[]): Comparison[] {
  const [as, bs] = [one, other].map((frames) =>
    frames.slice(0, CLAUSES_MAX).map((frame) => withAbsent(frame, frames)),
  );
  const all = (as ?? []).flatMap((a) => (bs ?? []).map((b) => compareFrames(a, b)));
  return all.sort((x, y) => y.common - x.common);
}

function judgeTexts(one: string, other: string): Judgement {
  const texts = [plain(one), plain(other)];
  // In one order, so that the answer is the same whichever is named first.
  const [a = '', b = ''] =
    lowered(texts[0] ?? '') < lowered(texts[1] ?? '') ? texts : texts.reverse();
  if (lowered(a) === lowered(b)) return { verdict: 'same', why: 'equal' };
  const [framesA, framesB] = [framesOf(a), framesOf(b)];
  const compared = compareClauses(framesA, framesB);
  const [nearest] = compared;
  if (nearest === undefined) return { verdict: 'unrelated', why: 'nothing-said' };
  const judged = compared.map((c) => ({ ...judgeFrames(c), overlap: c.overlap }));
  const against = judged.find((c) => c.verdict === 'contradicts' && c.overlap >= OVERLAP_MIN);
  const { verdict, why } = against ?? judged[0] ?? { verdict: 'unrelated', why: 'nothing-said' };
  const saysMore = verdict === 'same' && compared.length > 1 && framesA.length !== framesB.length;
  return saysMore ? { verdict: 'unrelated', why: 'says-more' } : { verdict, why };
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
