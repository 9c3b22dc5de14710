import { inOneSlot, type Pair } from './align.ts';
import type { Comparison } from './compare.ts';
import { conceptOf, isStatement } from './concept.ts';
import type { Frame, Unit } from './frame.ts';

const isHeavy = ({ weight }: Unit) => weight > 0.5;
const inRegion = (region: Unit['region']) => (unit: Unit) => unit.region === region;
const isCount = ({ kind, label }: Unit) => kind === 'number' && !label;
/** `public buckets`, `private buckets`: the ends of a quality tell two subjects apart. */
const isTold = ({ a, b, how }: Pair & { readonly how: string }) =>
  how === 'pole' &&
  (a.region === 'subject' || b.region === 'subject') &&
  a.modifier &&
  b.modifier &&
  a.head === b.head;
const isAbout = ({ a, b }: Pair) =>
  a.region === 'subject' && b.region === 'subject' && !(isCount(a) && isCount(b));
const rest = (units: readonly Unit[], region: Unit['region']) =>
  units.filter(isHeavy).filter(inRegion(region));
export const rests = (c: Comparison) => [...c.restA, ...c.restB].filter(isHeavy);

/** Differences that turn no statement round: all but poles, which the reversal counts. */
export const differing = (c: Comparison) => c.different.filter(({ how }) => how !== 'pole');
export const both = (c: Comparison, mark: string) => c.a.marks.has(mark) && c.b.marks.has(mark);
export const some = (c: Comparison, mark: string) => c.a.marks.has(mark) || c.b.marks.has(mark);
export const one = (c: Comparison, mark: string) => c.a.marks.has(mark) !== c.b.marks.has(mark);
export const restsOnBothSides = (c: Comparison) => c.restA.some(isHeavy) && c.restB.some(isHeavy);

const nounsOnBothSides = (c: Comparison) =>
  [c.restA, c.restB].every((units) => units.some((unit) => isHeavy(unit) && !unit.verb));

const denied = (units: readonly Unit[]) => units.filter(inRegion('denied'));

/** What one sets aside, said by the other. */
export function deniesOther(c: Comparison): boolean {
  const says = (own: readonly Unit[], other: readonly Unit[]) =>
    denied(own)
      .filter((unit) => isHeavy(unit) && !isCount(unit))
      .some((unit) =>
        other.some((u) => u.region !== 'denied' && u.key === unit.key && u.sign === unit.sign),
      );
  return says(c.a.units, c.b.units) || says(c.b.units, c.a.units);
}

/** What one says is over, the other tells something of, as if it were there. */
export function tellsOfGone(c: Comparison): boolean {
  const tells = (gone: readonly Unit[], { units, negations, marks, past }: Frame) =>
    gone.length > 0 &&
    negations.length === 0 &&
    !marks.has('@formerly') &&
    !past &&
    gone.every(({ key }) => units.some((unit) => unit.key === key && unit.sign > 0));
  const both = c.a.gone.length > 0 && c.b.gone.length > 0;
  return !both && (tells(c.a.gone, c.b) || tells(c.b.gone, c.a));
}

/** All but one thing, and all but another. */
export function excludesOther(c: Comparison): boolean {
  const [a, b] = [denied(c.a.units).filter(isHeavy), denied(c.b.units).filter(isHeavy)];
  const knows = (own: readonly Unit[], other: readonly Unit[]) =>
    own.every(({ key }) => other.some((unit) => unit.key === key));
  const differs = a.length > 0 && b.length > 0 && !(knows(a, b) && knows(b, a));
  return differs && differing(c).length + rests(c).length === 0 && !c.reversed;
}

/** Beside a verb that both have, one has another. */
export const doesMore = (c: Comparison): boolean =>
  rests(c).some(({ verb }) => verb) && c.shared.some(({ a, b }) => a.verb && b.verb && isHeavy(a));

export const oneDenies = (c: Comparison) =>
  denied(c.a.units).length > 0 !== denied(c.b.units).length > 0;

/** `x is the y`: what is the y can only be one. */
function isIdentity({ a, b }: Pair): boolean {
  return a.governor !== b.governor || (a.kind === 'number' && b.kind === 'number');
}

export function otherSubject(c: Comparison): boolean {
  if (c.different.some(isTold)) return true;
  const acts = c.different.filter((pair) => pair.how === 'pole' && isAbout(pair));
  if (acts.length > 0 && differing(c).length > 0) return true;
  const pairs = differing(c).filter(isAbout);
  if (pairs.some(({ how }) => how !== 'value' && how !== 'sister')) return true;
  if (pairs.length > 0 && (differing(c).length > 1 || c.reversed || restsOnBothSides(c)))
    return true;
  if (pairs.some((pair) => pair.how === 'value' && !isIdentity(pair))) return true;
  return [c.restA, c.restB].every((units) => rest(units, 'subject').some(({ verb }) => !verb));
}

