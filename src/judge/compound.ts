import { framesOf } from './clauses.ts';

/** Code says nothing about clauses. */
const CODE = /`[^`]*`/g;
const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|cf|approx|resp)\./gi;
const SENTENCE_END = /[.!?](?=\s+\S)|;\s/;
const JOINED = /,?\s+(?:and|but|while|whereas)\s+/gi;
/** Verbs of which frames keep none, since they say little by themselves. */
const LIGHT_VERB =
  /^(?:is|are|was|were|has|have|had|needs?|can|cannot|must|should|will|may|does|do|isn't|aren't|don't|doesn't|can't)$/i;

/** True of words with a verb behind a subject. */
function isClause(text: string): boolean {
  const words = text.trim().split(/\s+/);
  const verbs = new Set(
    framesOf(text).flatMap(({ units }) =>
      units
        .filter(({ verb, region }) => verb && region !== 'circumstance')
        .map((unit) => unit.text),
    ),
  );
  return words.some((word, at) => {
    if (at === 0 || words[at - 1]?.toLowerCase() === 'to') return false;
    return LIGHT_VERB.test(word) || verbs.has(word.toLowerCase().replace(/[.,]$/, ''));
  });
}

/**
 * True of a text that says two things, of which one can be wrong while the other holds: two sentences, or clauses with a subject and a verb
 * each. A list of one verb's objects, a reason and a condition make no second thing. Source: the seed on the claim model.
 */
export function isCompound(text: string): boolean {
  const plain = text.trim().replace(CODE, 'code').replace(ABBREVIATION, 'for');
  if (SENTENCE_END.test(plain)) return true;
  return [...plain.matchAll(JOINED)].some(
    ({ 0: joint, index }) =>
      isClause(plain.slice(0, index)) && isClause(plain.slice(index + joint.length)),
  );
}
