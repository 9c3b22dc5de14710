import { isJson, type JsonScalar, mapJson } from './json.ts';
import { meaningOf } from './key.ts';
import { familyOf } from './name.ts';
import { isCardNumber } from './number.ts';
import { isDeniedWord, resolvePath } from './path.ts';
import { followKey } from './pem.ts';
import type { DeniedPaths, RedactionPolicy, Withheld } from './policy.ts';
import { commandTouchesDenied } from './shell.ts';
import { secretsFed } from './shell-fed.ts';
import { commandPrintsSecret } from './shell-secret.ts';
import { codeNamesDenied, codeWritesDenied } from './shell-step.ts';
import { contentForDenied } from './shell-write.ts';
import { isPlaceholder, isSpent } from './span.ts';
import { type RedactedParts, redactParts, withholdText } from './text.ts';
import { isSecretValue } from './value.ts';

/** True for a value that names a file or a folder by its key. */
function isPath(key: string, value: string): boolean {
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
const isNamed = (path: string, policy: DeniedPaths) =>
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

/** A text and the values that were held back from it. */
export interface Redacted {
  readonly text: string;
  readonly values: readonly Withheld[];
  readonly withheld: boolean;
}

/** As far as a value is looked at to tell whether it is a secret. */
const LOOK_MAX = 1024;

/** The rule of a value that its name makes a secret; undefined where it is none. */
function namedRule({ kind, value, name }: JsonScalar, command: boolean): string | undefined {
  const family = name === undefined ? undefined : familyOf(name);
  if (family === undefined || name === undefined) return undefined;
  const secret =
    kind === 'number'
      ? family === 'password' && value.length >= 4
      : isSecretValue(
          { name, family, value: value.slice(0, LOOK_MAX), form: 'quoted', next: '"' },
          command,
        );
  return secret ? `named-${family === 'pass' ? 'password' : family}` : undefined;
}

/** The rule of a card number that stands alone: there its key is what says that it is none. */
function cardRule({ value, key = '' }: JsonScalar): string | undefined {
  return /^\d{14,16}$/.test(value) && isCardNumber(value, `${key}: `) ? 'card-number' : undefined;
}

interface Json {
  readonly kind: 'prose' | 'output';
  readonly deniedPath: boolean;
}

/** True for what may stay in a call on a denied path. */
function isKept({ kind, value, key = '' }: JsonScalar, policy: DeniedPaths): boolean {
  const { kind: meaning } = meaningOf(key);
  if (kind === 'key' || meaning === 'command' || meaning === 'note') return true;
  return isPath(key, value) && (meaning !== 'text' || isNamed(value, policy));
}

/** Redacts JSON so that it stays JSON: value by value, each with the key that it stands under. */
function redactJson(json: string, policy: RedactionPolicy, how: Json): Redacted {
  const values: Withheld[] = [];
  const goesOnWithKey = followKey();
  let withheld = false;
  const text = mapJson(json, (scalar) => {
    const { kind, value, key = '' } = scalar;
    const { kind: meaning, isPublic } = meaningOf(key);
    const isCommand = how.kind === 'prose' && meaning === 'command';
    const secret = kind === 'key' ? undefined : (namedRule(scalar, isCommand) ?? cardRule(scalar));
    if (kind === 'number' && secret === undefined) return undefined;
    const isWriting =
      how.kind === 'prose' && meaning === 'code' && codeWritesDenied(value, [policy.cwd], policy);
    const isDenied = isWriting || (how.deniedPath && !isKept(scalar, policy));
    const isKey = kind === 'string' && goesOnWithKey(value);
    const whole = isDenied ? 'denied-path' : isKey ? 'private-key' : undefined;
    // A number that its key calls an order's is not looked at again without the key.
    if ((whole ?? secret) === undefined && /^\d{14,16}$/.test(value)) return undefined;
    let parts: RedactedParts;
    if (whole === undefined) {
      const textKind = isCommand ? 'command' : isPublic ? 'prose' : how.kind;
      const looked = isCommand ? withoutContent(value, policy, values) : value;
      parts = redactParts(looked, textKind, policy);
      if (secret !== undefined && !isPlaceholder(parts.text))
        parts = withholdText(value, secret, policy);
    } else {
      parts = withholdText(value, whole, policy);
    }
    for (const one of parts.values) values.push(one);
    withheld ||= parts.withheld && (whole !== undefined || secret === undefined);
    return parts.text === value ? undefined : parts.text;
  });
  return { text, values, withheld };
}

/** The command without what it writes into denied files, and what it feeds to others as a password. */
function withoutContent(command: string, policy: RedactionPolicy, values: Withheld[]): string {
  const held = [
    ...contentForDenied(command, policy).map((place) => ({ ...place, rule: 'denied-path' })),
    ...secretsFed(command).map((place) => ({ ...place, rule: 'argument-password' })),
  ].sort((a, b) => a.start - b.start);
  let text = '';
  let from = 0;
  for (const { start, end, rule } of held) {
    const part = command.slice(start, end);
    if (start < from || isSpent(part)) continue;
    const parts = withholdText(part, rule, policy);
    values.push(...parts.values);
    text += command.slice(from, start) + parts.text + (part.endsWith('\n') ? '\n' : '');
    from = end;
  }
  return text + command.slice(from);
}

/** The input of a tool call. JSON stays JSON; anything else is a command or a patch. */
export function redactInput(input: string, facts: CallFacts, policy: RedactionPolicy): Redacted {
  const { inputIsJson, deniedPath, cwd } = facts;
  const inside = { ...policy, cwd };
  if (inputIsJson) return redactJson(input, inside, { kind: 'prose', deniedPath });
  if (deniedPath) return withholdText(input, 'denied-path', policy);
  const values: Withheld[] = [];
  const parts = redactParts(withoutContent(input, inside, values), 'command', inside);
  return { ...parts, values: [...values, ...parts.values] };
}

/** The result of a tool call. */
export function redactResult(result: string, facts: CallFacts, policy: RedactionPolicy): Redacted {
  const { withholdResult, cwd } = facts;
  if (withholdResult !== undefined) return withholdText(result, withholdResult, policy);
  const inside = { ...policy, cwd };
  if (isJson(result)) return redactJson(result, inside, { kind: 'output', deniedPath: false });
  return redactParts(result, 'output', inside);
}
