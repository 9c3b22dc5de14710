import { type Alignment, align, type Pair } from './align.ts';
import { conceptOf, isStatement } from './concept.ts';
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
  /** The words for places in which only one, or another of the two, holds. */
  readonly places: 'same' | 'other' | 'one';
}

const weigh = (units: readonly Unit[]) => units.reduce((sum, { weight }) => sum + weight, 0);

/** A negation counts where the other claim knows what is denied; else the one only says more. */
function countedNegations(own: Frame, pairs: readonly Pair[], side: 'a' | 'b'): number {
  const known = new Set(pairs.map((pair) => pair[side].key));
  const holds = ({ scope, light }: Negation) =>
    light || scope.some((key) => known.has(key) || isStatement(key));
  return own.negations.filter(holds).length;
}

/** Of a state that the other claim does not speak of, only some ends deny: what is lazy does load. */
function signs(units: readonly Unit[], other: readonly Unit[]): number {
  const known = new Set(other.map(({ key }) => key));
  const counts = ({ key, verb, governor }: Unit) =>
    known.has(key) || (isStatement(key) && (verb || governor === 'object'));
  return units.filter((unit) => unit.sign < 0 && unit.region !== 'denied' && counts(unit)).length;
}

/** `above x is refused` says that x is the most: a bound that is denied is the other one. */
function parity(frame: Frame, other: Frame, negations: number): number {
  const count = negations + signs(frame.units, other.units);
  const bounded = frame.marks.has('@above') || frame.marks.has('@below');
  return bounded && count % 2 === 1 ? 0 : count % 2;
}

const KINDS_OF_PLACE = Object.values(PLACES).map(
  (words) => new Set(words.split(' ').map((word) => conceptOf(word).key)),
);

/** Whether two claims name the same places, only one of them any, or other ones. */
function comparePlaces(a: Frame, b: Frame): Comparison['places'] {
  let result: Comparison['places'] = 'same';
  const keysIn = ({ units }: Frame, places: ReadonlySet<string>) =>
    units.filter(({ kind, key }) => kind === 'word' && places.has(key)).map(({ key }) => key);
  for (const places of KINDS_OF_PLACE) {
    const [own, other] = [keysIn(a, places), keysIn(b, places)];
    if (own.length === 0 && other.length === 0) continue;
    if (own.length === 0 || other.length === 0) result = 'one';
    else if (!own.some((place) => other.includes(place))) return 'other';
  }
  return result;
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
  const least = Math.min(
    ...[a, b].map(({ units }) => weigh(units.filter(({ region }) => region !== 'denied'))),
  );
  const shared = weigh(known.map((pair) => (pair.a.weight < pair.b.weight ? pair.a : pair.b)));
  return {
    ...alignment,
    a,
    b,
    reversed: parity(a, b, negations[0]) !== parity(b, a, negations[1]),
    common: shared,
    overlap: least === 0 ? 0 : shared / least,
    places: comparePlaces(a, b),
  };
}
