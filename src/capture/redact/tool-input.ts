import { isJson, type JsonScalar, mapJson } from './json.ts';
import { familyOf } from './name.ts';
import { isCardNumber } from './number.ts';
import { isDeniedPath, isDeniedPattern, resolvePath } from './path.ts';
import type { RedactionPolicy, TextKind, Withheld } from './policy.ts';
import { commandPrintsSecret, commandTouchesDenied, contentForDenied } from './shell.ts';
import { isPlaceholder, isSpent } from './span.ts';
import { redactParts, withholdText } from './text.ts';
import { isSecretValue } from './value.ts';

const COMMAND_KEY = /^(?:command|cmd|script|shell_command|commands)$/i;
const PATH_KEY =
  /(?:^|[_-])(?:file|path|filename|filepath|uri|target|source|src|destination|dest|glob|include|notebook)s?$/;
/** What may stay beside a denied path: it names and describes, and can't be the content. */
const HARMLESS_KEY =
  /^(?:description|pattern|query|regex|type|mode|output_mode|action|operation|language|encoding|reason|explanation|tool|name|title)$/i;
/** Keys whose values are hashes or public: the entropy rule would take them for secrets. */
const PUBLIC_KEY =
  /integrity|checksum|digest|hash|etag|fingerprint|public|signature|resolved|sha\d*$|^id$/i;

const isPathKey = (key: string) =>
  PATH_KEY.test(key.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase());

/** What a tool call says about where its result comes from. */
export interface CallFacts {
  readonly inputIsJson: boolean;
  /** A path argument is denied: what the call writes or reads is not recorded. */
  readonly deniedPath: boolean;
  /** The rule under which the result is withheld; undefined where it is recorded. */
  readonly withholdResult: string | undefined;
}

/** Reads paths and commands from a tool's input (JSON or plain text) and its listed paths. */
export function factsOf(
  input: string | undefined,
  paths: readonly string[],
  cwd: string | undefined,
  policy: RedactionPolicy,
): CallFacts {
  const denied = (path: string) =>
    isDeniedPattern(path, policy) || isDeniedPath(resolvePath(cwd, path), policy);
  let deniedPath = paths.some(denied);
  const inputIsJson = input !== undefined && isJson(input);
  const commands: string[] = [];
  if (input !== undefined && inputIsJson) {
    mapJson(input, ({ kind, key, value }) => {
      if (kind !== 'string' || key === undefined) return undefined;
      if (COMMAND_KEY.test(key)) commands.push(value);
      else if (isPathKey(key) && denied(value)) deniedPath = true;
      return undefined;
    });
  } else if (input !== undefined) {
    commands.push(input);
  }
  // A command in words, as some runtimes have it, is also read as one line.
  if (commands.length > 1) commands.push(commands.join(' '));
  const touched = deniedPath || commands.some((command) => commandTouchesDenied(command, policy));
  if (touched) return { inputIsJson, deniedPath, withholdResult: 'denied-path' };
  const prints = commands.some(commandPrintsSecret);
  return { inputIsJson, deniedPath, withholdResult: prints ? 'secret-command' : undefined };
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

/** Redacts JSON so that it stays JSON: value by value, each with the key that it stands under. */
function redactJson(
  json: string,
  policy: RedactionPolicy,
  how: { readonly kind: 'prose' | 'output'; readonly deniedPath: boolean },
): Redacted {
  const values: Withheld[] = [];
  let withheld = false;
  const text = mapJson(json, (scalar) => {
    const { kind, value, key = '' } = scalar;
    const isCommand = how.kind === 'prose' && COMMAND_KEY.test(key);
    const secret = kind === 'key' ? undefined : (namedRule(scalar, isCommand) ?? cardRule(scalar));
    if (kind === 'number' && secret === undefined) return undefined;
    const textKind: TextKind = isCommand ? 'command' : PUBLIC_KEY.test(key) ? 'prose' : how.kind;
    const kept = kind === 'key' || isCommand || isPathKey(key) || HARMLESS_KEY.test(key);
    // A number that its key calls an order's is not looked at again without the key.
    if (secret === undefined && /^\d{14,16}$/.test(value)) return undefined;
    let parts = redactParts(
      isCommand ? withoutContent(value, policy, values) : value,
      textKind,
      policy,
    );
    if (how.deniedPath && !kept) parts = withholdText(value, 'denied-path', policy);
    else if (secret !== undefined && !isPlaceholder(parts.text))
      parts = withholdText(value, secret, policy);
    values.push(...parts.values);
    withheld ||= parts.withheld && secret === undefined;
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
  if (facts.inputIsJson)
    return redactJson(input, policy, { kind: 'prose', deniedPath: facts.deniedPath });
  if (facts.deniedPath) return withholdText(input, 'denied-path', policy);
  const values: Withheld[] = [];
  const parts = redactParts(withoutContent(input, policy, values), 'command', policy);
  return { ...parts, values: [...values, ...parts.values] };
}

/** The result of a tool call. */
export function redactResult(result: string, facts: CallFacts, policy: RedactionPolicy): Redacted {
  if (facts.withholdResult !== undefined) return withholdText(result, facts.withholdResult, policy);
  if (isJson(result)) return redactJson(result, policy, { kind: 'output', deniedPath: false });
  return redactParts(result, 'output', policy);
}
