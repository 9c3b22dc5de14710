import { CredenceError } from './errors.ts';

/**
 * JSON text as it stands in a file: every value with its place, so that one entry can be put in or taken out
 * while all other characters stay. Offsets are UTF-16 units into the text; `end` is exclusive.
 */
export type JsonNode = JsonContainer | JsonString | JsonAtom;

/** An object or an array, with the places of its children. */
export interface JsonContainer {
  readonly kind: 'object' | 'array';
  readonly start: number;
  readonly end: number;
  readonly children: readonly JsonChild[];
}

/** A string: where it stands, and what it means. */
export interface JsonString {
  readonly kind: 'string';
  readonly start: number;
  readonly end: number;
  /** The text that is meant, escapes resolved. */
  readonly value: string;
}

/** A number, true, false or null: never looked into, so that its spelling can't change. */
interface JsonAtom {
  readonly kind: 'atom';
  readonly start: number;
  readonly end: number;
}

/** A member of an object (`key` is set; the span includes the key) or an item of an array. */
export interface JsonChild {
  readonly key: JsonString | undefined;
  readonly value: JsonNode;
  readonly start: number;
  readonly end: number;
}

/** Far above any settings file, far below what exhausts the stack. */
const DEPTH_MAX = 512;
const BOM = '\uFEFF';
const SPACE = /[ \t\n\r]*/y;
const ATOM = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** A line break as JSON text can hold it; raw ones stand between values only. */
export const LINE_BREAK = /\r\n|\n|\r/;

interface Cursor {
  readonly text: string;
  at: number;
}

/** Line and column of an offset, both from 1; the column counts UTF-16 units and leaves out a byte order mark. */
export function positionAt(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const lines = text.slice(text.startsWith(BOM) ? 1 : 0, offset).split(LINE_BREAK);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function fail(text: string, at: number, what: string, next: string): never {
  const { line, column } = positionAt(text, at);
  throw new CredenceError(
    'incorrect',
    'json.malformed',
    `not strict JSON at line ${line}, column ${column}: ${what}`,
    {
      next,
      data: { line, column },
    },
  );
}

function unexpected({ text, at }: Cursor): never {
  const char = text[at];
  if (char === undefined) fail(text, at, 'the text ends too early', 'Close what is still open.');
  if (char === '/') fail(text, at, 'a comment', 'Remove the comment.');
  if (char === "'") fail(text, at, 'a single quote', 'Use double quotes.');
  fail(text, at, `unexpected ${JSON.stringify(char)}`, 'Correct the text at this place.');
}

function skipSpace(cursor: Cursor): void {
  SPACE.lastIndex = cursor.at;
  SPACE.test(cursor.text);
  cursor.at = SPACE.lastIndex;
}

/** Scanned by hand: a pattern with a repeated choice keeps a stack entry for every character of a long string. */
function readString(cursor: Cursor): JsonString {
  const { text, at: start } = cursor;
  if (text[start] !== '"') unexpected(cursor);
  for (let i = start + 1; i < text.length; i++) {
    const char = text[i] ?? '';
    if (char === '"') {
      cursor.at = i + 1;
      return {
        kind: 'string',
        start,
        end: i + 1,
        value: JSON.parse(text.slice(start, i + 1)) as string,
      };
    }
    if (char < ' ')
      fail(
        text,
        i,
        'a line break or control character in a string',
        'Close the string, or escape it.',
      );
    if (char === '\\') {
      ESCAPE.lastIndex = i;
      if (!ESCAPE.test(text))
        fail(text, i, 'an escape that JSON does not know', 'Write a backslash as \\\\.');
      i = ESCAPE.lastIndex - 1;
    }
  }
  return fail(text, start, 'a string without its closing quote', 'Close the string.');
}

function readChild(cursor: Cursor, keyed: boolean, depth: number): JsonChild {
  const key = keyed ? readString(cursor) : undefined;
  if (key) {
    skipSpace(cursor);
    if (cursor.text[cursor.at] !== ':') unexpected(cursor);
    cursor.at++;
    skipSpace(cursor);
  }
  const value = readValue(cursor, depth);
  return { key, value, start: key?.start ?? value.start, end: value.end };
}

function readContainer(cursor: Cursor, kind: JsonContainer['kind'], depth: number): JsonContainer {
  const { text, at: start } = cursor;
  const close = kind === 'object' ? '}' : ']';
  if (depth > DEPTH_MAX) fail(text, start, `more than ${DEPTH_MAX} levels`, 'Nest it less deeply.');
  const children: JsonChild[] = [];
  cursor.at++;
  skipSpace(cursor);
  let comma = -1;
  while (comma >= 0 || text[cursor.at] !== close) {
    if (comma >= 0 && text[cursor.at] === close)
      fail(text, comma, 'a trailing comma', 'Remove the comma.');
    children.push(readChild(cursor, kind === 'object', depth + 1));
    skipSpace(cursor);
    comma = text[cursor.at] === ',' ? cursor.at : -1;
    if (comma < 0 && text[cursor.at] !== close) unexpected(cursor);
    if (comma >= 0) cursor.at++;
    skipSpace(cursor);
  }
  cursor.at++;
  return { kind, start, end: cursor.at, children };
}

function readValue(cursor: Cursor, depth: number): JsonNode {
  const { text, at: start } = cursor;
  if (text[start] === '{') return readContainer(cursor, 'object', depth);
  if (text[start] === '[') return readContainer(cursor, 'array', depth);
  if (text[start] === '"') return readString(cursor);
  ATOM.lastIndex = start;
  if (!ATOM.test(text)) unexpected(cursor);
  cursor.at = ATOM.lastIndex;
  return { kind: 'atom', start, end: cursor.at };
}

/**
 * Reads strict JSON (RFC 8259: no comments, no trailing commas); a byte order mark before it is passed over.
 * Duplicate keys are kept, both. Throws `json.malformed` with the line and column in the message and in `data`.
 */
export function parseJson(text: string): JsonNode {
  const cursor: Cursor = { text, at: text.startsWith(BOM) ? 1 : 0 };
  skipSpace(cursor);
  const root = readValue(cursor, 0);
  skipSpace(cursor);
  if (cursor.at < text.length) unexpected(cursor);
  return root;
}

/** The member with that key, or undefined; the last of several, which is the one that JSON readers use. */
export function memberOf(node: JsonNode | undefined, key: string): JsonChild | undefined {
  if (node?.kind !== 'object') return undefined;
  return node.children.findLast((child) => child.key?.value === key);
}
