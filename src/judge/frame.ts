import {
  type Concept,
  conceptOf,
  isClass,
  isLight,
  isPreposition,
  isStop,
  isVerb,
} from './concept.ts';
import { deniedPlaces, type Negation, negationsOf } from './denial.ts';
import { circumstanceEnd, isContent, isPredicateVerb, says, verbAt } from './grammar.ts';
import type { Token, TokenKind } from './token.ts';

/** Where a unit stands: what the claim is about, what it says of it, in which circumstances, or what it sets aside. */
export type Region = 'subject' | 'predicate' | 'circumstance' | 'denied';

/** A word or value that says something. */
export interface Unit {
  readonly key: string;
  readonly sign: 1 | -1;
  readonly kind: TokenKind;
  readonly region: Region;
  /** The preposition before it; `subject`, `object` or `cause` where there is none. */
  readonly governor: string;
  readonly weight: number;
  readonly verb: boolean;
  /** It stands before a noun or `of`: it says which, not what. */
  readonly modifier: boolean;
  /** What it stands before, as a key; empty where it modifies nothing. */
  readonly head: string;
  /** As it was written, in lower case unless it is code. */
  readonly text: string;
  /** A number behind a noun says which one: `sprint 41`. */
  readonly label: boolean;
  /** It is the name of something: code, or written with a capital. */
  readonly named: boolean;
  readonly token: Token;
}

export interface Frame {
  readonly units: readonly Unit[];
  readonly negations: readonly Negation[];
  /** The marks of the clause: `@all`, `@only`, `@default`. */
  readonly marks: ReadonlySet<string>;
  /** On which side of the moment that it names a claim holds. */
  readonly side: 'before' | 'during' | 'after' | undefined;
  /** What it says it says of its subject alone: `only x does y`. */
  readonly onlySubject: boolean;
  /** What it says is over, where it says nothing else: `x was retired`. */
  readonly gone: readonly Unit[];
  /** It tells what was. */
  readonly past: boolean;
}

const CLAUSE_OPENERS = /^(?:before|after|during|until|till|since|@if)$/;
interface Place {
  readonly region: Region;
  readonly governor: string;
  readonly verb: boolean;
  readonly modifier: boolean;
  readonly head: string;
  readonly label: boolean;
  /** A name or value stands near it. */
  readonly beside: boolean;
  /** In brackets: said by the way. */
  readonly aside: boolean;
}

function weightOf(token: Token, { key, sign }: Concept, place: Place): number {
  const { verb, aside, beside } = place;
  if (aside || (beside && isClass(key))) return 0.2;
  if (token.kind !== 'word') return 1;
  if (sign > 0 && !token.capital && isLight(key)) return 0.2;
  return verb || (token.capital !== true && /ly$/.test(token.text)) ? 0.7 : 1;
}

function unitOf(token: Token, place: Place): Unit {
  const isWord = token.kind === 'word' && !token.quoted;
  const { key, sign } = isWord ? conceptOf(token.text) : { key: token.text, sign: 1 as const };
  const { region, governor, verb, modifier, label } = place;
  const code = token.kind !== 'word' && token.kind !== 'number';
  return {
    key,
    sign,
    kind: token.kind,
    region,
    governor,
    verb,
    modifier,
    head: place.head,
    label,
    weight: weightOf(token, { key, sign }, place),
    text: token.text,
    named: code || token.quoted === true || token.capital === true,
    token,
  };
}

/** Walks a clause and keeps what governs the next unit. */
const BESIDE_MAX = 3;
const VALUES = new Set(['name', 'path', 'url', 'flag', 'version', 'number']);

const hasBeside = (tokens: readonly Token[], at: number) =>
  tokens
    .slice(Math.max(0, at - BESIDE_MAX), at + BESIDE_MAX + 1)
    .some(({ kind, quoted }) => quoted === true || VALUES.has(kind));

function unitsOf(tokens: readonly Token[], denied: ReadonlySet<number>): Unit[] {
  const start = circumstanceEnd(tokens);
  const verb = verbAt(tokens, start);
  const units: Unit[] = [];
  let region: Region = 'circumstance';
  let governor = 'subject';
  let aside = false;
  tokens.forEach((token, at) => {
    if (at === start) [region, governor] = ['subject', 'subject'];
    if (at === verb && region !== 'circumstance') [region, governor] = ['predicate', 'object'];
    const past = at > start && (verb < 0 || at > verb);
    const span = token.text === 'after' && tokens[at + 1]?.dimension === 'time';
    if (past && says(token, CLAUSE_OPENERS) && !span) region = 'circumstance';
    if (token.kind === 'stop') {
      if (token.text === '(' || token.text === ')') aside = token.text === '(';
      return;
    }
    if (token.kind === 'mark') {
      if (/^@causes?$/.test(token.text)) governor = 'cause';
      return;
    }
    if (token.kind === 'word' && isPreposition(token.text)) {
      if (region !== 'subject' && governor !== 'cause') governor = token.text;
      return;
    }
    if (token.kind === 'word' && isStop(token.text)) return;
    const isGerund = at === start && /ing$/.test(token.text) && isVerb(token.text);
    const isMain =
      token.kind === 'word' && (at === verb || isGerund || (past && isPredicateVerb(tokens, at)));
    const next = tokens[at + 1];
    const modifier =
      !isMain &&
      (isContent(next) && next.kind !== 'number' ? !(at + 1 === verb) : next?.text === 'of');
    const own = denied.has(at) ? 'denied' : region;
    const label = token.kind === 'number' && isContent(tokens[at - 1]);
    const beside = token.kind === 'word' && hasBeside(tokens, at);
    const head = modifier && next?.kind === 'word' ? conceptOf(next.text).key : '';
    const place = { region: own, governor, verb: isMain, modifier, head, label, beside, aside };
    units.push(unitOf(token, place));
    if (isMain && !isGerund && governor !== 'cause') governor = 'object';
  });
  const heard = withSubject(units);
  return tokens.some(({ text }) => text === '@causes') ? withEffectFirst(heard) : heard;
}

