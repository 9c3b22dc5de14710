import { isPreposition, isStop, isVerb, stem } from './concept.ts';
import type { Token } from './token.ts';

const OPENERS = new Set(
  'at in on with before after since until till through from during under for by within as out'.split(
    ' ',
  ),
);
const AUXILIARIES = new Set(
  'is are was were be has have had does do did will would cannot'.split(' '),
);
const DETERMINERS = new Set('the a an its our their this that these those his my your'.split(' '));
const SCOPES = /^@(?:all|no|some|only)$/;
const VERB_MARKS = /^@(?:must|may|mustnot|causes?|not|replace|max|min|default|override)$/;

/** True for a token that says something by itself. */
export function isContent(token: Token | undefined): token is Token {
  if (token === undefined || token.kind === 'stop' || token.kind === 'mark') return false;
  return token.kind !== 'word' || !(isStop(token.text) || isPreposition(token.text));
}

/** True for a word of that pattern, or a mark of that name. */
export function says(token: Token | undefined, pattern: RegExp): boolean {
  return (
    token !== undefined &&
    token.quoted !== true &&
    token.kind !== 'name' &&
    pattern.test(token.text)
  );
}

function opensCircumstance(first: Token | undefined): boolean {
  if (first === undefined) return false;
  if (first.kind === 'mark') return /^@(?:if|default|without)$/.test(first.text);
  return first.kind === 'word' && OPENERS.has(first.text);
}

/** Where the leading circumstance of a clause ends: at a comma, at the next determiner, at a name behind its noun. */
export function circumstanceEnd(tokens: readonly Token[]): number {
  const [first, second] = tokens;
  if (says(first, /^(?:locally|currently|now|today|last|this)$/)) {
    return says(second, /^(?:year|month|week|quarter|sprint|number)$/)
      ? 2
      : says(first, /^th|^la/)
        ? 0
        : 1;
  }
  if (!opensCircumstance(first)) return 0;
  const comma = tokens.findIndex((token) => token.kind === 'stop' && token.text === ',');
  if (comma > 0 && comma < tokens.length - 2) return comma + 1;
  if (first?.text === '@default') return 1;
  let content = 0;
  let at = DETERMINERS.has(second?.text ?? '') ? 2 : 1;
  for (; at < tokens.length; at++) {
    const token = tokens[at];
    if (!token) break;
    const starts =
      DETERMINERS.has(token.text) || (token.kind === 'mark' && SCOPES.test(token.text));
    const named = token.kind === 'name' || token.kind === 'path' || token.kind === 'url';
    if (content > 0 && (starts || named)) return at;
    if (content > 0 && isContent(token) && tokens[at - 1]?.kind === 'date') return at;
    if (isContent(token)) content++;
  }
  return Math.min(2, tokens.length);
}

const PRONOUN = /^(?:i|we|you|they|it|he|she)$/;

/** True for a word that can be the verb of a clause where it stands: behind a noun, and in a verb's form. */
function canBeVerb(tokens: readonly Token[], at: number, from: number, surely: boolean): boolean {
  const token = tokens[at];
  if (token === undefined || at < from) return false;
  if (says(tokens[at - 1], PRONOUN) && isVerb(token.text)) return true;
  if (at === from || !isContent(tokens[at - 1]) || /ing$/.test(token.text)) return false;
  const inflected = /(?:[^s]s|ed)$/.test(token.text) || stem(token.text) !== token.text;
  if (!isVerb(token.text, surely) || !(inflected || !surely)) return false;
  const next = tokens[at + 1];
  return next?.text !== 'of' && !(next !== undefined && AUXILIARIES.has(next.text));
}

/** The place of the main verb from `from` on; -1 where none is found. */
export function verbAt(tokens: readonly Token[], from: number): number {
  for (const surely of [true, false]) {
    for (let at = from; at < tokens.length; at++) {
      const token = tokens[at];
      if (!token || token.quoted) continue;
      if (token.kind === 'mark' && VERB_MARKS.test(token.text) && at > from) return at;
      if (token.kind !== 'word') continue;
      if (AUXILIARIES.has(token.text) || canBeVerb(tokens, at, from, surely)) return at;
    }
  }
  return -1;
}

/** True behind `must`, `may` and `does not`, where any word is a verb, and for a verb behind another `not`. */
function isHelped(tokens: readonly Token[], at: number): boolean {
  const text = tokens[at]?.text ?? '';
  const [helper, before] = [tokens[at - 2], tokens[at - 1]];
  if (!says(before, /^@(?:must|may|mustnot|not)$/) || text.endsWith('ly')) return false;
  return !says(before, /^@not$/) || says(helper, /^(?:do|does|did|@may)$/) || isVerb(text);
}

/** True for a participle or verb of the predicate that is no adjective before a noun. */
export function isPredicateVerb(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token?.kind !== 'word' || token.quoted) return false;
  const before = tokens[at - 1];
  if (isHelped(tokens, at)) return true;
  if (!/(?:ed|s|ing|en|t)$/.test(token.text)) return false;
  const governed =
    before?.kind === 'word' && (isPreposition(before.text) || DETERMINERS.has(before.text));
  if (
    /ed$/.test(token.text) &&
    says(before, /^(?:is|are|was|were|be|been|being|get|gets|got|@not|@all)$/)
  )
    return true;
  if (!isVerb(token.text, true) || governed) return false;
  // `the indexed column`: what stands right before a noun describes it, unless a verb comes before.
  return (
    !isContent(tokens[at + 1]) ||
    says(before, /^(?:is|are|was|were|be|been|being|has|have|@not|@must|@may|@all|@also|and)$/)
  );
}
