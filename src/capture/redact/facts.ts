import { isJson, mapJson } from './json.ts';
import { meaningOf } from './key.ts';
import { isDeniedWord, resolvePath } from './path.ts';
import type { DeniedPaths } from './policy.ts';
import { commandTouchesDenied } from './shell.ts';
import { commandPrintsSecret } from './shell-secret.ts';
import { codeNamesDenied } from './shell-step.ts';

/** True for a value that names a file or a folder by its key. */
export function isPath(key: string, value: string): boolean {
  const { kind } = meaningOf(key);
  return (
    kind === 'path' || kind === 'folder' || kind === 'text' || (kind === 'url' && isFileUrl(value))
  );
}

const isFileUrl = (value: string) => /^file:/i.test(value);
const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** What the input of a tool call names. */
interface Named {
  readonly isJson: boolean;
  readonly paths: readonly string[];
  readonly commands: readonly string[];
  readonly code: readonly string[];
  readonly folder: string | undefined;
}

function namedBy(input: string | undefined): Named {
  const paths: string[] = [];
  const commands: string[] = [];
  const code: string[] = [];
  const args: string[] = [];
  let folder: string | undefined;
  let isShell = false;
  if (input === undefined || !isJson(input)) {
    if (input !== undefined) commands.push(input);
    return { isJson: false, paths, commands, code, folder };
  }
  mapJson(input, ({ kind, key, value }) => {
    if (kind !== 'string' || key === undefined) return undefined;
    const { kind: meaning } = meaningOf(key);
    if (meaning === 'command') commands.push(value);
    else if (meaning === 'code') code.push(value);
    else if (meaning === 'arguments') args.push(quoted(value));
    else if (isPath(key, value)) paths.push(value);
    if (meaning === 'folder') folder = value;
    if (meaning === 'note') isShell ||= /^(?:(?:ba|z)?sh|shell|pwsh|powershell)$/i.test(value);
    return undefined;
  });
  const { length } = commands;
  // A command in words, as some runtimes have it, is also read as one line.
  if (length > 1) commands.push(commands.join(' '));
  if (args.length > 0) commands.push([length === 1 ? commands[0] : 'run', ...args].join(' '));
  // Of what language it is, another key says.
  if (isShell) commands.push(...code);
  return { isJson: true, paths, commands, code, folder };
}

// No shell expands these, and what a search finds by a wide glob is told by the names in its result.
export const isNamed = (path: string, policy: DeniedPaths) =>
  !path.includes('\n') && isDeniedWord(path, policy, policy.cwd, true);

/** No folder is longer; each word of a command is read from it. */
const FOLDER_MAX = 4096;

/** So many paths are tried as the folder of the others, none longer than any folder is. */
const PARENTS_MAX = 2;
const PARENT_MAX = 256;

const bounded = (folder: string | undefined) =>
  folder !== undefined && folder.length <= FOLDER_MAX ? folder : undefined;

/** What a tool call says about where its result comes from. */
export interface CallFacts {
  readonly inputIsJson: boolean;
  /** A path argument is denied: what the call writes or reads is not recorded. */
  readonly deniedPath: boolean;
  /** The rule under which the result is withheld; undefined where it is recorded. */
  readonly withholdResult: string | undefined;
  /** The folder that its relative paths start from. */
  readonly cwd: string | undefined;
}

/** Reads paths and commands from a tool's input (JSON or plain text) and its listed paths. */
export function factsOf(
  input: string | undefined,
  paths: readonly string[],
  policy: DeniedPaths,
): CallFacts {
  const named = namedBy(input);
  const start = bounded(policy.cwd);
  const folder = bounded(named.folder);
  const cwd = folder === undefined ? start : resolvePath(start, folder);
  const inside = { ...policy, cwd };
  // A folder and a file in it can stand under two keys.
  const parents = named.paths.slice(0, PARENTS_MAX).filter((path) => path.length <= PARENT_MAX);
  const folders = new Set([cwd, start, ...parents.map((path) => resolvePath(cwd, path))]);
  const places = [...folders].map((one) => ({ ...policy, cwd: one }));
  const deniedPath = [...paths, ...named.paths].some((path) =>
    places.some((place) => isNamed(path, place)),
  );
  const facts = { inputIsJson: named.isJson, deniedPath, cwd };
  const isDenied =
    named.commands.some((command) => commandTouchesDenied(command, inside)) ||
    named.code.some((code) => codeNamesDenied(code, [cwd], policy));
  if (deniedPath || isDenied) return { ...facts, withholdResult: 'denied-path' };
  const prints = named.commands.some(commandPrintsSecret);
  return { ...facts, withholdResult: prints ? 'secret-command' : undefined };
}
