import { isJson, type JsonScalar, mapJson } from './json.ts';
import { familyOf } from './name.ts';
import { isCardNumber } from './number.ts';
import { isDeniedWord, resolvePath } from './path.ts';
import { followKey } from './pem.ts';
import type { DeniedPaths, RedactionPolicy, Withheld } from './policy.ts';
import { commandTouchesDenied, contentForDenied } from './shell.ts';
import { commandPrintsSecret } from './shell-secret.ts';
import { isPlaceholder, isSpent } from './span.ts';
import { type RedactedParts, redactParts, withholdText } from './text.ts';
import { isSecretValue } from './value.ts';

const COMMAND_KEY = /^(?:command|cmd|script|shell_command|commands)$/i;
const ARGUMENT_KEY = /^(?:args|arguments|argv)$/i;
const FOLDER_KEY = /^(?:cwd|workdir|working_?dir(?:ectory)?)$/i;
const PATH_KEY =
  /(?:^|[_-])(?:file|path|filename|filepath|uri|target|source|src|destination|dest|glob|include|notebook|dir|directory|folder|location|document)s?$/;
/** Keys of paths under which some tools have a text. */
const TEXT_KEY = /(?:source|src|include|location|document)s?$/i;
/** What may stay beside a denied path: it names and describes, and can't be the content. */
const HARMLESS_KEY =
  /^(?:description|pattern|query|regex|type|mode|output_mode|action|operation|language|encoding|reason|explanation|tool|name|title)$/i;
/** Keys whose values are hashes or public: the entropy rule would take them for secrets. */
const PUBLIC_KEY =
  /integrity|checksum|digest|hash|etag|fingerprint|public|signature|resolved|sha\d*$|^id$/i;

function isPath(key: string, value: string): boolean {
  if (FOLDER_KEY.test(key)) return true;
  if (/^url$/i.test(key)) return /^file:/i.test(value);
  return PATH_KEY.test(key.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase());
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** What the input of a tool call names. */
interface Named {
  readonly isJson: boolean;
  readonly paths: readonly string[];
  readonly commands: readonly string[];
  readonly folder: string | undefined;
}

function namedBy(input: string | undefined): Named {
  if (input === undefined) return { isJson: false, paths: [], commands: [], folder: undefined };
  if (!isJson(input)) return { isJson: false, paths: [], commands: [input], folder: undefined };
  const paths: string[] = [];
  const commands: string[] = [];
  const args: string[] = [];
  let folder: string | undefined;
  mapJson(input, ({ kind, key, value }) => {
    if (kind !== 'string' || key === undefined) return undefined;
    if (COMMAND_KEY.test(key)) commands.push(value);
    else if (ARGUMENT_KEY.test(key)) args.push(quoted(value));
    else if (isPath(key, value)) paths.push(value);
    if (FOLDER_KEY.test(key)) folder = value;
    return undefined;
  });
  const { length } = commands;
  // A command in words, as some runtimes have it, is also read as one line.
  if (length > 1) commands.push(commands.join(' '));
  if (args.length > 0) commands.push([length === 1 ? commands[0] : 'run', ...args].join(' '));
  return { isJson: true, paths, commands, folder };
}

const isNamed = (path: string, policy: DeniedPaths) =>
  !path.includes('\n') && isDeniedWord(path, policy, policy.cwd);

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
  const cwd = named.folder === undefined ? policy.cwd : resolvePath(policy.cwd, named.folder);
  const inside = { ...policy, cwd };
  const deniedPath = [...paths, ...named.paths].some(
    (path) => isNamed(path, inside) || isNamed(path, policy),
  );
  const facts = { inputIsJson: named.isJson, deniedPath, cwd };
  if (deniedPath || named.commands.some((command) => commandTouchesDenied(command, inside)))
    return { ...facts, withholdResult: 'denied-path' };
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
  if (kind === 'key' || COMMAND_KEY.test(key) || HARMLESS_KEY.test(key)) return true;
  return isPath(key, value) && (!TEXT_KEY.test(key) || isNamed(value, policy));
}

/** Redacts JSON so that it stays JSON: value by value, each with the key that it stands under. */
function redactJson(json: string, policy: RedactionPolicy, how: Json): Redacted {
  const values: Withheld[] = [];
  const goesOnWithKey = followKey();
  let withheld = false;
  const text = mapJson(json, (scalar) => {
    const { kind, value, key = '' } = scalar;
    const isCommand = how.kind === 'prose' && COMMAND_KEY.test(key);
    const secret = kind === 'key' ? undefined : (namedRule(scalar, isCommand) ?? cardRule(scalar));
    if (kind === 'number' && secret === undefined) return undefined;
    const isDenied = how.deniedPath && !isKept(scalar, policy);
    const isKey = kind === 'string' && goesOnWithKey(value);
    const whole = isDenied ? 'denied-path' : isKey ? 'private-key' : undefined;
    // A number that its key calls an order's is not looked at again without the key.
    if ((whole ?? secret) === undefined && /^\d{14,16}$/.test(value)) return undefined;
    let parts: RedactedParts;
    if (whole === undefined) {
      const textKind = isCommand ? 'command' : PUBLIC_KEY.test(key) ? 'prose' : how.kind;
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

/** The command without what it writes into denied files. */
function withoutContent(command: string, policy: RedactionPolicy, values: Withheld[]): string {
  let text = '';
  let from = 0;
  for (const { start, end } of contentForDenied(command, policy)) {
    const part = command.slice(start, end);
    if (start < from || isSpent(part)) continue;
    const parts = withholdText(part, 'denied-path', policy);
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