/** One holds before the moment that it names, the other after it, or now. */
function areApart(one: Frame, other: Frame): boolean {
  if (one.side === 'during' && other.side !== undefined && other.side !== 'during') return true;
  if (other.side !== 'after') return false;
  return one.side === 'before' || (one.side === undefined && one.past && other.marks.has('@now'));
}

/** Nothing but the order of two events is told otherwise. */
export const otherOrder = (c: Comparison) =>
  c.a.side !== undefined &&
  c.b.side !== undefined &&
  c.a.side !== c.b.side &&
  c.different.length + rests(c).length === 0 &&
  !c.reversed &&
  !some(c, '@now');

export function otherCircumstance(c: Comparison): boolean {
  if (c.otherPlaces) return true;
  if (areApart(c.a, c.b) || areApart(c.b, c.a)) return true;
  const differ = c.different.some(
    ({ a, b }) => a.region === 'circumstance' && b.region === 'circumstance',
  );
  return (
    differ || (rest(c.restA, 'circumstance').length > 0 && rest(c.restB, 'circumstance').length > 0)
  );
}

const FUNCTIONAL = new Set(
  'at in on to from with by as under through via subject into of cause'.split(' '),
);

/** Verbs that can be said of one thing and many others: what supports x can support y. */
const MANY = new Set(
  'have support accept need require return contain hold include offer provide list report read write log send emit expose take show print check scan collect export import handle throw render see'
    .split(' ')
    .map((verb) => conceptOf(verb).key),
);

/** True where both tell something that can be told of many things at once. */
export function isOneOfMany(c: Comparison, pairs: readonly Pair[] = differing(c)): boolean {
  const verbs = [...c.shared.flatMap(({ a, b }) => [a, b]), ...c.restA, ...c.restB].filter(
    ({ verb }) => verb,
  );
  const isMany =
    verbs.length > 0
      ? verbs.every(({ key }) => MANY.has(key))
      : both(c, '@must') || both(c, '@have');
  const isObject = ({ a, b }: Pair) =>
    a.governor === 'object' && b.governor === 'object' && a.kind !== 'number';
  return isMany && !some(c, '@only') && pairs.every(isObject);
}

/** The one thing in which two claims differ is one of which there can be only one. */
export function otherValue(c: Comparison): boolean {
  const pairs = differing(c);
  const slotOf = ({ a, b }: Pair) =>
    a.kind === 'number' || a.kind === 'version'
      ? 'number'
      : `${a.region}/${a.governor}/${b.governor}`;
  if (pairs.length === 0 || new Set(pairs.map(slotOf)).size > 1 || c.reversed) return false;
  const [restA, restB] = [c.restA.filter(isHeavy), c.restB.filter(isHeavy)];
  const counted = pairs.every(({ a }) => a.kind === 'number');
  if (nounsOnBothSides(c) && !(counted && c.overlap >= 0.5)) return false;
  const oneSlot = pairs.every(({ a, b }) => inOneSlot(a, b));
  if (restsOnBothSides(c) && !counted && (c.overlap < 0.6 || !oneSlot)) return false;
  if (isOneOfMany(c)) return false;
  const verbsLeft = [...restA, ...restB].some(({ verb }) => verb);
  return pairs.every(
    ({ a, b, how }) =>
      how !== 'slot' || (FUNCTIONAL.has(a.governor) && FUNCTIONAL.has(b.governor) && !verbsLeft),
  );
}

/** So many of them, and no more, beside all of them. */
export function isNotAll(c: Comparison): boolean {
  const counts = (part: Frame, all: Frame) =>
    part.marks.has('@part') && all.marks.has('@all') && !all.marks.has('@part');
  const left = nounsLeft(c).filter(({ kind }) => kind !== 'number');
  const others = differing(c).filter(({ a, b }) => a.kind !== 'number' && b.kind !== 'number');
  return (counts(c.a, c.b) || counts(c.b, c.a)) && left.length + others.length === 0 && !c.reversed;
}

/** What only one does, the other lets another do. */
export function lacksOnly(c: Comparison): boolean {
  const of = ({ a, b }: Comparison) => a.onlySubject !== b.onlySubject;
  const pairs = differing(c);
  const verbs = c.shared.some(({ a, b }) => a.verb && b.verb);
  const about = pairs.length === 1 && pairs.every(({ a, b }) => isAbout({ a, b }));
  const left = nounsLeft(c).filter(({ region, modifier }) => region !== 'subject' && !modifier);
  return of(c) && !c.reversed && verbs && about && left.length === 0;
}

