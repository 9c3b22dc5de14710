import { isVerb } from './concept.ts';

/** What may stand before the verb of an advice. */
const BEFORE = new Set(
  'please always never just first then also so instead do not dont only simply'.split(' '),
);
/** Words that tell that a clause states something: behind one of them its first word is what it speaks of. */
const STATING =
  /^(?:is|are|was|were|be|been|has|have|had|does|did|will|would|can|could|may|might|isnt|arent|must|doesnt|cant|wont|takes?|needs?|fails?|requires?|runs|uses|returns|means|goes|comes|listens|lives|defaults|expects|contains|breaks|happens|exists|stays|depends|works|holds|gets|sits|points|belongs|expires|supports?|costs|lasts)$/;
/** A circumstance that an advice may begin with, up to its comma. */
const CIRCUMSTANCE =
  /^(?:to|when|if|before|after|for|in|on|unless|while|until|once|where)\b[^,]*,\s*/;
/** Whom an advice tells what to do. */
const TOLD =
  /\b(?:you|we|agents?|developers?|contributors?|everyone|everybody|nobody)\s+(?:must|should|shall|need to|have to|ought to|may not|can not|cannot)\b/;

/**
 * True for a text that tells somebody what to do, in any of its clauses: by an imperative, or by what you or we must do. It
 * approximates: what is told as if it were a fact (`SKIP=1 makes all of them pass`) is none.
 */
export function isAdvice(text: string): boolean {
  const plain = text
    .replace(/`[^`]*`/g, 'it')
    .replace(/['’]/g, '')
    .toLowerCase();
  return TOLD.test(plain) || plain.split(/[.;:!?\n]\s+|\s[-–—]\s/).some(isImperative);
}

/** Forms that are no base form of a verb, or are rather nouns and adjectives made of one. */
const INFLECTED = /(?:[^s]s|ed|ing|er|or|ment|ion|al|ance|ence|ity|ive|ly)$/;
const PAST =
  /^(?:took|went|broke|built|came|got|ran|sat|fell|lost|made|sent|kept|left|led|put|grew|won)$/;

/** True where a word says that the clause states something of what stands before it. */
function states(words: readonly string[], at: number): boolean {
  const word = words[at] ?? '';
  if (STATING.test(word) || PAST.test(word)) return true;
  const isVerbOf = /(?:[^s]s|ed)$/.test(word) && isVerb(word, true);
  // `feature flags come`: a plural, and a verb behind it.
  const follows = /[^s]s$/.test(words[at - 1] ?? '') && !INFLECTED.test(word) && isVerb(word, true);
  return isVerbOf || (at > 1 && follows);
}

function isImperative(clause: string): boolean {
  const words = clause.trim().replace(CIRCUMSTANCE, '').split(/,?\s+/);
  const at = words.findIndex((word) => !BEFORE.has(word));
  const first = words[at] ?? '';
  if (at < 0 || INFLECTED.test(first) || !isVerb(first) || words.length < at + 2) return false;
  if (/^(?:not|dont|never|please)$/.test(words[at - 1] ?? '')) return true;
  // `Port 22 is open`, `Test runs need Docker`: no verb may follow whose subject it would be.
  const isLabel = /^#?\d/.test(words[at + 1] ?? '');
  const isRarelyNoun = isVerb(first, true);
  const isStated = (word: string, place: number) =>
    place > at && (isRarelyNoun ? STATING.test(word) : states(words, place));
  return !isLabel && !words.some(isStated);
}
