import { isDeniedPath, isDeniedPattern } from './path.ts';
import type { DeniedPaths } from './policy.ts';
import { NESTING_MAX, readCommands, type SimpleCommand, type Word } from './shell-read.ts';

const WRAPPER =
  /^(?:sudo|doas|env|command|builtin|exec|nohup|time|nice|ionice|stdbuf|timeout|xargs|then|do|else|elif|if|while|until|!|\{)$/;
const SHELL = /^(?:sh|bash|zsh|dash|ksh|fish|eval|ssh|su)$/;
const INTERPRETER = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php|tsx)$/;
/** They name files, move or make them, but print nothing of their content. */
const SILENT =
  /^(?:ls|ll|stat|rm|touch|test|\[|\[\[|chmod|chown|mkdir|rmdir|echo|printf|basename|dirname|realpath|readlink|which|du|mv|cp|ln|ssh-add|cd|pushd|exit|return)$/;
const SILENT_GIT =
  /^(?:add|rm|status|check-ignore|ls-files|commit|restore|checkout|stash|reset|mv|tag|branch|update-index|clean|push|pull|fetch)$/;
/** Their first argument is a pattern or a program, no file. */
const PATTERN_FIRST = /^(?:grep|egrep|fgrep|rg|ag|ack|sed|awk|gawk|jq|yq)$/;
const BEFORE_VALUE =
  /^(?:-[gtTABCmejf]|--(?:i?glob|type|regexp|max-count|include|exclude|arg|argjson))$/;
/** Their long arguments are messages, in which a path is only a word. */
const MESSAGING = /^(?:gh|glab|claude|codex|gemini|cursor-agent|opencode|hermes)$/;

interface Call {
  readonly program: string;
  readonly words: readonly Word[];
}

/** The program of a command and its arguments, without assignments and wrappers before it. */
function callOf({ words }: SimpleCommand): Call {
  let first = 0;
  for (; first < words.length; first++) {
    const text = words[first]?.text ?? '';
    const ofWrapper = first > 0 && (text.startsWith('-') || /^\d+s?$/.test(text));
    if (!/^\w+=/.test(text) && !WRAPPER.test(text) && !ofWrapper) break;
  }
  const program = words[first]?.text.split(/[/\\]/).at(-1) ?? '';
  return { program, words: words.slice(first + 1) };
}

/** The arguments that can be files whose content is shown. */
function shownArguments({ program, words }: Call, source: string): readonly Word[] {
  const before = (i: number) => words[i - 1]?.text ?? '';
  if (SILENT.test(program)) return [];
  if (program === 'find') return /\bxargs\b|-exec|\bread\b|\bcat\b/.test(source) ? words : [];
  if (program === 'git') {
    const verb = words.find(({ text }) => !text.startsWith('-'))?.text ?? '';
    return SILENT_GIT.test(verb) ? [] : words;
  }
  if (/^(?:ssh|scp|sftp|rsync)$/.test(program)) return words.filter((_, i) => before(i) !== '-i');
  if (PATTERN_FIRST.test(program)) {
    const explicit = words.some(
      ({ text }) => text === '-e' || text === '--regexp' || text === '-f',
    );
    const pattern = explicit
      ? -1
      : words.findIndex(({ text }, i) => !text.startsWith('-') && !BEFORE_VALUE.test(before(i)));
    // A path inside a document, as jq has it, looks like a hidden file.
    const isFilter = (text: string) => /^[jy]q$/.test(program) && /^\.[^/]*$/.test(text);
    return words.filter(
      ({ text }, i) => i !== pattern && !/^(?:-e|--regexp)$/.test(before(i)) && !isFilter(text),
    );
  }
  if (MESSAGING.test(program)) return words.filter(({ text }) => !/\s/.test(text));
  return words.filter(({ text }) => text.split(/\s+/).length < 8);
}

function isDeniedWord(word: Word, source: string, policy: DeniedPaths): boolean {
  const raw = source.slice(word.start, word.end);
  // A path for Windows loses its backslashes in a POSIX shell, not in the one that it was written for.
  if (raw.includes('\\') && !raw.startsWith("'") && isDeniedPath(raw, policy)) return true;
  // name=file, @file, host:file, revision:file, a:b for a mount
  const parts = /[=@:,]/.test(word.text) ? word.text.split(/[=@:,]/) : [];
  return [word.text, ...parts].some((part) => isDeniedPattern(part, policy));
}

/** Code as an argument: its string literals are what can name a file. */
function codeNamesDenied(code: string, policy: DeniedPaths): boolean {
  for (const [, , literal = ''] of code.matchAll(/(["'`])([^"'`\n]{1,512})\1/g)) {
    if (isDeniedPath(literal, policy)) return true;
  }
  return false;
}

function callTouches(call: Call, source: string, policy: DeniedPaths, depth: number): boolean {
  const { program, words } = call;
  if (SHELL.test(program) && depth < NESTING_MAX) {
    const texts = words.map(({ text }) => text);
    const nested = program === 'eval' ? [texts.join(' ')] : texts.filter((text) => /\s/.test(text));
    if (nested.some((text) => touches(text, policy, depth + 1))) return true;
  }
  if (INTERPRETER.test(program)) {
    const flag = words.findIndex(({ text }) => /^-(?:e|c|p|pe|ne|r|-eval|-print)$/.test(text));
    if (flag >= 0) {
      if (codeNamesDenied(words[flag + 1]?.text ?? '', policy)) return true;
      return words.some((word, i) => i !== flag + 1 && isDeniedWord(word, source, policy));
    }
  }
  return shownArguments(call, source).some((word) => isDeniedWord(word, source, policy));
}

function documentTouches(
  text: string,
  program: string,
  policy: DeniedPaths,
  depth: number,
): boolean {
  if (SHELL.test(program)) return depth < NESTING_MAX && touches(text, policy, depth + 1);
  return INTERPRETER.test(program) && codeNamesDenied(text, policy);
}

function touches(source: string, policy: DeniedPaths, depth: number): boolean {
  const denied = (word: Word) => isDeniedWord(word, source, policy);
  return readCommands(source).some((command) => {
    if (command.reads.some(denied) || command.writes.some(denied)) return true;
    const call = callOf(command);
    if (callTouches(call, source, policy, depth)) return true;
    // A file can be named before the program, too: F=.env; cat $F
    if (command.words.some((word) => /^\w+=/.test(word.text) && denied(word))) return true;
    return command.documents.some(({ text }) => documentTouches(text, call.program, policy, depth));
  });
}

/**
 * True where a shell command can print a denied file, or writes one: by its arguments, its redirections, a nested
 * shell, or the string literals of code given to an interpreter. Commands that only name, list, move or stage
 * files are left alone, so that `git add .env` keeps its output.
 */
export function commandTouchesDenied(command: string, policy: DeniedPaths): boolean {
  return touches(command, policy, 0);
}

/** The parts of a command that become the content of a denied file: here-documents, and what `echo` or `printf` print. */
export function contentForDenied(source: string, policy: DeniedPaths): readonly Word[] {
  const commands = readCommands(source);
  const writesDenied = commands.some((command) => {
    const { program, words } = callOf(command);
    const targets = program === 'tee' ? [...command.writes, ...words] : command.writes;
    return targets.some((word) => isDeniedWord(word, source, policy));
  });
  if (!writesDenied) return [];
  return commands.flatMap((command) => {
    const { program, words } = callOf(command);
    const printed = /^(?:echo|printf)$/.test(program)
      ? words.filter(({ text }) => !/^-[neE]+$/.test(text))
      : [];
    return [...command.documents, ...printed];
  });
}

/** Programs, and the arguments with which they print a secret by purpose. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  kubectl: /\bget\s+secrets?\b.*\s(?:-o|--output|--template)/s,
  vault: /^(?:kv\s+get|read)\b/,
  op: /^(?:read|item\s+get)\b/,
  security: /^find-\w+-password\b.*\s-[a-z]*[wg]/s,
  pass: /^show\b/,
  'secret-tool': /^lookup\b/,
  gcloud: /^(?:auth\s.*print-\w+-token|secrets\s+versions\s+access)/s,
  aws: /^(?:secretsmanager\s+get-secret-value|ssm\s+get-parameters?\b.*--with-decryption|ecr\s+get-login-password|configure\s+export-credentials|sts\s+(?:assume-role|get-session-token))/s,
  az: /^(?:account\s+get-access-token|keyvault\s+secret\s+show)/,
  heroku: /^config:get/,
  doppler: /^secrets\s+(?:get|download)/,
  bw: /^get\s+(?:password|item|totp)/,
  gh: /^auth\s+token/,
};
const ARGUMENTS_MAX = 2000;

/**
 * True for commands whose output is a secret by purpose, with nothing in it that a rule could see:
 * `gh auth token`, `vault kv get`, `kubectl get secret -o yaml`.
 */
export function commandPrintsSecret(command: string): boolean {
  return readCommands(command).some((simple) => {
    const { program, words } = callOf(simple);
    if (!Object.hasOwn(PRINTS, program)) return false;
    const line = words.map(({ text }) => text).join(' ');
    return PRINTS[program]?.test(line.slice(0, ARGUMENTS_MAX)) ?? false;
  });
}