/** One effect with two causes, of which one is said to be the only one or none. */
export function otherCause(c: Comparison): boolean {
  const causes = (frame: Comparison['a']) =>
    frame.marks.has('@cause') || frame.marks.has('@causes');
  const isCause = ({ a, b }: Pair) => a.governor === 'cause' || b.governor === 'cause';
  if (!causes(c.a) || !causes(c.b) || !differing(c).every(isCause)) return false;
  return !some(c, '@partly') && !some(c, '@may');
}

function modality({ marks }: Comparison['a']): 'must' | 'mustnot' | 'may' | undefined {
  if (marks.has('@mustnot')) return 'mustnot';
  if (marks.has('@may')) return 'may';
  return marks.has('@must') ? 'must' : undefined;
}

/** Of some things, or of what may be, two statements can hold. */
export function isPartial(c: Comparison): boolean {
  const isCounted = ({ a }: Pair) => a.kind === 'number';
  const compatible = differing(c).some((pair) => !isCounted(pair)) && !c.reversed;
  if (both(c, '@may') && !some(c, '@only') && compatible) return true;
  return both(c, '@partly') || (both(c, '@some') && (compatible || c.reversed));
}

/** What was formerly so, said of now. */
export const wasFormerly = (c: Comparison) =>
  one(c, '@formerly') &&
  ![c.a, c.b].some(({ marks }) => marks.has('@formerly') && marks.has('@now')) &&
  differing(c).length + nounsLeft(c).length === 0 &&
  !c.reversed;

export function otherModality(c: Comparison): boolean {
  const [x, y] = [modality(c.a), modality(c.b)];
  return x !== undefined && y !== undefined && x !== y && c.reversed && !nounsOnBothSides(c);
}

/** What is left but verbs; in which case both hold by default says nothing. */
export const nounsLeft = (c: Comparison) =>
  rests(c).filter(
    ({ verb, region }) => !verb && !(region === 'circumstance' && both(c, '@default')),
  );

/** One does away with what the other does something with: `drops x`, `delivers x`. */
function isUndone(c: Comparison): boolean {
  const left = rests(c).filter(({ text, kind }) => kind !== 'word' || !/ly$/.test(text));
  const ends = ({ key, sign }: Unit) => sign < 0 && isStatement(key);
  return left.every(({ verb }) => verb) && left.some(ends);
}

/** The same is affirmed and denied: what else one of them says makes no other thing of it. */
export function isReversed(c: Comparison): boolean {
  if (!c.reversed || c.overlap < 0.5) return false;
  const poles = c.different.filter(({ how }) => how === 'pole');
  const counted = differing(c).every(({ a }) => a.kind === 'number' && a.region !== 'circumstance');
  if (differing(c).length > 0) return counted && poles.length > 0;
  if (!restsOnBothSides(c)) return true;
  // A state that the other does not speak of denies nothing that it says.
  const negated = ['@not', '@no', '@without', '@mustnot'].some((mark) => some(c, mark));
  const stated = [c.restA, c.restB].every((units) => units.some(({ key }) => isStatement(key)));
  const known = c.shared.filter(({ a }) => isHeavy(a) && !a.verb);
  if (!negated && poles.length === 0 && !stated) return isUndone(c) && known.length >= 2;
  if (c.narrowed) return false;
  return !nounsOnBothSides(c) && known.length >= 2 && c.overlap >= 0.65;
}

/** `not without x` is `only with x`. */
const isDoubled = ({ marks }: Comparison['a']) =>
  (marks.has('@no') || marks.has('@not')) && (marks.has('@without') || marks.has('@except'));
export const oneOnly = (c: Comparison) =>
  one(c, '@only') && !some(c, '@all') && !isDoubled(c.a) && !isDoubled(c.b);
const isValue = ({ kind, named }: Unit) => kind !== 'word' || named;

/** One says by a verb what the other says by a noun: `x is pulled from y`, `the registry of x is y`. */
function isNominal(c: Comparison): boolean {
  const [a, b] = [c.restA.filter(isHeavy), c.restB.filter(isHeavy)];
  const [verbs, nouns] = a.every(({ verb }) => verb) ? [a, b] : [b, a];
  const isOne = verbs.length === 1 && verbs[0]?.verb === true && nouns.length <= 2;
  return (
    isOne &&
    nouns.length > 0 &&
    nouns.every(({ modifier, kind }) => !modifier && kind === 'word') &&
    c.overlap >= 0.85
  );
}

/** Only verbs are left, and what stands beside them is the same. */
export function isParaphrase(c: Comparison): boolean {
  const known = c.shared.filter(({ a }) => isHeavy(a));
  if (isNominal(c)) return known.length >= 2 && known.some(({ a }) => isValue(a));
  return (
    nounsLeft(c).length === 0 &&
    known.length >= 2 &&
    known.some(({ a }) => isValue(a)) &&
    c.overlap >= 0.65
  );
}
