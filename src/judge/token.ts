import { codeToken } from './code.ts';
import { segment } from './script.ts';

/** What a token stands for. A `mark` is a word of logic that a phrase was rewritten to, such as `@not`. */
export type TokenKind =
  | 'word'
  | 'number'
  | 'version'
  | 'path'
  | 'url'
  | 'flag'
  | 'commit'
  | 'date'
  | 'name'
  | 'mark'
  | 'stop';

export interface Token {
  readonly kind: TokenKind;
  /** What it is compared by: a word in lower case, or the normal form of a value. */
  readonly text: string;
  /** It stood in backticks or quotes, or is written as no word is: a name, whatever it means. */
  readonly quoted?: boolean;
  /** It began with a capital. */
  readonly capital?: boolean;
  /** A number in the base unit of its dimension. */
  readonly value?: number;
  readonly dimension?: string;
}

/** Beyond these, a text is no claim; the rest of it is not read. */
const TEXT_LENGTH_MAX = 2_000;
const TOKENS_MAX = 240;

const QUOTED = /`([^`\n]{1,200})`/y;
const URL = /(?:https?|ftp|wss?|s3|postgres|redis):\/\/[^\s,;)\]"'`<>]+|git@[\w.-]+:[\w./-]+/y;
const PATH =
  /(?:~|\$HOME|\.{1,2})\/[\w.@/*-]*|\/(?:[\w.@*-]+\/)*[\w.@*-]*[\w*]\/?|[\w.@-]+(?:\/[\w.@*-]+)+\.\w+|\.?[\w-]+(?:\.[\w-]+)*\.(?:ts|js|mjs|cjs|tsx|jsx|json|ya?ml|toml|md|txt|sh|py|go|rs|rb|java|sql|cfg|ini|env|lock|xml|html|css|db|log|conf|tf|proto)\b/y;
const FLAG = /--?[A-Za-z][\w-]*/y;
const VERSION = /v\d+(?:\.\d+)*(?:-[\w.]+)?\b|\d+(?:\.\d+){2,}(?:-[\w.]+)?\b/iy;
const COMMIT = /(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b/y;
const NUMBER = /\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?/y;
const UNIT = / ?(?:%|‰|°)|[a-zA-Zµ]{1,4}\b/y;
const NAME =
  /[A-Z][A-Za-z\d]*(?:-[A-Z][A-Za-z\d]*)+|[A-Za-z_][\w]*(?:(?:::|\.|->)[A-Za-z_]\w*)+(?:\(\))?|[A-Za-z]\w*\(\)|[A-Za-z\d]{1,60}_\w{1,60}|[A-Z][A-Z\d]*_[A-Z\d_]+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Za-z]+[-]?\d+[\w-]*|[A-Za-z]\+\+/y;
const WORD = /\p{L}[\p{L}\p{M}]*(?:'\p{L}+)?/uy;
const JOINED = /(?:on|in|off|up|out)-[a-z]{2,20}|[a-z]{2,20}-(?:in|out|up|off|on|down)s?\b/iy;
const NEGATED = /non-[a-z]{3,30}/iy;
const OTHER = /[;:,.!?()=&/]/y;

function at(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0];
}

/** One form for what is written in several: quotes, dashes, white space, contracted negations. */
function normalised(text: string): string {
  return text
    .slice(0, TEXT_LENGTH_MAX)
    .normalize('NFKC')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[‐-―−]/g, '-')
    .replace(/。/g, '.')
    .replace(/[、，]/g, ',')
    .replace(/\s+/g, ' ')
    .replace(/\bUS\b/g, 'USA')
    .replace(/\b(?:can't|cannot)\b/gi, 'can not')
    .replace(/\bwon't\b/gi, 'will not')
    .replace(/n't\b/gi, ' not')
    .trim();
}

interface Reading {
  readonly tokens: Token[];
  index: number;
}

function readValue(text: string, reading: Reading): boolean {
  const { index, tokens } = reading;
  const take = (found: string | undefined, kind: TokenKind, shape = found): boolean => {
    if (found === undefined || shape === undefined) return false;
    tokens.push(codeToken(shape, kind));
    reading.index += found.length;
    return true;
  };
  const starts = index === 0 || /[\s(["'=,:]/.test(text.charAt(index - 1));
  const url = at(URL, text, index)?.replace(/[.:]+$/, '');
  if (take(url, 'url')) return true;
  if (!starts) return false;
  if (take(at(PATH, text, index)?.replace(/[.:]+$/, ''), 'path')) return true;
  if (take(at(FLAG, text, index), 'flag')) return true;
  if (take(at(COMMIT, text, index), 'commit')) return true;
  return take(at(VERSION, text, index), 'version');
}

function readNumber(text: string, reading: Reading): boolean {
  const found = at(NUMBER, text, reading.index);
  if (found === undefined) return false;
  const value = Number(found.replaceAll(',', ''));
  reading.tokens.push({ kind: 'number', text: found, value });
  reading.index += found.length;
  const unit = at(UNIT, text, reading.index);
  if (unit !== undefined) {
    reading.tokens.push({ kind: 'word', text: unit.trim() });
    reading.index += unit.length;
  }
  return true;
}

function readWord(text: string, reading: Reading): boolean {
  const { tokens, index } = reading;
  const name = at(NAME, text, index);
  const word = at(WORD, text, index);
  if (name !== undefined && name.length > (word?.length ?? 0)) {
    tokens.push(codeToken(name, 'name'));
    reading.index += name.length;
    return true;
  }
  if (word === undefined) return false;
  const joined = at(JOINED, text, index);
  if (joined !== undefined && !/[^\W_]/.test(text.charAt(index - 1))) {
    tokens.push({ kind: 'word', text: joined.toLowerCase().replace('-', '') });
    reading.index += joined.length;
    return true;
  }
  const negated = at(NEGATED, text, index);
  if (negated !== undefined) {
    tokens.push({ kind: 'word', text: negated.toLowerCase().replace('-', '') });
    reading.index += negated.length;
    return true;
  }
  reading.index += word.length;
  // Every sentence begins with a capital, which tells nothing.
  const inner = /^.+\p{Lu}/u.test(word);
  const capital = inner || (tokens.length > 0 && /^\p{Lu}/u.test(word));
  // A single capital within a sentence says which: zone A, type B.
  if (/^[A-HJ-Z]$/.test(word) && tokens.length > 0) {
    tokens.push({ kind: 'name', text: word });
    return true;
  }
  for (const part of segment(word.toLowerCase().replace(/'s$/, ''))) {
    tokens.push({ kind: 'word', text: part, ...(capital && { capital }) });
  }
  return true;
}

/** Reads a text into tokens, in the order of the text, in time linear in its length. */
export function tokensOf(claim: string): Token[] {
  const text = normalised(claim);
  const reading: Reading = { tokens: [], index: 0 };
  while (reading.index < text.length && reading.tokens.length < TOKENS_MAX) {
    const quoted = at(QUOTED, text, reading.index);
    if (quoted !== undefined) {
      reading.tokens.push(...quotedTokens(quoted.slice(1, -1).trim()));
      reading.index += quoted.length;
      continue;
    }
    if (readValue(text, reading) || readNumber(text, reading) || readWord(text, reading)) continue;
    const sign = at(OTHER, text, reading.index);
    if (sign !== undefined) reading.tokens.push({ kind: 'stop', text: sign });
    reading.index += 1;
  }
  return reading.tokens;
}

/** What stands in backticks: one token, or for `NAME=value` two. */
function quotedTokens(text: string): Token[] {
  const assigned = /^([A-Za-z_][\w.-]*)=(\S+)$/.exec(text);
  if (assigned?.[1] !== undefined && assigned[2] !== undefined) {
    return [...quotedTokens(assigned[1]), ...quotedTokens(assigned[2])];
  }
  return text === '' ? [] : [{ ...codeToken(text, undefined), quoted: true }];
}
