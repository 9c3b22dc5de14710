import { isPreposition } from './concept.ts';
import { FOREIGN, tableFor } from './languages.ts';
import { phraseAt } from './phrases.ts';
import { withQuantities } from './quantity.ts';
import { type Token, tokensOf } from './token.ts';

/** Single words of logic → their marks. */
const MARKS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '@not': 'not never neither nor hardly few scarcely',
    '@no': 'no none nobody nothing zero',
    '@without': 'without',
    '@all':
      'all each every any everyone everybody everything always anybody anyone both whichever whatever',
    '@some': 'some several most many sometimes partly partially often occasionally',
    '@formerly': 'formerly previously initially originally',
    '@now': 'now nowadays today currently meanwhile',
    '@only': 'only solely exclusively alone purely merely just sole',
    '@also': 'also too even additionally',
    '@must': 'must shall should',
    '@may': 'may can could might',
    '@cause': 'because',
    '@causes': 'cause causes caused causing trigger triggers triggered induces induced',
    '@instead': 'instead',
    '@except': 'except excluding',
    '@if': 'if when whenever unless while once',
    '@default': 'default defaults',
    '@override': 'override overrides overridden overrode overriding our ours',
    '@replace': 'replace replaces replaced replacing supersede supersedes superseded succeeded',
  }).flatMap(([mark, words]) => words.split(' ').map((word) => [word, mark] as const)),
);

const MONTH =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december)$/;
const DAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$/;

const word = (text: string): Token =>
  text.startsWith('@') ? { kind: 'mark', text } : { kind: 'word', text };

/** Words of another language as English ones. */
function translated(tokens: readonly Token[]): Token[] {
  const table = tableFor(tokens.filter(({ kind }) => kind === 'word').map(({ text }) => text));
  return tokens.flatMap((token) => {
    if (token.kind !== 'word') return [token];
    const meaning = FOREIGN.get(token.text) ?? table?.get(token.text);
    return meaning === undefined ? [token] : meaning.map(word);
  });
}

function withPhrases(tokens: readonly Token[]): Token[] {
  const words = tokens.map(({ kind, text, quoted }) =>
    !quoted && (kind === 'word' || kind === 'number') ? text : '',
  );
  const out: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const phrase = phraseAt(words, at);
    const token = tokens[at];
    if (phrase) out.push(...phrase.output.map(word));
    else if (token) out.push(token);
    at += phrase?.pattern.length ?? 1;
  }
  return out;
}

/** `1998`, unless it counts what follows: `2000 rows`. */
function isYear(tokens: readonly Token[], at: number): boolean {
  const [before, token, next] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  if (token?.kind !== 'number' || token.dimension !== undefined) return false;
  const counts = next?.kind === 'word' && /[^s]s$/.test(next.text) && !isPreposition(next.text);
  const within =
    before?.kind === 'word' && /^(?:in|since|of|the|from|until|till|by)$/.test(before.text);
  return /^(?:19|20)\d\d$/.test(token.text) && (within || !counts);
}

/** A month or a day of the week, and the number beside it, as dates; a year behind a preposition too. */
function withDates(tokens: readonly Token[]): Token[] {
  const isMonth = (token: Token | undefined) =>
    token?.kind === 'word' &&
    MONTH.test(token.text) &&
    (token.text !== 'may' || token.capital === true);
  return tokens.map((token, at) => {
    if (token.quoted) return token;
    const beside = isMonth(tokens[at - 1]) || isMonth(tokens[at + 1]);
    const plain = token.kind === 'number' && token.dimension === undefined;
    const year = isYear(tokens, at);
    const ranged =
      plain &&
      tokens[at + 1]?.text === 'to' &&
      tokens[at + 2]?.kind === 'number' &&
      isMonth(tokens[at + 3]);
    if (isMonth(token) && !(token.text === 'march' && !token.capital))
      return { ...token, kind: 'date' };
    if (token.kind === 'word' && DAY.test(token.text))
      return { ...token, kind: 'date', text: token.text.replace(/s$/, '') };
    if (plain && (beside || ranged || year)) return { ...token, kind: 'date' };
    return token;
  });
}

/** Words that bound the number behind them; before anything else they are prepositions. */
const BOUNDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '@above': 'over above beyond',
    '@below': 'below under',
    '@max': 'within upto',
  }).flatMap(([mark, words]) => words.split(' ').map((word) => [word, mark] as const)),
);

function withBounds(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token, at) => {
    const bound = token.kind === 'word' ? BOUNDS.get(token.text) : undefined;
    const next = tokens[at + 1];
    const bounds = bound !== undefined && (next?.kind === 'number' || next?.kind === 'version');
    if (!bounds) return [token];
    return token.text === 'within' ? [word(bound), token] : [word(bound)];
  });
}

function withMarks(tokens: readonly Token[]): Token[] {
  const hasNeither = tokens.some(({ text }) => text === 'neither');
  return tokens.map((token, at) => {
    if (token.kind !== 'word') return token;
    const mark = MARKS.get(token.text);
    if (mark === undefined || (token.text === 'may' && token.capital && at > 0)) return token;
    if (mark === '@only' && tokens[at + 1]?.kind === 'number') return word('@part');
    if (token.text === 'nor' && hasNeither) return word('or');
    return { kind: 'mark', text: mark };
  });
}

