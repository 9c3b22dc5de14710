import type { Fact } from '../record/claim.ts';
import { conceptOf } from './concept.ts';
import { areEqual } from './quantity.ts';
import { readClaim } from './rewrite.ts';
import type { Judgement } from './rules.ts';
import type { Token } from './token.ts';

/** A name as it is compared: in any case, with any white space. */
const nameOf = (text: string) =>
  text
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');

const TRUE = /^(?:true|yes|on|enabled|1)$/;
const FALSE = /^(?:false|no|off|disabled|0)$/;

/** A boolean, however it is written; undefined for other values. */
function truthOf(value: Fact['value']): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = String(value).trim().toLowerCase();
  if (TRUE.test(text)) return true;
  return FALSE.test(text) ? false : undefined;
}

function sameToken(a: Token | undefined, b: Token | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.kind === 'number' && b.kind === 'number') return areEqual(a, b);
  if (a.kind !== 'word' || b.kind !== 'word') return a.kind === b.kind && a.text === b.text;
  const [x, y] = [conceptOf(a.text), conceptOf(b.text)];
  return x.key === y.key && x.sign === y.sign;
}

/** True for two values that say the same: booleans in words, numbers with units, paths, URLs and versions by what they are. */
function areSameValues(a: Fact['value'], b: Fact['value']): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  const [x, y] = [truthOf(a), truthOf(b)];
  if (typeof a === 'boolean' || typeof b === 'boolean') return x !== undefined && x === y;
  const [left, right] = [String(a), String(b)].map((text) => readClaim(text.replaceAll('`', '')));
  if (left === undefined || right === undefined || left.length === 0) return false;
  return left.length === right.length && left.every((token, i) => sameToken(token, right[i]));
}

/** True for two spans with no common instant. Ends are half-open, and open where they are absent. */
function areApart(a: Fact, b: Fact): boolean {
  const endsBefore = (x: Fact, y: Fact) =>
    x.valid_until !== undefined && y.valid_from !== undefined && x.valid_until <= y.valid_from;
  return endsBefore(a, b) || endsBefore(b, a);
}

/**
 * Judges two facts by their structure: one subject and predicate, in spans that overlap, has one value, unless it may have
 * many. Undefined where they are of different things by name: two names can be of one thing.
 */
export function judgeFacts(a: Fact, b: Fact): Judgement | undefined {
  const isOne =
    nameOf(a.subject) === nameOf(b.subject) && nameOf(a.predicate) === nameOf(b.predicate);
  if (!isOne) return undefined;
  if (areApart(a, b)) return { verdict: 'unrelated', why: 'fact-span' };
  if (areSameValues(a.value, b.value)) return { verdict: 'same', why: 'fact-value' };
  const many = a.cardinality === 'many' && b.cardinality === 'many';
  return many
    ? { verdict: 'unrelated', why: 'fact-many' }
    : { verdict: 'contradicts', why: 'fact-value' };
}
