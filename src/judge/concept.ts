import { stemOf } from '../base/stemmer.ts';
import {
  ANTONYMS,
  DERIVED,
  SISTERS as NOUN_SISTERS,
  SYNONYMS as SYNSETS,
  VERBS,
} from './lexicon.ts';
import { SISTERS as FIELD_SISTERS } from './sisters.ts';
import * as field from './words.ts';

/** What a word stands for: words with one key mean the same, or with another sign the opposite. */
export interface Concept {
  readonly key: string;
  readonly sign: 1 | -1;
}

const IRREGULAR =
  'ran=run began=begin begun=begin wrote=write written=write built=build kept=keep held=hold sent=send took=take taken=take made=make ' +
  'went=go goes=go going=go validate=check validates=check validated=check validating=check validation=check left=leave came=come got=get lost=lose found=find brought=bring drawn=draw drew=draw thrown=throw threw=throw gave=give given=give ' +
  'hidden=hide hid=hide led=lead met=meet paid=pay said=say sold=sell spent=spend stood=stand broke=break broken=break chose=choose chosen=choose ' +
  'fell=fall fallen=fall froze=freeze frozen=freeze grew=grow grown=grow knew=know known=know rose=rise risen=rise shown=show saw=see seen=see ' +
  'spoke=speak spoken=speak stole=steal stuck=stick swept=sweep taught=teach thought=think woke=wake wore=wear worn=wear lay=lie lain=lie sat=sit ' +
  'fed=feed caught=catch bought=buy bound=bind fought=fight hung=hang meant=mean sped=speed sprang=spring stopped=stop children=child people=person ' +
  'indices=index indexes=index vertices=vertex matrices=matrix data=data replicas=replica media=media criteria=criterion better=good best=good worse=bad ' +
  'does=do did=do done=do has=have had=have is=be are=be was=be were=be been=be being=be rewritten=write rewrote=write retention=retain deletion=delete removal=remove usage=use startup=start shutdown=stop choice=choose closure=close told=tell rejection=reject acceptance=accept added=add adding=add dying=die lies=lie lying=lie dies=die setting=configuration settings=configuration identity=persona axes=axis analyses=analysis bases=basis crises=crisis';

const irregular = new Map(
  IRREGULAR.split(' ').map((entry) => entry.split('=') as [string, string]),
);

/** The stem of a word in any form. */
export function stem(word: string): string {
  const found = stems.get(word);
  if (found !== undefined) return found;
  const made = stemOf(irregular.get(word) ?? word);
  if (stems.size >= STEMS_MAX) stems.clear();
  stems.set(word, made);
  return made;
}

/** Stems that were made before; to make one takes longer than all else that is done to a word. */
const stems = new Map<string, string>();
const STEMS_MAX = 50_000;

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter((line) => line !== '');
const stemsIn = (text: string) => text.trim().split(/[ ,]+/).map(stem);

function conceptTable(): Map<string, Concept> {
  const table = new Map<string, Concept>();
  for (const line of lines(field.SYNONYMS)) {
    const [first = '', ...rest] = stemsIn(line);
    for (const one of rest) if (!table.has(one)) table.set(one, { key: first, sign: 1 });
  }
  for (const line of lines(`${field.POLES}\n${field.QUALITIES}`.replaceAll('\n\n', '\n'))) {
    const [good = '', bad = ''] = line.split('|');
    const key = stemsIn(good)[0] ?? '';
    // A word that has a place keeps it: the sets stand in the order of how sure they are.
    for (const one of stemsIn(good)) if (!poles.has(one)) poles.set(one, { key, sign: 1 });
    for (const one of stemsIn(bad)) if (!poles.has(one)) poles.set(one, { key, sign: -1 });
  }
  for (const [one, concept] of poles) table.set(one, concept);
  return table;
}

const poles = new Map<string, Concept>();

/** Stem → the stems that stand in one set with it. */
function relation(sets: Iterable<readonly string[]>): Map<string, Set<string>> {
  const table = new Map<string, Set<string>>();
  for (const set of sets) {
    for (const one of set) {
      const known = table.get(one) ?? new Set<string>();
      for (const other of set) if (other !== one) known.add(other);
      table.set(one, known);
    }
  }
  return table;
}

function oppositeTable(): Map<string, Set<string>> {
  const pairs = `${ANTONYMS} ${field.OPPOSITES}`
    .trim()
    .split(/\s+/)
    .flatMap((entry) => {
      const [word = '', others = ''] = entry.split(':');
      return others.split(',').map((other) => [stem(word), stem(other)] as const);
    });
  return relation(pairs);
}

const words = (text: string) => new Set(text.split(' '));

interface Lexicon {
  readonly concepts: ReadonlyMap<string, Concept>;
  readonly opposites: ReadonlyMap<string, ReadonlySet<string>>;
  readonly synonyms: ReadonlyMap<string, ReadonlySet<string>>;
  readonly sisters: ReadonlyMap<string, ReadonlySet<string>>;
  readonly aspects: ReadonlyMap<string, ReadonlySet<string>>;
  readonly nouns: ReadonlyMap<string, ReadonlySet<string>>;
  readonly verbs: ReadonlyMap<string, boolean>;
  readonly infinitives: ReadonlySet<string>;
  readonly negated: ReadonlyMap<string, string>;
}

