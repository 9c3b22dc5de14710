import type { Token } from './token.ts';

const DAY = 86_400;
const KILO = 1024;

/** Unit → its dimension and how many base units (seconds, bytes, ones) it is. */
const UNITS: Readonly<Record<string, readonly [dimension: string, factor: number]>> = {
  ...scaled('frequency', 'hz hertz', { '': 1, k: 1e3, m: 1e6, g: 1e9 }),
  ...scaled('rate', 'bps bit/s baud', { '': 1, k: 1e3, m: 1e6, g: 1e9 }),
  ...scaled('current', 'a ampere amperes amp amps', { '': 1, m: 1e-3, µ: 1e-6 }),
  ...scaled('charge', 'ah', { '': 1, m: 1e-3 }),
  ...scaled('voltage', 'v volt volts', { '': 1, m: 1e-3, k: 1e3 }),
  ...scaled('power', 'w watt watts', { '': 1, m: 1e-3, k: 1e3 }),
  ...scaled('mass', 'g gram grams', { '': 1, m: 1e-3, k: 1e3 }),
  ...scaled('length', 'm metre metres meter meters', { '': 1, m: 1e-3, c: 1e-2, k: 1e3 }),
  ...named('time', 1e-9, 'ns nanosecond nanoseconds'),
  ...named('time', 1e-6, 'us µs μs microsecond microseconds'),
  ...named('time', 1e-3, 'ms msec millisecond milliseconds millis'),
  ...named('time', 1, 's sec secs second seconds'),
  ...named('time', 60, 'min mins minute minutes'),
  ...named('time', 3_600, 'h hr hrs hour hours'),
  ...named('time', DAY, 'd day days night nights'),
  ...named('time', 7 * DAY, 'w week weeks'),
  ...named('time', 14 * DAY, 'fortnight fortnights'),
  ...named('time', 30 * DAY, 'month months'),
  ...named('time', 365 * DAY, 'year years'),
  ...named('bytes', 1, 'b byte bytes'),
  ...named('bytes', KILO, 'kb kib kilobyte kilobytes'),
  ...named('bytes', KILO ** 2, 'mb mib megabyte megabytes'),
  ...named('bytes', KILO ** 3, 'gb gib gigabyte gigabytes'),
  ...named('bytes', KILO ** 4, 'tb tib terabyte terabytes'),
  ...named('ratio', 0.01, '% percent pct'),
  ...named('ratio', 0.001, '‰ permille'),
  ...named('pixels', 1, 'px pixel pixels'),
};

/** Adverbs that say how long it is from one time to the next. */
const PERIODS: Readonly<Record<string, number>> = {
  hourly: 3_600,
  daily: DAY,
  nightly: DAY,
  weekly: 7 * DAY,
  fortnightly: 14 * DAY,
  monthly: 30 * DAY,
  quarterly: 91 * DAY,
  yearly: 365 * DAY,
  annually: 365 * DAY,
};

const SMALL =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';
const CARDINALS: ReadonlyMap<string, number> = new Map<string, number>([
  ...SMALL.split(' ').map((word, i) => [word, i + 1] as const),
  ...TENS.split(' ').map((word, i) => [word, 20 + 10 * i] as const),
  ['zero', 0],
  ['single', 1],
  ['once', 1],
  ['twice', 2],
  ['thrice', 3],
  ['couple', 2],
  ['pair', 2],
]);
const MULTIPLES: ReadonlyMap<string, number> = new Map([
  ['dozen', 12],
  ['dozens', 12],
  ['hundred', 100],
  ['thousand', 1e3],
  ['k', 1e3],
  ['million', 1e6],
  ['m', 1e6],
  ['billion', 1e9],
]);
const PARTS: ReadonlyMap<string, number> = new Map([
  ['half', 2],
  ['third', 3],
  ['thirds', 3],
  ['quarter', 4],
  ['quarters', 4],
  ['fifth', 5],
  ['fifths', 5],
  ['tenth', 10],
  ['tenths', 10],
]);