/** A word that says little says much where it is all that the subject has. */
function withSubject(units: readonly Unit[]): Unit[] {
  const subjects = units.filter(({ region }) => region === 'subject');
  const [only] = subjects;
  return units.map((unit) =>
    subjects.length === 1 && unit === only && unit.kind === 'word' ? { ...unit, weight: 1 } : unit,
  );
}

/** `deleted after a week` as `kept for a week`. */
export function withKeptSpan(units: readonly Unit[]): readonly Unit[] {
  const isSpan = ({ governor, token }: Unit) => governor === 'after' && token.dimension === 'time';
  if (!units.some(isSpan)) return units;
  return units.map((unit) => (unit.key === 'keep' && unit.sign < 0 ? { ...unit, sign: 1 } : unit));
}

/** `x causes y` as `y is caused by x`, so that the effect is what such a claim is about. */
function withEffectFirst(units: readonly Unit[]): Unit[] {
  return units.map((unit) => {
    if (unit.region === 'subject') return { ...unit, region: 'predicate', governor: 'cause' };
    if (unit.governor === 'cause')
      return {
        ...unit,
        region: unit.region === 'denied' ? 'denied' : 'subject',
        governor: 'subject',
      };
    return unit;
  });
}

const PERIOD = /^(?:year|month|week|quarter|sprint|release)$/;

function sideOf(tokens: readonly Token[]): Frame['side'] {
  const spans = (pattern: RegExp) =>
    tokens.some((token, at) => says(token, pattern) && says(tokens[at + 1], PERIOD));
  const has = (pattern: RegExp) => tokens.some((token) => says(token, pattern));
  const opener = tokens[0];
  const before =
    has(/^(?:before|until|till|earlier|@formerly)$/) ||
    says(opener, /^through$/) ||
    spans(/^(?:last|previous)$/);
  const after =
    has(/^(?:since|after|henceforth|@now)$/) ||
    says(opener, /^from$/) ||
    spans(/^(?:this|next|current)$/);
  if (!before && !after && has(/^during$/)) return 'during';
  if (before === after) return undefined;
  return before ? 'before' : 'after';
}

/** `without x y is z` as `if x is absent y is z`, unless y is denied: that says that y needs x. */
function withAbsence(tokens: readonly Token[]): readonly Token[] {
  const [first, ...rest] = tokens;
  if (first?.text !== '@without' || rest.some((token) => says(token, /^@(?:no|not|mustnot)$/)))
    return tokens;
  return [{ kind: 'mark', text: '@if' }, { kind: 'word', text: 'absent' }, ...rest];
}

const MISSING = /^(?:@no|@not|@without|absent|missing|unset|omitted|empty|undefined|blank)$/;

/** Where the condition of a clause stands that names what is not given: in front, or at its end. */
function missingCondition(tokens: readonly Token[]): readonly [number, number] | undefined {
  const from = tokens.findIndex(({ text }) => text === '@if');
  if (from < 0) return undefined;
  const end = from === 0 ? circumstanceEnd(tokens) : tokens.length;
  const within = tokens.slice(from, end);
  const asked = within.some((token) => says(token, MISSING));
  const denies = tokens.some(
    (token, at) => (at < from || at >= end) && says(token, /^@(?:no|not|mustnot)$/),
  );
  return asked && !denies ? [from, end] : undefined;
}

/** `if x is absent`, `when no x is given`: what then holds is a default; the absence denies nothing. */
function withDefaults(tokens: readonly Token[]): readonly Token[] {
  const [from, end] = missingCondition(tokens) ?? [-1, -1];
  if (from < 0) return tokens;
  const rest = tokens.filter((token, at) => at < from || at >= end || !says(token, MISSING));
  return [{ kind: 'mark', text: '@default' }, ...rest];
}

/** True where a clause says what its subject has. */
function hasHave(tokens: readonly Token[]): boolean {
  const verb = tokens[verbAt(tokens, circumstanceEnd(tokens))];
  return says(verb, /^(?:has|have|had)$/);
}

/** True where *only* stands before the verb, with the subject. */
function isOnlySubject(tokens: readonly Token[]): boolean {
  const start = circumstanceEnd(tokens);
  const only = tokens.findIndex(({ text }) => text === '@only');
  return only >= start && only < verbAt(tokens, start);
}

/** The frame of one clause. */
export function frameOf(clause: readonly Token[]): Frame {
  const tokens = withDefaults(withAbsence(clause));
  const { places: denied, changed } = deniedPlaces(tokens);
  const marks = tokens.filter(({ kind }) => kind === 'mark').map(({ text }) => text);
  return {
    units: unitsOf(tokens, denied),
    negations: negationsOf(tokens, denied),
    marks: new Set([
      ...marks,
      ...(changed ? ['@change'] : []),
      ...(hasHave(tokens) ? ['@have'] : []),
    ]),
    onlySubject: isOnlySubject(tokens),
    gone: [],
    side: sideOf(tokens),
    past: tokens.some((token) => says(token, /^(?:was|were|had|did)$/)),
  };
}
