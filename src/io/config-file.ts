import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import { CredenceError, codeOf, messageOf } from '../base/errors.ts';
import { replaceFile } from './small-file.ts';

type Value = string | number | boolean | readonly string[];
type Table = Record<string, unknown>;

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw new CredenceError('configuration', 'config.unreadable', `${path}: ${messageOf(error)}`, {
      cause: error,
      next: 'make it a file that this user can read',
    });
  }
}

/** The user's `config.toml` as a value; empty where there is none. Throws `config.malformed`, `config.unreadable`. */
export function readConfig(path: string): Record<string, unknown> {
  const toml = readText(path);
  try {
    return parse(toml) as Record<string, unknown>;
  } catch (error) {
    throw new CredenceError('configuration', 'config.malformed', `${path}: ${messageOf(error)}`, {
      cause: error,
      next: 'correct the file; nothing was changed',
    });
  }
}

function text(value: string): string {
  // JSON's escapes are TOML's too, but for one character that only JSON takes as it is.
  return JSON.stringify(value.toWellFormed()).replaceAll('\u007f', '\\u007f');
}

function literal(value: Value): string {
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  return typeof value === 'string' ? text(value) : `[${value.map(text).join(',')}]`;
}

/** A run of lines that is one thing of a TOML text: a table's name, a key with its value, or nothing. */
interface Statement {
  readonly from: number;
  readonly to: number;
  /** The table that begins here; empty for one that is not a plain table. */
  readonly opens?: string;
  readonly key?: string;
}

/** Where the value of the key that begins on a line ends: values can go on over lines. */
function statementAt(lines: readonly string[], from: number): Statement {
  const line = (lines[from] ?? '').trim();
  if (line === '' || line.startsWith('#')) return { from, to: from + 1 };
  if (line.startsWith('[')) {
    const opens = /^\[([^[\]"']+)\]\s*(?:#.*)?$/.exec(line)?.[1]?.trim() ?? '';
    return { from, to: from + 1, opens };
  }
  for (let to = from + 1; to <= lines.length; to++) {
    const value = tryParse(`${lines.slice(from, to).join('\n')}\n`);
    const [key] = Object.keys(value ?? {});
    if (key !== undefined) return { from, to, key };
  }
  return { from, to: from + 1 };
}

function tryParse(toml: string): Table | undefined {
  try {
    return parse(toml);
  } catch {
    return undefined;
  }
}

/** The lines with one of them set: over the key where it stands in its table, at the table's end where it doesn't, else in a new table. */
function withLine(lines: readonly string[], table: string, key: string, line: string): string[] {
  let current = '';
  let end = table === '' ? 0 : undefined;
  for (let from = 0; from < lines.length; ) {
    const statement = statementAt(lines, from);
    current = statement.opens ?? current;
    if (current === table) {
      if (statement.key === key) return lines.toSpliced(from, statement.to - from, line);
      if ((lines[from] ?? '').trim() !== '') end = statement.to;
    }
    from = statement.to;
  }
  if (end !== undefined) return lines.toSpliced(end, 0, line);
  return [...lines, ...(lines.length > 0 ? [''] : []), `[${table}]`, line];
}

/** The names on the way to a key; a table's own name may have dots. */
const pathOf = (table: string, key: string) => [...(table === '' ? [] : table.split('.')), key];

function valueAt(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  const inner = typeof value === 'object' ? (value as Table | undefined)?.[name] : undefined;
  return rest.length === 0 ? inner : valueAt(inner, rest);
}

/** A parsed text without one key, and without each table on the way to it in which nothing else stands. */
function without(value: Table, [name = '', ...rest]: readonly string[]): Table {
  const { [name]: inner, ...others } = value;
  if (rest.length === 0 || typeof inner !== 'object') return others;
  const left = without(inner as Table, rest);
  return Object.keys(left).length > 0 ? { ...others, [name]: left } : others;
}

/**
 * Sets one key in TOML text and leaves every other line, comments too, as it is. `name` is `key` or `table.key`, and a table's name may have dots.
 * Throws `config.form` where the text, which `path` names to people, is written in a way in which that can't be done.
 */
export function setInToml(toml: string, name: string, value: Value, path = 'this file'): string {
  const dot = name.lastIndexOf('.');
  const table = dot < 0 ? '' : name.slice(0, dot);
  const key = dot < 0 ? name : name.slice(dot + 1);
  const [before, wanted] = [tryParse(toml), parse(`value = ${literal(value)}`)['value']];
  if (isDeepStrictEqual(valueAt(before, pathOf(table, key)), wanted)) return toml;
  const lines = toml === '' ? [] : toml.replace(/\n$/, '').split('\n');
  const written = `${withLine(lines, table, key, `${key} = ${literal(value)}`).join('\n')}\n`;
  const after = tryParse(written);
  const isSet = isDeepStrictEqual(valueAt(after, pathOf(table, key)), wanted);
  const isRest =
    before !== undefined &&
    after !== undefined &&
    isDeepStrictEqual(without(before, pathOf(table, key)), without(after, pathOf(table, key)));
  if (isSet && isRest) return written;
  throw new CredenceError('configuration', 'config.form', `${name} cannot be set in ${path}`, {
    next: `write ${name} into it by hand; it is not in a form that can be edited safely`,
  });
}

/** Sets keys in the user's `config.toml`, in one atomic write. Throws `config.malformed`, `config.form`. */
export function writeConfig(path: string, values: Readonly<Record<string, Value>>): void {
  readConfig(path);
  let toml = readText(path);
  for (const [name, value] of Object.entries(values)) toml = setInToml(toml, name, value, path);
  replaceFile(path, toml);
}
