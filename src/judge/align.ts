import { areAspects, areKin, areOpposites, areSisters, areSynonyms } from './concept.ts';
import type { Frame, Unit } from './frame.ts';
import { areEqual } from './quantity.ts';

/** How two units that stand for each other differ. */
export type Difference = 'value' | 'pole' | 'aspect' | 'opposite' | 'sister' | 'slot';

export interface Pair {
  readonly a: Unit;
  readonly b: Unit;
}

export interface Alignment {
  /** Units that say the same. */
  readonly shared: readonly Pair[];
  readonly different: ReadonlyArray<Pair & { readonly how: Difference }>;
  /** What one of the two says and the other has nothing for. */
  readonly restA: readonly Unit[];
  readonly restB: readonly Unit[];
}

const NUMERIC = new Set(['number', 'version', 'date']);
const PREFIX_MIN = 5;

/** `configur` and `config`, `rotat` and `rotation`. */
function shareStem(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length >= 4 && long.startsWith(short) && long.length - short.length <= 3) return true;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same++;
  return same >= PREFIX_MIN && same >= long.length - 3 && same >= short.length - 2;
}

function sameWord(a: Unit, b: Unit): boolean {
  if (NUMERIC.has(a.kind) || NUMERIC.has(b.kind)) return false;
  if (a.key === b.key) return true;
  return a.kind === 'word' && b.kind === 'word' && shareStem(a.key, b.key);
}

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//;

/** One address may be written without its scheme. */
const areOneAddress = (a: string, b: string) =>
  SCHEME.test(a) !== SCHEME.test(b) && a.replace(SCHEME, '') === b.replace(SCHEME, '');

function sameValue(a: Unit, b: Unit): boolean {
  if (NUMERIC.has(a.kind) && NUMERIC.has(b.kind)) return areEqual(a.token, b.token);
  if (a.kind === 'word' || b.kind === 'word') {
    return a.kind !== b.kind && a.text.toLowerCase() === b.text.toLowerCase();
  }
  if (a.text === b.text) return true;
  if (a.kind === 'url' && b.kind === 'url') return areOneAddress(a.text, b.text);
  // Headers of HTTP are the same in any case.
  return /^\w+(?:-\w+)+$/.test(a.text) && a.text.toLowerCase() === b.text.toLowerCase();
}

const isSame = (a: Unit, b: Unit) => a.sign === b.sign && (sameValue(a, b) || sameWord(a, b));
const isSynonym = (a: Unit, b: Unit) =>
  a.sign === b.sign && a.kind === 'word' && b.kind === 'word' && areSynonyms(a.key, b.key);
const isPole = (a: Unit, b: Unit) => a.sign !== b.sign && sameWord(a, b);

/** Prepositions that can put a thing into one place of a statement; some can stand in several. */
const SLOTS = [
  'subject by with through via using',
  'by with through via using in over',
  'in on at as inside within under below into onto to',
  'from cause out',
].map((words) => new Set(words.split(' ')));

/** True for two places that one thing can take: an agent is the subject, or stands behind `by`. */
export function inOneSlot(a: Unit, b: Unit): boolean {
  if (a.governor === b.governor) return true;
  return SLOTS.some((slot) => slot.has(a.governor) && slot.has(b.governor));
}

const STRICT = new Set(['path', 'url', 'flag', 'commit', 'date']);
const CODE = new Set(['path', 'url', 'flag', 'name', 'commit']);

function isOtherValue(a: Unit, b: Unit): boolean {
  if (NUMERIC.has(a.kind) && NUMERIC.has(b.kind)) {
    if (a.kind === 'date' || b.kind === 'date') return a.kind === b.kind;
    return a.token.dimension === b.token.dimension;
  }
  if (a.kind === b.kind && CODE.has(a.kind)) return true;
  const places = (kind: string) => kind === 'path' || kind === 'url';
  if (places(a.kind) && places(b.kind)) return true;
  if (STRICT.has(a.kind) || STRICT.has(b.kind)) return false;
  return a.named && b.named && !NUMERIC.has(a.kind) && !NUMERIC.has(b.kind) && inOneSlot(a, b);
}

const isAspect = (a: Unit, b: Unit) =>
  a.modifier && b.modifier && (areAspects(a.key, b.key) || areAspects(a.text, b.text));
const isOpposite = (a: Unit, b: Unit) =>
  a.weight > 0.5 && b.weight > 0.5 && areOpposites(a.key, b.key);
const isSister = (a: Unit, b: Unit) =>
  areSisters(a.key, b.key) ||
  areSisters(a.text, b.text) ||
  (inOneSlot(a, b) && areKin(a.key, b.key));
const isSlot = (a: Unit, b: Unit) =>
  !a.verb &&
  !b.verb &&
  a.weight > 0.5 &&
  b.weight > 0.5 &&
  (a.region === b.region || isAgent(a, b) || isAgent(b, a)) &&
  (inOneSlot(a, b) || areOfOneHead(a, b));
const areOfOneHead = (a: Unit, b: Unit) =>
  a.modifier && b.modifier && a.head !== '' && a.head === b.head;
const isAgent = (a: Unit, b: Unit) =>
  a.region === 'subject' && (b.governor === 'by' || b.governor === 'with');

/** Takes out of two lists the pairs of which a test holds; of several, those in the same place first. */
function take(as: Unit[], bs: Unit[], test: (a: Unit, b: Unit) => boolean): Pair[] {
  const pairs: Pair[] = [];
  const near = (a: Unit, b: Unit) => a.region === b.region && inOneSlot(a, b);
  for (const place of [near, () => true]) {
    for (let i = 0; i < as.length; ) {
      const a = as[i];
      const j = a === undefined ? -1 : bs.findIndex((b) => place(a, b) && test(a, b));
      const b = bs[j];
      if (a === undefined || b === undefined) {
        i++;
        continue;
      }
      pairs.push({ a, b });
      as.splice(i, 1);
      bs.splice(j, 1);
    }
  }
  return pairs;
}

/** Finds for each unit of a claim what stands for it in the other. */
export function align(one: Frame, other: Frame): Alignment {
  const said = ({ units }: Frame) => units.filter(({ region }) => region !== 'denied');
  const as = said(one);
  const bs = said(other);
  const shared = [...take(as, bs, isSame)];
  const poles = take(as, bs, isPole);
  shared.push(...take(as, bs, isSynonym));
  const of = (how: Difference, pairs: readonly Pair[]) => pairs.map((pair) => ({ ...pair, how }));
  const different = [
    ...of('pole', poles),
    ...of('aspect', take(as, bs, isAspect)),
    ...of('value', take(as, bs, isOtherValue)),
    ...of('opposite', take(as, bs, isOpposite)),
    ...of('sister', take(as, bs, isSister)),
    ...of('slot', take(as, bs, isSlot)),
  ];
  // `20 December to 27 December` says the month twice.
  const again = (side: 'a' | 'b') => (unit: Unit) =>
    unit.kind !== 'date' || !shared.some((pair) => pair[side].key === unit.key);
  return { shared, different, restA: as.filter(again('a')), restB: bs.filter(again('b')) };
}