function named(dimension: string, factor: number, words: string) {
  return Object.fromEntries(words.split(' ').map((word) => [word, [dimension, factor] as const]));
}

/** Units that take prefixes, in lower case: among `M` and `m` the one that is in use. */
function scaled(dimension: string, units: string, prefixes: Readonly<Record<string, number>>) {
  return Object.assign(
    {},
    ...Object.entries(prefixes).map(([prefix, factor]) =>
      named(
        dimension,
        factor,
        units
          .split(' ')
          .map((unit) => prefix + unit)
          .join(' '),
      ),
    ),
  ) as Record<string, readonly [string, number]>;
}

interface Read {
  readonly token: Token;
  /** What was counted and stood in between: *request* in `one request in twenty`. */
  readonly noun?: Token;
  /** How many tokens it took. */
  readonly length: number;
}

const LETTERS: Readonly<Record<string, string>> = { A: 'amp', V: 'volt', W: 'watt' };

/** What can be a unit: a word, or a letter that was taken for a name. */
const unitTextAt = (tokens: readonly Token[], at: number): string => {
  const token = tokens[at];
  if (token?.kind === 'name' && !token.quoted) return LETTERS[token.text] ?? '';
  return token?.kind === 'word' && !/^[am]$/.test(token.text) ? token.text.toLowerCase() : '';
};

const wordAt = (tokens: readonly Token[], at: number): string =>
  tokens[at]?.kind === 'word' ? (tokens[at]?.text ?? '') : '';

/** The number that starts at a place: digits or words, with what multiplies it. */
function cardinalAt(
  tokens: readonly Token[],
  at: number,
): { value: number; length: number } | undefined {
  const first = tokens[at];
  let length = 1;
  let value = first?.kind === 'number' ? first.value : CARDINALS.get(wordAt(tokens, at));
  if (value === undefined) {
    const article = /^an?$/.test(wordAt(tokens, at));
    const multiple = MULTIPLES.get(wordAt(tokens, at + (article ? 1 : 0))) ?? 0;
    if (multiple < 12 || (!article && wordAt(tokens, at).length < 3)) return undefined;
    return { value: multiple, length: article ? 2 : 1 };
  }
  const next = CARDINALS.get(wordAt(tokens, at + 1));
  if (
    value >= 20 &&
    value % 10 === 0 &&
    next !== undefined &&
    next < 10 &&
    first?.kind === 'word'
  ) {
    value += next;
    length++;
  }
  for (let more = 0; more < 3; more++) {
    const word = wordAt(tokens, at + length);
    const multiple = word === 'm' && first?.kind === 'word' ? undefined : MULTIPLES.get(word);
    if (multiple === undefined) break;
    value *= multiple;
    length++;
  }
  return { value, length };
}

/** `half`, `a quarter of`, `three fifths`, `one in twenty`, `one request in twenty`. */
function fractionAt(tokens: readonly Token[], at: number): Read | undefined {
  const whole = cardinalAt(tokens, at);
  const start = at + (whole?.length ?? (/^an?$/.test(wordAt(tokens, at)) ? 1 : 0));
  const part = PARTS.get(wordAt(tokens, start));
  const ratio = (value: number, end: number): Read => ({
    token: { kind: 'number', text: String(value), value, dimension: 'ratio' },
    length: end - at,
  });
  const counted = whole !== undefined || start > at || wordAt(tokens, start + 1) === 'of';
  if (part !== undefined && (counted || part === 2)) {
    return ratio((whole?.value ?? 1) / part, start + 1);
  }
  if (whole === undefined) return undefined;
  for (const gap of [0, 1]) {
    const between = tokens[start];
    if (gap === 1 && between?.kind !== 'word') break;
    if (!/^(?:in|of|out)$/.test(wordAt(tokens, start + gap))) continue;
    const skip = wordAt(tokens, start + gap) === 'out' ? 2 : 1;
    const total =
      wordAt(tokens, start + gap) === 'of' ? undefined : cardinalAt(tokens, start + gap + skip);
    if (total === undefined || total.value <= whole.value) continue;
    const read = ratio(whole.value / total.value, start + gap + skip + total.length);
    return gap === 1 && between ? { ...read, noun: between } : read;
  }
  return undefined;
}

