import { inOneSlot, type Pair } from './align.ts';
import type { Comparison } from './compare.ts';
import { areKin, areSisters } from './concept.ts';
import { isOneOfMany } from './contrast.ts';
import type { Frame, Unit } from './frame.ts';

/*
 * Claims that agree in all they name but for one thing: `the team writes its tests with x`, `the tests of the team are all
 * y`. However the rest is put, they give one question two answers.
 */

/** Words that stand together for one thing: `PHP Code Sniffer`, `provisioned capacity`. */
type Phrase = readonly Unit[];

const isHeavy = ({ weight }: Unit) => weight > 0.5;

/** What only one of two claims names, phrase by phrase, without its verbs and adverbs. */
function phrasesLeft({ units }: Frame, left: ReadonlySet<Unit>): Phrase[] {
  const phrases: Unit[][] = [];
  let before: Unit | undefined;
  for (const unit of units) {
    const isLeft =
      left.has(unit) &&
      isHeavy(unit) &&
      !unit.verb &&
      !(unit.kind === 'word' && !unit.named && /ly$/.test(unit.text));
    const last = phrases.at(-1);
    const joins = before !== undefined && last?.at(-1) === before && before.modifier;
    if (isLeft && joins) last?.push(unit);
    else if (isLeft) phrases.push([unit]);
    before = unit;
  }
  return phrases;
}

const isValue = ({ named, kind }: Unit) => named || kind === 'number' || kind === 'version';

/** Two phrases that can answer one question: names, amounts of one dimension, or things of one kind. */
function areAnswers(one: Phrase, other: Phrase, c: Comparison): boolean {
  const opposed = c.different.some(
    ({ a, b, how }) =>
      (how === 'opposite' || how === 'sister') && one.includes(a) && other.includes(b),
  );
  if (opposed) return true;
  const [a, b] = [one.find(isValue), other.find(isValue)];
  if (a === undefined || b === undefined) {
    const [x, y] = [one.at(-1), other.at(-1)];
    return x !== undefined && y !== undefined && (areSisters(x.key, y.key) || areKin(x.key, y.key));
  }
  const numbers = [a, b].filter(({ kind }) => kind === 'number' || kind === 'version');
  if (numbers.length === 0) return true;
  // `20 jobs` and `4 threads` count two things.
  const counted = [one, other].some((phrase) => phrase.some(({ kind }) => kind === 'word'));
  return numbers.length === 2 && !counted && a.token.dimension === b.token.dimension;
}

const STRICT = new Set(['path', 'url', 'number', 'version']);

/** How many things both name, not counting what describes them. */
const namedByBoth = ({ shared }: Comparison) =>
  shared.filter(({ a, b }) => isHeavy(a) && !a.verb && !b.verb && !(a.modifier && b.modifier))
    .length;

function inPlace({ a, b }: Pair): boolean {
  if (a.region === 'circumstance' && b.region === 'circumstance') return false;
  // Two subjects of one predicate are two things, and so are two that a word before them tells apart.
  const about = a.region === 'subject' && b.region === 'subject';
  return !about && !(a.modifier && b.modifier && a.kind === 'word');
}

const leavesVerb = (rest: readonly Unit[]) => rest.some((unit) => unit.verb && isHeavy(unit));

/** The phrase that answers: the only one, or the value of two where the other claim has a verb for the rest. */
function answerAmong(phrases: readonly Phrase[], otherHasVerb: boolean): Phrase | undefined {
  if (phrases.length === 1) return phrases[0];
  const values = phrases.filter((phrase) => phrase.some(isValue));
  return phrases.length === 2 && values.length === 1 && otherHasVerb ? values[0] : undefined;
}

/** What each answers to the one question that they answer otherwise. */
function answersOf(c: Comparison): Pair | undefined {
  const different = c.different.filter(({ how }) => how !== 'pole');
  const [leftA, leftB] = [
    new Set([...c.restA, ...different.map(({ a }) => a)]),
    new Set([...c.restB, ...different.map(({ b }) => b)]),
  ];
  const one = answerAmong(phrasesLeft(c.a, leftA), leavesVerb(c.restB));
  const other = answerAmong(phrasesLeft(c.b, leftB), leavesVerb(c.restA));
  if (one === undefined || other === undefined || !areAnswers(one, other, c)) return undefined;
  const [a, b] = [one.find(isValue) ?? one.at(-1), other.find(isValue) ?? other.at(-1)];
  return a && b && { a, b };
}

/** True where two claims name the same things but for one, which is another. */
export function namesOther(c: Comparison): boolean {
  if (c.reversed || c.otherPlaces) return false;
  const answers = answersOf(c);
  if (answers === undefined || !inPlace(answers) || isOneOfMany(c, [answers])) return false;
  const { a, b } = answers;
  const only = ['@only', '@now'].some((mark) => c.a.marks.has(mark) || c.b.marks.has(mark));
  const named = namedByBoth(c);
  if (areSisters(a.key, b.key) && named >= 1) return true;
  const verbs = leavesVerb(c.restA) && leavesVerb(c.restB);
  const strict = STRICT.has(a.kind) && STRICT.has(b.kind);
  if (verbs && !strict && !only) return false;
  return named >= 2 || (named >= 1 && (inOneSlot(a, b) || only));
}
