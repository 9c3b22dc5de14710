import { spellingFault } from './canonical-fault.ts';
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
 * Compares texts by Unicode code point, which is also the order of their UTF-8 bytes: negative, 0 or positive.
 * UTF-16 order differs only where a surrogate meets a unit above it (U+E000…U+FFFF), so such units are ranked
 * above the others before comparing.
 */
export function byCodePoint(a: string, b: string): number {
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

/** Printable ASCII without `"` and `\\`: well-formed, NFC, and its own JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;

function text(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) refuse('surrogate', 'a lone surrogate');
  return JSON.stringify(value.normalize('NFC'));
}

/** True for keys that are plain and in order already, as those of what was canonical before are. */
function areInOrder(keys: readonly string[]): boolean {
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? '';
    if (!PLAIN.test(key) || (i > 0 && key <= (keys[i - 1] ?? ''))) return false;
  }
  return true;
}

function sortedMembers(value: Readonly<Record<string, unknown>>): (readonly [string, unknown])[] {
  const members = Object.entries(value).map(
    ([key, member]) => [key.normalize('NFC'), member] as const,
  );
  members.sort(([a], [b]) => byCodePoint(a, b));
  for (let i = 1; i < members.length; i++) {
    if (members[i]?.[0] === members[i - 1]?.[0])
      refuse('duplicate', 'two keys that are equal after NFC');
  }
  return members;
}

function object(value: Readonly<Record<string, unknown>>, depth: number): string {
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) refuse('type', 'an object with a class');
  const keys = Object.keys(value);
  let json = '{';
  if (areInOrder(keys)) {
    for (const key of keys)
      json += `${json === '{' ? '' : ','}"${key}":${encode(value[key], depth + 1)}`;
    return `${json}}`;
  }
  for (const [key, member] of sortedMembers(value)) {
    json += `${json === '{' ? '' : ','}${text(key)}:${encode(member, depth + 1)}`;
  }
  return `${json}}`;
}

function list(items: readonly unknown[], depth: number): string {
  if (items.length !== Object.keys(items).length) refuse('type', 'a sparse array');
  let json = '[';
  for (const item of items) json += `${json === '[' ? '' : ','}${encode(item, depth + 1)}`;
  return `${json}]`;
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
        refuse('number', `the number ${value}`);
      return String(value);
    case 'object':
      return Array.isArray(value)
        ? list(value, depth)
        : object(value as Readonly<Record<string, unknown>>, depth);
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

/** True where `JSON.stringify` writes a parsed value in canonical form. False says nothing: {@link canonical} knows more. */
function isPlain(value: Json, depth: number): boolean {
  if (typeof value === 'string') {
    return PLAIN.test(value) || (value.isWellFormed() && value.normalize('NFC') === value);
  }
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= DEPTH_MAX) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1));
  const members = value as { readonly [key: string]: Json };
  const keys = Object.keys(members);
  return areInOrder(keys) && keys.every((key) => isPlain(members[key] ?? null, depth + 1));
}

/**
 * Parses bytes that must already be canonical: what does not re-encode to itself is refused, which also
 * catches duplicate keys, white space and any other spelling. Throws `canonical.malformed` for what is no JSON,
 * `canonical.duplicate`, `.nfc`, `.order` and `.spelling` for what is spelled otherwise, and what {@link canonical} throws.
 */
export function parseCanonical(received: string): Json {
  let value: Json;
  try {
    value = JSON.parse(received) as Json;
  } catch (cause) {
    throw new CredenceError('incorrect', 'canonical.malformed', 'not JSON', { cause });
  }
  // Nearly every entry of a ledger is plain, and a follower need not encode it piece by piece.
  if (isPlain(value, 0) && JSON.stringify(value) === received) return value;
  if (canonical(value) !== received) {
    const [code, what] = spellingFault(received, value);
    throw new CredenceError('incorrect', `canonical.${code}`, what);
  }
  return value;
}