let lexicon: Lexicon | undefined;

/** The tables are read once, when first needed: that takes some hundredths of a second. */
function known(): Lexicon {
  lexicon ??= {
    concepts: conceptTable(),
    opposites: oppositeTable(),
    synonyms: relation(
      `${SYNSETS} ${DERIVED}`.split(/\s+/).map((set) => set.split(/[,:]/).map(stem)),
    ),
    sisters: relation(lines(FIELD_SISTERS).map((line) => stemsIn(line))),
    aspects: relation(lines(field.ASPECTS).map((line) => stemsIn(line))),
    nouns: relation(NOUN_SISTERS.split(/\s+/).map((set) => set.split(',').map(stem))),
    verbs: new Map(
      VERBS.split(/\s+/).map((verb) => [stem(verb.replace('+', '')), verb.endsWith('+')] as const),
    ),
    infinitives: new Set(VERBS.replaceAll('+', '').split(/\s+/)),
    negated: negatedWords(),
  };
  return lexicon;
}

/** Words whose opposite is what is left of them without their first letters: `irreversible`, `inactive`. */
function negatedWords(): Map<string, string> {
  const table = new Map<string, string>();
  for (const entry of ANTONYMS.split(/\s+/)) {
    const [word = '', others = ''] = entry.split(':');
    const base = others
      .split(',')
      .find((other) => word.endsWith(other) && word.length - other.length <= 3);
    if (base !== undefined) table.set(word, base);
  }
  return table;
}

/** What a word in lower case stands for. */
export function conceptOf(word: string): Concept {
  const { concepts, negated, verbs } = known();
  const own = concepts.get(stem(word));
  if (own) return own;
  const base = negated.get(word) ?? withoutPrefix(word, verbs);
  if (base === undefined) return { key: stem(word), sign: 1 };
  const { key, sign } = concepts.get(stem(base)) ?? { key: stem(base), sign: 1 };
  return { key, sign: sign === 1 ? -1 : 1 };
}

function withoutPrefix(word: string, verbs: ReadonlyMap<string, boolean>): string | undefined {
  const [, prefix, rest] = /^(un|non|dis|i[rmln])([a-z]{4,})$/.exec(word) ?? [];
  if (rest === undefined || prefix === 'non') return rest;
  if (prefix?.startsWith('i')) return /(?:able|ible)$/.test(rest) ? rest : undefined;
  return /(?:ed|able|ible)$/.test(rest) || verbs.has(stem(rest)) ? rest : undefined;
}

/** Endings that make a noun of a verb: the reader does not read, nor do readings. */
const NOUN_OF_VERB = /(?:ers?|ors?|ings|[ts]ions?|ments?|als?|ances?|ences?|ness)$/;

/** True where a word is a form of a verb; `surely` where it is no noun more often. */
export function isVerb(word: string, surely = false): boolean {
  const { verbs, infinitives } = known();
  if (NOUN_OF_VERB.test(word) && !infinitives.has(word.replace(/(?<!s)s$/, ''))) return false;
  const noun = verbs.get(stem(word));
  return noun !== undefined && !(surely && noun);
}

/** True for two keys of which WordNet or this field says that they are one thing. */
export function areSynonyms(a: string, b: string): boolean {
  return known().synonyms.get(a)?.has(b) ?? false;
}

/** True for two keys that are opposites in some sense. */
export function areOpposites(a: string, b: string): boolean {
  return known().opposites.get(a)?.has(b) ?? false;
}

/** True for two keys that name different things of one kind, so that what is the one is not the other. */
export function areSisters(a: string, b: string): boolean {
  return known().sisters.get(a)?.has(b) ?? false;
}

/** True for two keys that tell things apart, and exclude nothing. */
export function areAspects(a: string, b: string): boolean {
  return known().aspects.get(a)?.has(b) ?? false;
}

/** True for two nouns that WordNet puts under one. */
export function areKin(a: string, b: string): boolean {
  return known().nouns.get(a)?.has(b) ?? false;
}

const statements = new Set(lines(field.POLES).map((line) => stem(line.split(' ')[0] ?? '')));

/** True for the key of a state whose second end denies by itself: what fails does not pass. */
export const isStatement = (key: string): boolean => statements.has(key);

const light = new Set(field.LIGHT.split(' ').map(stem));
const stops = words(field.STOPS);
const prepositions = words(field.PREPOSITIONS);

const classes = new Set(field.CLASSES.split(' ').map((word) => conceptOf(word).key));
/** True for a noun that says little beside the name of what it is. */
export const isClass = (key: string): boolean => classes.has(key);
/** True for a word that says little by itself. */
export const isLight = (key: string): boolean => light.has(key);
/** True for a word of grammar that governs nothing. */
export const isStop = (word: string): boolean => stops.has(word);
/** True for a word that says how what follows it belongs to what stands before. */
export const isPreposition = (word: string): boolean => prepositions.has(word);
