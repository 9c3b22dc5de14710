import { type Alignment, align, type Pair } from './align.ts';
import { conceptOf, isClass, isStatement } from './concept.ts';
import type { Negation } from './denial.ts';
import { type Frame, type Unit, withKeptSpan } from './frame.ts';
import { PLACES } from './words.ts';

/** What rules look at: two frames, what they share and in what they differ. */
export interface Comparison extends Alignment {
  readonly a: Frame;
  readonly b: Frame;
  /** One of the two is denied. */
  readonly reversed: boolean;
  /** How much they share, in the weight of its words. */
  readonly common: number;
  /** How much of the claim that says less is shared, from 0 to 1. */
  readonly overlap: number;
  /** One denies what the other does not speak of, and so tells of fewer things. */
  readonly narrowed: boolean;
  /** They name environments or platforms, and other ones. */
  readonly otherPlaces: boolean;
}

/** What both say counts whole, also of nouns that say little by themselves. */
const worth = ({ kind, key, weight }: Unit) => (kind === 'word' && isClass(key) ? 1 : weight);

/** A negation counts where the other claim knows what is denied; else the one only says more. */
function countedNegations(own: Frame, pairs: readonly Pair[], side: 'a' | 'b'): number {
  const known = new Set(pairs.map((pair) => pair[side].key));
  const holds = ({ scope, light }: Negation) =>
    light || scope.some((key) => known.has(key) || isStatement(key));
  return own.negations.filter(holds).length;
}

/** Of a state that the other claim does not speak of, only some ends deny: what is lazy does load. */
function signs(units: readonly Unit[], other: readonly Unit[], paired: ReadonlySet<Unit>): number {
  const known = new Set(other.map(({ key }) => key));
  const counts = (unit: Unit) => paired.has(unit) || known.has(unit.key) || denies(unit);
  const denies = ({ key, verb, governor }: Unit) =>
    isStatement(key) && (verb || governor === 'object');
  return units.filter((unit) => unit.sign < 0 && unit.region !== 'denied' && counts(unit)).length;
}

/** `above x is refused` says that x is the most: a bound that is denied is the other one. */
function parity(frame: Frame, other: Frame, negations: number, paired: ReadonlySet<Unit>): number {
  const count = negations + signs(frame.units, other.units, paired);
  const bounded = frame.marks.has('@above') || frame.marks.has('@below');
  return bounded && count % 2 === 1 ? 0 : count % 2;
}

const KINDS_OF_PLACE = Object.entries(PLACES).map(
  ([kind, words]) => [kind, new Set(words.split(' ').map((word) => conceptOf(word).key))] as const,
);

/** True where both name places of one kind, and none of them is the same. */
function nameOtherPlaces(a: Frame, b: Frame): boolean {
  // A platform can also be what is told of a thing: `runs on Linux`.
  const keysIn = ({ units }: Frame, places: ReadonlySet<string>, of: string) =>
    units
      .filter(({ kind, key }) => kind === 'word' && places.has(key))
      .filter(({ region }) => of === 'environment' || region !== 'predicate')
      .map(({ key }) => key);
  return KINDS_OF_PLACE.some(([kind, places]) => {
    const [own, other] = [keysIn(a, places, kind), keysIn(b, places, kind)];
    return own.length > 0 && other.length > 0 && !own.some((place) => other.includes(place));
  });
}

/** A frame that tells how long a thing stays until it is deleted, beside one that tells how long it is kept. */
function besideKept(frame: Frame, other: Frame): Frame {
  const keeps = other.units.some(({ key, sign }) => key === 'keep' && sign > 0);
  return keeps ? { ...frame, units: withKeptSpan(frame.units) } : frame;
}

/** Lays two frames beside each other. */
export function compareFrames(one: Frame, other: Frame): Comparison {
  const [a, b] = [besideKept(one, other), besideKept(other, one)];
  const alignment = align(a, b);
  const known = [...alignment.shared, ...alignment.different.filter(({ how }) => how === 'pole')];
  const negations = [countedNegations(a, known, 'a'), countedNegations(b, known, 'b')] as const;
  const paired = new Set(known.flatMap((pair) => [pair.a, pair.b]));
  const shared = known.map((pair) => Math.min(worth(pair.a), worth(pair.b)));
  const common = shared.reduce((sum, weight) => sum + weight, 0);
  const saidBy = ({ units }: Frame, side: 'a' | 'b') => {
    const found = new Set(known.map((pair) => pair[side]));
    const said = units.filter(({ region }) => region !== 'denied');
    return said.reduce((sum, unit) => sum + (found.has(unit) ? worth(unit) : unit.weight), 0);
  };
  const least = Math.min(saidBy(a, 'a'), saidBy(b, 'b'));
  return {
    ...alignment,
    a,
    b,
    reversed: parity(a, b, negations[0], paired) !== parity(b, a, negations[1], paired),
    common,
    overlap: least === 0 ? 0 : common / least,
    narrowed: negations[0] < a.negations.length || negations[1] < b.negations.length,
    otherPlaces: nameOtherPlaces(a, b),
  };
}
