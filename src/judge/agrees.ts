import { framesOf } from './clauses.ts';
import { compareFrames } from './compare.ts';
import type { Statement } from './judge.ts';
import { judge } from './judge.ts';

/** How an outcome answers a hypothesis; *unrelated* leaves it open. */
export type Answer = 'correct' | 'incorrect' | 'unrelated';

/** What makes a hypothesis of a statement, in front of it and within: it is not part of what must come true. */
const HEDGE =
  /^(?:hypothesis|guess|assumption|prediction)\s*:\s*|\b(?:i|we)\s+(?:think|believe|expect|suspect|guess|assume)\s+(?:that\s+)?|\b(?:probably|presumably|likely|perhaps|maybe|possibly|apparently)\b\s*|\b(?:is|are)\s+(?:likely\s+)?(?:going\s+)?to\s+(?=\w)|\bit\s+(?:seems|looks\s+as\s+if)\s+(?:that\s+)?/gi;
const FUTURE = /\b(?:will|would|might|could|should)\s+(?:be\b)?\s*/gi;

function withoutHedges(text: string): string {
  const bare = text
    .slice(0, 2_000)
    .replace(HEDGE, '')
    .replace(FUTURE, (found) => (/be\s*$/i.test(found) ? 'is ' : ''));
  return bare.trim();
}

/**
 * Whether an outcome shows a hypothesis to be right, for Calibration. It is *correct* only if the outcome says all that the
 * hypothesis says, with the same polarity and values, and perhaps more; *incorrect* if it contradicts it; words in
 * common are no agreement. Source: design page 6, "Calibration".
 */
export function agrees(hypothesis: Statement, outcome: Statement): Answer {
  const expected = { ...hypothesis, text: withoutHedges(hypothesis.text) };
  const { verdict, why } = judge(expected, outcome);
  if (verdict === 'contradicts') return 'incorrect';
  if (verdict === 'same') return 'correct';
  // Only where the outcome says more can it still answer; of other things it says nothing.
  if (why !== 'says-more') return 'unrelated';
  const [own] = framesOf(expected.text);
  const answers = framesOf(outcome.text).some((frame) => own !== undefined && covers(frame, own));
  return answers ? 'correct' : 'unrelated';
}

type Frame = ReturnType<typeof framesOf>[number];

/** True where one frame says all that the other does, in the same circumstances. */
function covers(full: Frame, part: Frame): boolean {
  const { restB, different, reversed, shared } = compareFrames(full, part);
  const said = shared.filter(({ b }) => b.weight > 0.5);
  const scoped = ['@only', '@all', '@some', '@max', '@min'].some(
    (mark) => full.marks.has(mark) !== part.marks.has(mark),
  );
  return (
    !reversed &&
    !scoped &&
    different.length === 0 &&
    restB.every(({ weight }) => weight <= 0.5) &&
    said.some(({ b }) => b.region === 'subject') &&
    said.some(({ b }) => b.region === 'predicate')
  );
}
