import { CHAR, classAt, endWithout, runEnd, runStart } from './chars.ts';
import { familyOf } from './name.ts';
import type { Scan } from './scan.ts';
import { RANK, withoutPlaceholders } from './span.ts';
import { type Form, isSecretValue } from './value.ts';

const NAME_MAX = 80;
/** As far as a value is looked at before it is known to be one; a secret is then taken to its end. */
const LOOK_MAX = 256;

const TYPE_THEN_VALUE = /[ \t]{0,4}[A-Za-z_&*[][\w<>[\].|&:']{0,40}[ \t]{0,4}=[ \t]{0,4}(?=["'`])/y;
const PAIRED_VALUE =
  /\\{0,4}["']?[ \t]{0,4},?\s{0,40}\\{0,4}["']?value\\{0,4}["']?[ \t]{0,4}:[ \t]{0,8}/y;
const PAIRED_NAME = /(?:name|key)\\{0,4}["']?[ \t]{0,4}:[ \t]{0,8}\\{0,4}["']?$/i;
/** `aws configure set NAME value`, `npm config set //host/:NAME value`. */
const SETTING = /\bconfig(?:ure)? (?:set |--global )(?:\S{1,60}:)?$/;
/** `CREATE ROLE ada LOGIN PASSWORD 'x'` */
const DECLARING =
  /(?:with|encrypted|set|(?:user|role) \S+(?: (?:with|(?:no)?(?:login|inherit|superuser|createdb|createrole|replication)))*)\s+$/i;
const isQuote = (char: string | undefined) => char === '"' || char === "'" || char === '`';

interface Place {
  readonly at: number;
  readonly form: Exclude<Form, 'quoted'>;
}

function skipBackslashes(text: string, at: number): number {
  let end = at;
  while (text[end] === '\\' && end - at < 4) end++;
  return end;
}

/** Where the value of `name` starts, by the operator after it: `=`, `:`, `:=`, `=>`, `?=`; undefined without one. */
function afterOperator(text: string, end: number): Place | undefined {
  let at = skipBackslashes(text, end);
  at = isQuote(text[at]) ? at + 1 : end;
  if (text[at] === ']') at++;
  const operator = runEnd(text, at, CHAR.space, at + 32);
  const [first, second] = [text[operator], text[operator + 1]];
  let after = operator + 1;
  if (first === '=') {
    if (second === '=' || second === '~') return undefined;
    if (second === '>') after++;
  } else if (first === ':') {
    if (second === ':') return undefined;
    if (second === '=') after++;
  } else if (first === '?' && second === '=') {
    after++;
  } else {
    return undefined;
  }
  const value = runEnd(text, after, CHAR.space, after + 32);
  const tight = first === '=' && value === end + 1;
  if (first === ':' && second !== '=') {
    const typed = afterType(text, value);
    if (typed !== undefined) return { at: typed, form: 'loose' };
  }
  return { at: value, form: tight ? 'tight' : 'loose' };
}

/** The places of a value that need no operator: `<password>x<`, `--token x`, `login a password x`, `name: T, value: x`. */
function withoutOperator(text: string, start: number, end: number): Place | undefined {
  // In `<user>:<password>@host` it stands for one.
  if (text[end] === '>' && text[start - 1] === '<')
    return text[end + 1] === '@' ? undefined : { at: end + 1, form: 'tight' };
  const value = runEnd(text, end, CHAR.space, end + 8);
  if (value > end) {
    if (text.startsWith('--', start)) return { at: value, form: 'flag' };
    const before = text.slice(Math.max(0, start - 80), start);
    if (SETTING.test(before)) return { at: value, form: 'flag' };
    if (/\blogin\s+\S+\s+$/.test(before)) return { at: value, form: 'tight' };
    if (text[value] === "'") {
      return DECLARING.test(before) ? { at: value, form: 'loose' } : undefined;
    }
    const typed = afterType(text, value);
    if (typed !== undefined) return { at: typed, form: 'loose' };
  }
  if (!text.slice(Math.max(0, start - 4), start).includes(':')) return undefined;
  PAIRED_VALUE.lastIndex = end;
  if (PAIRED_VALUE.test(text) && PAIRED_NAME.test(text.slice(Math.max(0, start - 24), start))) {
    return { at: PAIRED_VALUE.lastIndex, form: 'loose' };
  }
  return undefined;
}

/** Where a quoted value starts behind a type: `string = "x"`; undefined where there is none. */
function afterType(text: string, at: number): number | undefined {
  if (!text.slice(at, at + 48).includes('=')) return undefined;
  TYPE_THEN_VALUE.lastIndex = at;
  return TYPE_THEN_VALUE.test(text) ? TYPE_THEN_VALUE.lastIndex : undefined;
}

/** The end of a quoted value: a quote of the same depth of escaping, or the end of the line. */
function quotedEnd(
  text: string,
  from: number,
  quote: string,
  depth: number,
  limit: number,
): number {
  for (let i = from; i < limit; i++) {
    const char = text[i];
    if (char === '\n' || char === '\r') return i;
    if (char !== quote) continue;
    const escapes = i - runBack(text, i, from);
    if (escapes <= depth) return i - escapes;
  }
  return limit;
}

function runBack(text: string, at: number, limit: number): number {
  let start = at;
  while (start > limit && text[start - 1] === '\\') start--;
  return start;
}

/** What ends a bare value; in environment files signs may be part of it, in code and commands they end it. */
const BARE_END = /[\s"'`\\<>(){}[\]|;,&]/g;
const LINE_END = /[\s"'`\\<>]/g;

function bareEnd(text: string, from: number, wide: boolean, limit: number): number {
  const pattern = wide ? LINE_END : BARE_END;
  const looked = text.slice(from, limit);
  pattern.lastIndex = 0;
  const found = pattern.exec(looked);
  return found ? from + found.index : limit;
}

interface Value {
  readonly start: number;
  readonly end: number;
  readonly form: Form;
  /** More of it may stand behind the limit. */
  readonly cut: boolean;
}

/** The value at a place, at most `limit` characters of it. */
function readValue(scan: Scan, place: Place, name: string, limit: number): Value {
  const { text } = scan;
  let at = place.at;
  if (/^[bBrRuU]["']/.test(text.slice(at, at + 2))) at++;
  const quote = skipBackslashes(text, at);
  const mark = text[quote];
  const most = Math.min(text.length, at + limit);
  if (mark !== undefined && isQuote(mark)) {
    const start = text.startsWith(mark.repeat(3), quote) ? quote + 3 : quote + 1;
    const end = quotedEnd(text, start, mark, quote - at, most);
    return { start, end, form: 'quoted', cut: end >= most };
  }
  const wide = place.form === 'tight' && scan.kind !== 'command' && /^[A-Z][A-Z\d_]*$/.test(name);
  const bare = bareEnd(text, at, wide, most);
  const ends = wide || place.form === 'loose';
  const end = ends ? endWithout(text, at, bare, ';,&|)]}.?') : bare;
  return { start: at, end, form: place.form, cut: bare >= most };
}

/** `API key: …` and `Secret access key: …`: the words before the last one belong to the name. */
function spacedName(text: string, start: number, name: string): string {
  if (text[start - 1] !== ' ' || !/^(?:key|token|secret)$/i.test(name)) return name;
  const before = /(?:\b[A-Za-z]{2,8} )?\b[A-Za-z]{2,8} $/.exec(
    text.slice(Math.max(0, start - 20), start),
  );
  return before ? `${before[0].replaceAll(' ', '_')}${name}` : name;
}

/** Finds `name = value` around a word like password, token, key; `at` is where that word starts. */
export function probeName(scan: Scan, at: number): void {
  if (at < scan.nameEnd) return;
  const { text } = scan;
  let end = runEnd(text, at, CHAR.name, at + NAME_MAX);
  scan.nameEnd = end;
  while (end > at && (classAt(text, end - 1) & CHAR.word) === 0) end--;
  const start = runStart(text, at, CHAR.name, at - NAME_MAX);
  // A::Pass is a type or a package.
  if (text[start - 1] === ':' && text[start - 2] === ':') return;
  const place = afterOperator(text, end) ?? withoutOperator(text, start, end);
  if (!place || place.at >= text.length) return;
  const escaped = text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '');
  const raw = text.slice(escaped ? start + 1 : start, end).replace(/^[.-]+/, '');
  const name = spacedName(text, start, raw);
  const family = familyOf(name);
  if (family === undefined) return;
  const { start: from, end: to, form, cut } = readValue(scan, place, raw, LOOK_MAX);
  const value = withoutPlaceholders(text.slice(from, to));
  const next = text[to] ?? '';
  // The working directory of a shell is in a variable of this name.
  if (/^(?:OLD)?PWD$/i.test(raw) && /^[/~.]|^[A-Z]:/i.test(value)) return;
  if (!isSecretValue({ name: raw, family, value, form, next }, scan.kind === 'command')) return;
  const whole = cut ? readValue(scan, place, raw, text.length).end : to;
  scan.spans.push({
    start: from,
    end: whole,
    rule: `named-${family === 'pass' ? 'password' : family}`,
    rank: RANK.named,
  });
  scan.nameEnd = Math.max(scan.nameEnd, whole);
}