/** The unit after a number, also behind `of an` and a hyphen. */
function unitAt(
  tokens: readonly Token[],
  at: number,
): { unit: readonly [string, number]; end: number } | undefined {
  let end = at;
  if (wordAt(tokens, end) === 'of') end++;
  if (/^an?$/.test(wordAt(tokens, end))) end++;
  // `half of the` counts nothing, `5 of 7` has no unit.
  if (end === at + 1 && wordAt(tokens, at) === 'of') return undefined;
  if (tokens[end]?.text === '-') end++;
  const unit = UNITS[unitTextAt(tokens, end)];
  return unit && { unit, end: end + 1 };
}

/** The seconds of `an hour`, `each day`, `per minute`. */
function unitPer(tokens: readonly Token[], at: number): number | undefined {
  if (!/^(?:an?|each|every|per)$/.test(wordAt(tokens, at))) return undefined;
  const unit = UNITS[unitTextAt(tokens, at + 1)];
  return unit?.[0] === 'time' ? unit[1] : undefined;
}

function quantityAt(tokens: readonly Token[], at: number): Read | undefined {
  const word = wordAt(tokens, at);
  const period = PERIODS[word];
  const made = (value: number, length: number, dimension?: string): Read => ({
    token: { kind: 'number', text: String(value), value, ...(dimension && { dimension }) },
    length,
  });
  if (period !== undefined) return made(period, 1, 'time');
  const each = unitPer(tokens, at);
  if (each !== undefined) return made(each, 2, 'time');
  const before = wordAt(tokens, at - 1);
  if (word === 'one' && /^(?:the|no|this|that|which|each|another|as)$/.test(before))
    return undefined;
  // `zero errors` is no error; `set to zero` has a value.
  if (word === 'zero' && unitTextAt(tokens, at + 1) !== '') return undefined;
  const fraction = fractionAt(tokens, at);
  const number = cardinalAt(tokens, at);
  const found = fraction ? { value: fraction.token.value ?? 0, length: fraction.length } : number;
  if (found === undefined) return undefined;
  const times = wordAt(tokens, at + found.length) === 'times' ? 1 : 0;
  const per = unitPer(tokens, at + found.length + times);
  if (per !== undefined && (times > 0 || /^(?:once|twice|thrice)$/.test(word))) {
    return made(per / found.value, found.length + times + 2, 'time');
  }
  const unit = unitAt(tokens, at + found.length);
  if (unit) return made(found.value * unit.unit[1], unit.end - at, unit.unit[0]);
  const plain = tokens[at];
  // As it is written: 1.2 and 1.20 are two versions.
  if (found.length === 1 && plain?.kind === 'number') return { token: plain, length: 1 };
  return fraction ?? made(found.value, found.length);
}

/** Numbers in words and digits, with their units, as one token each, in the base unit of their dimension. */
export function withQuantities(tokens: readonly Token[]): Token[] {
  const out: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const read = tokens[at]?.quoted ? undefined : quantityAt(tokens, at);
    const token = tokens[at];
    if (read) out.push(read.token, ...(read.noun ? [read.noun] : []));
    else if (token) out.push(token);
    at += read?.length ?? 1;
  }
  return out;
}

/** Base-10 and base-2 kilobytes, and months of 30 or 31 days, are told apart by nobody. */
const TOLERANCE = 0.05;

/** True for two numbers of one dimension that say the same. */
export function areEqual(a: Token, b: Token): boolean {
  const [x, y] = [a.value, b.value];
  if (x === undefined || y === undefined) return a.text === b.text;
  if (x === y) return a.dimension === b.dimension;
  if (a.dimension === undefined || a.dimension !== b.dimension) return false;
  const rough = a.dimension === 'bytes' || x >= 25 * DAY;
  const tolerance = rough ? TOLERANCE : a.dimension === 'ratio' ? 0.01 : 1e-9;
  return Math.abs(x - y) <= tolerance * Math.max(Math.abs(x), Math.abs(y));
}
