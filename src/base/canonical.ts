import { CredenceError } from './errors.ts';

/** What canonical JSON can hold. Fractions have no place in it: records carry integers in parts per million. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** Deeper nesting than any record of ours, shallow enough never to exhaust the stack. */
const DEPTH_MAX = 64;

function refuse(code: string, what: string): never {
  throw new CredenceError('incorrect', `canonical.${code}`, `canonical JSON cannot hold ${what}`);
}

/**
 * UTF-16 order differs from code point order only where a surrogate meets a unit above it (U+E000…U+FFFF), so
 * such units are ranked above the others before comparing.
 */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function text(value: string): string {
  if (!value.isWellFormed()) refuse('surrogate', 'a lone surrogate');
  return JSON.stringify(value.normalize('NFC'));
}

function object(value: object, depth: number): string {
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) refuse('type', 'an object with a class');
  const members = Object.entries(value as Record<string, unknown>).map(
    ([key, member]) => [key.normalize('NFC'), member] as const,
  );
  members.sort(([a], [b]) => byCodePoint(a, b));
  for (let i = 1; i < members.length; i++) {
    if (members[i]?.[0] === members[i - 1]?.[0])
      refuse('duplicate', 'two keys that are equal after NFC');
  }
  return `{${members.map(([key, member]) => `${text(key)}:${encode(member, depth + 1)}`).join(',')}}`;
}

function encode(value: unknown, depth: number): string {
  if (depth > DEPTH_MAX) refuse('depth', `more than ${DEPTH_MAX} levels`);
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false';
    case 'string':
      return text(value);
    case 'number':
      if (!Number.isSafeInteger(value) || Object.is(value, -0))
        refuse('number', `the number ${Object.is(value, -0) ? '-0' : value}`);
      return String(value);
    case 'object':
      if (!Array.isArray(value)) return object(value, depth);
      if (value.length !== Object.keys(value).length) refuse('type', 'a sparse array');
      // Not `map`, which passes over holes: a member beside the elements can make up for one in the count.
      return `[${Array.from(value, (item) => encode(item, depth + 1)).join(',')}]`;
    default:
      return refuse('type', `a ${typeof value}`);
  }
}

/**
 * Canonical JSON of the agent-knowledge wire format: keys by Unicode code point, no white space, every string
 * NFC, safe integers only. Not RFC 8785: that one sorts by UTF-16 unit and admits fractions.
 * Throws `canonical.*` for anything that JSON cannot hold exactly; never rounds, never drops.
 */
export function canonical(value: unknown): string {
  return encode(value, 0);
}

/**
 * Parses bytes that must already be canonical: what does not re-encode to itself is refused, which also
 * catches duplicate keys, white space and any other spelling. Throws `canonical.malformed`, and what
 * {@link canonical} throws.
 */
export function parseCanonical(received: string): Json {
  let value: Json;
  try {
    value = JSON.parse(received) as Json;
  } catch (cause) {
    throw new CredenceError('incorrect', 'canonical.malformed', 'not JSON', { cause });
  }
  if (canonical(value) !== received) {
    throw new CredenceError('incorrect', 'canonical.malformed', 'JSON, but not in canonical form');
  }
  return value;
}