/** A number behind a name or `version` is a version of it: `Java 17`, `version 4`. */
function withVersions(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token, at): Token[] => {
    const before = tokens[at - 1];
    const next = tokens[at + 1];
    if (/^(?:version|release)$/.test(token.text) && next?.kind === 'version') return [];
    if (/^(?:version|release)$/.test(token.text) && next?.kind === 'number') return [];
    if (token.kind !== 'number' || token.dimension !== undefined || token.quoted) return [token];
    const named =
      /^(?:version|release)$/.test(before?.text ?? '') ||
      (before?.capital === true && at > 1) ||
      /^\d+\.\d+$/.test(token.text);
    return [named ? { kind: 'version', text: token.text } : token];
  });
}

/** `once it is done`, not `once a day`. */
function isConjunction(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]?.text ?? '';
  if (/^(?:per|every|each|more|again|an?)$/.test(next)) return false;
  return (
    at === 0 || /^(?:they|the|this|that|its|their|you|we)$/.test(next) || /(?:ed|en)$/.test(next)
  );
}

/** `on` and `off` as states; elsewhere `on` is a preposition. */
function withStates(tokens: readonly Token[]): Token[] {
  return tokens.map((token, at) => {
    if (token.kind !== 'word' || !/^(?:on|off|up|down|once)$/.test(token.text)) return token;
    if (token.text === 'off') return word('disabled');
    const next = tokens[at + 1];
    if (token.text === 'once') return isConjunction(tokens, at) ? word('after') : token;
    if (token.text === 'down')
      return next === undefined || next.kind === 'stop' ? word('stopped') : token;
    if (token.text === 'up')
      return next === undefined || /^(?:again|by|at|automatically|after|[.,;])$/.test(next.text)
        ? word('running')
        : token;
    const ends =
      next === undefined ||
      next.kind === 'stop' ||
      /^(?:in|for|by|at|when|during|with|and|everywhere|from)$/.test(next.text);
    return ends ? word('enabled') : token;
  });
}

/** `x.conf in /etc/y` as `/etc/y/x.conf`. */
function withFolders(tokens: readonly Token[]): Token[] {
  const out: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const [file, within, folder] = [tokens[at], tokens[at + 1], tokens[at + 2]];
    if (!file) break;
    const isFile = file.kind === 'path' && !file.text.includes('/');
    const isIn = within?.kind === 'word' && /^(?:in|under|below|inside)$/.test(within.text);
    if (isFile && isIn && folder?.kind === 'path' && /^[/~]/.test(folder.text)) {
      out.push({ ...file, text: `${folder.text}/${file.text}` });
      at += 2;
    } else out.push(file);
  }
  return out;
}

const PARTICLE = /^(?:in|out|up|down|on|off)$/;

/** `scaling out the pool`: the particle is part of the verb. */
function withParticles(tokens: readonly Token[]): Token[] {
  const [verb, particle, next] = tokens;
  const joins =
    verb?.kind === 'word' &&
    /ing$/.test(verb.text) &&
    PARTICLE.test(particle?.text ?? '') &&
    /^(?:the|an?|its|our)$/.test(next?.text ?? '');
  if (!joins) return [...tokens];
  return [{ ...verb, text: `${particle?.text}-${verb.text}` }, ...tokens.slice(2)];
}

const EXCEPTION_MAX = 4;

/** `no user but x` as `only x`. */
function withExceptions(tokens: readonly Token[]): Token[] {
  const from = tokens.findIndex(({ kind, text }) => kind === 'mark' && text === '@no');
  const excepts = ({ kind, text }: Token) =>
    (kind === 'mark' && text === '@except') || (kind === 'word' && text === 'but');
  const to = tokens.findIndex((token, at) => at > from && excepts(token));
  if (from < 0 || to < 0 || to - from > EXCEPTION_MAX) return [...tokens];
  return [...tokens.slice(0, from), { kind: 'mark', text: '@only' }, ...tokens.slice(to + 1)];
}

const OTHERWISE =
  /^(?:otherwise|chang|configur|overrid|set$|sets$|told|specifi|given$|stated|chos|choos|pass(?:ed|es)$)/;

/** `unless it is told otherwise`: a default. */
function withUnless(tokens: readonly Token[]): Token[] {
  const from = tokens.findIndex(({ kind, text }) => kind === 'word' && text === 'unless');
  if (from < 0) return [...tokens];
  const not = tokens.findIndex(({ kind, text }) => kind === 'word' && /^(?:not|never)$/.test(text));
  // `not unless x` is `only if x`.
  if (not >= 0 && not < from) {
    const rest = tokens.slice(from + 1);
    const before = tokens.filter((_, at) => at < from && at !== not);
    return [...before, word('@only'), word('@if'), ...rest];
  }
  const stop = tokens.findIndex(({ kind }, at) => at > from && kind === 'stop');
  const end = stop < 0 ? tokens.length : stop;
  const says = tokens
    .slice(from, end)
    .some(({ kind, text }) => kind === 'word' && OTHERWISE.test(text));
  return says ? [...tokens.slice(0, from), word('@default'), ...tokens.slice(end)] : [...tokens];
}

/** `since x is y`, behind what it explains: a cause. */
function withSince(tokens: readonly Token[]): Token[] {
  return tokens.map((token, at) => {
    if (token.kind !== 'word' || token.text !== 'since' || at === 0) return token;
    const explains = tokens
      .slice(at + 2, at + 8)
      .some(({ kind, text }) => kind === 'word' && /^(?:is|are|was|were|has|does|do)$/.test(text));
    return explains ? word('@cause') : token;
  });
}

/** A claim as tokens of which each says one thing: translated, with phrases, quantities, dates and logic as such. */
export function readClaim(text: string): Token[] {
  const phrased = withPhrases(
    withSince(withUnless(withParticles(withFolders(translated(tokensOf(text)))))),
  );
  return withExceptions(
    withMarks(withBounds(withVersions(withDates(withQuantities(withStates(phrased)))))),
  );
}
