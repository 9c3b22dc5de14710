import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'smol-toml';
import { CredenceError, codeOf, messageOf } from '../base/errors.ts';
import { writeFileAtomically } from './small-file.ts';

/** The user's `config.toml` as a value; empty where there is none. Throws `config.malformed` with its place. */
export function readConfig(path: string): Record<string, unknown> {
  try {
    return parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    throw new CredenceError('configuration', 'config.malformed', `${path}: ${messageOf(error)}`, {
      cause: error,
      next: 'correct the file; nothing was changed',
    });
  }
}

function literal(value: string | boolean | readonly string[]): string {
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

/**
 * Sets one key in TOML text and leaves every other line, comments too, as it is. `name` is `key` or
 * `table.key`.
 */
export function setInToml(
  text: string,
  name: string,
  value: string | boolean | readonly string[],
): string {
  const dot = name.indexOf('.');
  const table = dot < 0 ? '' : name.slice(0, dot);
  const key = dot < 0 ? name : name.slice(dot + 1);
  const line = `${key} = ${literal(value)}`;
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const header = (at: number) => /^\s*\[([^\]]+)\]\s*(?:#.*)?$/.exec(lines[at] ?? '')?.[1]?.trim();
  let from = table === '' ? 0 : lines.findIndex((_, i) => header(i) === table) + 1;
  if (table !== '' && from === 0) {
    lines.push(...(lines.length > 0 ? [''] : []), `[${table}]`);
    from = lines.length;
  }
  let to = lines.findIndex((_, i) => i >= from && header(i) !== undefined);
  if (to < 0) to = lines.length;
  const known = lines.findIndex(
    (text, i) => i >= from && i < to && new RegExp(`^\\s*${key}\\s*=`).test(text),
  );
  if (known >= 0) lines[known] = line;
  else {
    let at = to;
    while (at > from && (lines[at - 1] ?? '').trim() === '') at--;
    lines.splice(at, 0, line);
  }
  return `${lines.join('\n')}\n`;
}

/** Sets keys in the user's `config.toml`, in one atomic write. */
export function writeConfig(
  path: string,
  values: Readonly<Record<string, string | boolean | readonly string[]>>,
): void {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  for (const [name, value] of Object.entries(values)) text = setInToml(text, name, value);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileAtomically(path, text);
}
