import { isDeniedFrom, isDeniedPath, isDeniedWord, resolvePath } from './path.ts';
import type { DeniedPaths } from './policy.ts';
import {
  type Call,
  callOf,
  isInterpreter,
  isShell,
  nestedCommands,
  shownArguments,
  showsNamesOnly,
  takesNames,
} from './shell-call.ts';
import { eachCommand, type Fed, NESTING_MAX, type SimpleCommand, type Word } from './shell-read.ts';

/** One command of a text, and what can be known of it from those before. */
interface Step {
  readonly command: SimpleCommand;
  readonly call: Call;
  readonly source: string;
  /** Where it may run: in the folder of the whole, and where the last `cd` went. */
  readonly folders: readonly (string | undefined)[];
  /** What a command only lists can be read by another one. */
  readonly readsLists: () => boolean;
}

/** Takes the commands of a text one by one; true where the visit ended early. */
function eachStep(source: string, { cwd }: DeniedPaths, visit: (step: Step) => boolean): boolean {
  let folders: readonly (string | undefined)[] = [cwd];
  let reads: boolean | undefined;
  const readsLists = () => {
    reads ??= /\bxargs\b|-exec|\bread\b|\bcat\b/.test(source);
    return reads;
  };
  return eachCommand(source, (command) => {
    const call = callOf(command);
    const step = { command, call, source, folders, readsLists };
    if (/^(?:cd|pushd)$/.test(call.program)) folders = [cwd, entered(folders.at(-1), call)];
    return visit(step);
  });
}

/** No folder of a real command is longer; each word is read from it. */
const FOLDER_MAX = 256;

function entered(from: string | undefined, { words }: Call): string | undefined {
  const target = words.find(({ text }) => !text.startsWith('-'))?.text ?? '~';
  const folder = resolvePath(from, target.slice(0, FOLDER_MAX));
  return folder.length > FOLDER_MAX ? from : folder;
}

function isDenied(word: Word, { source, folders }: Step, policy: DeniedPaths): boolean {
  const raw = source.slice(word.start, word.end);
  // A path for Windows loses its backslashes in a POSIX shell, not in the one that it was written for.
  if (raw.includes('\\') && !raw.startsWith("'") && isDeniedPath(raw, policy)) return true;
  // name=file, @file, host:file, revision:file, a:b for a mount
  const isQuoted = raw !== word.text;
  const isOne = (part: string) =>
    folders.some((folder) => isDeniedWord(part, policy, folder, isQuoted));
  return isOne(word.text) || (/[=@:,]/.test(word.text) && word.text.split(/[=@:,]+/).some(isOne));
}

/** As far as a string literal is read that may be a path. */
const LITERAL_MAX = 512;

/** Code: what stands between two equal quotes of a line can name a file, whichever of them open. */
function codeNamesDenied(code: string, { folders }: Step, policy: DeniedPaths): boolean {
  const from = folders.filter((folder) => folder !== undefined);
  let last: Record<string, number> = {};
  for (const { 0: sign, index } of code.matchAll(/["'`\n]/g)) {
    const start = last[sign];
    if (sign === '\n') last = {};
    else last[sign] = index + 1;
    if (start === undefined || index - start > LITERAL_MAX) continue;
    if (isDeniedFrom(from, code.slice(start, index), policy)) return true;
  }
  return false;
}

function callTouches(step: Step, policy: DeniedPaths, depth: number): boolean {
  const { call, folders } = step;
  const { words } = call;
  if (depth < NESTING_MAX) {
    const inside = { ...policy, cwd: folders.at(-1) };
    if (nestedCommands(call).some((text) => touches(text, inside, depth + 1))) return true;
  }
  if (isInterpreter(call)) {
    const flag = words.findIndex(({ text }) => /^-(?:e|c|p|pe|ne|r|-eval|-print)$/.test(text));
    const code = words[flag + 1]?.text ?? '';
    if (flag >= 0) {
      if (codeNamesDenied(code, step, policy)) return true;
      return words.some((word, i) => i !== flag + 1 && isDenied(word, step, policy));
    }
  }
  const shown = call.program === 'find' && step.readsLists() ? words : shownArguments(call);
  return shown.some((word) => isDenied(word, step, policy));
}

function documentTouches(fed: Fed, step: Step, policy: DeniedPaths, depth: number): boolean {
  const { text, isQuoted } = fed;
  if (depth < NESTING_MAX) {
    const inside = { ...policy, cwd: step.folders.at(-1) };
    if (isShell(step.call)) return touches(text, inside, depth + 1);
    // As in double quotes, what stands there is expanded and nothing else.
    if (!isQuoted && touches(`"${text.replaceAll('"', ' ')}"`, inside, depth + 1)) return true;
  }
  return isInterpreter(step.call) && codeNamesDenied(text, step, policy);
}

function touches(source: string, policy: DeniedPaths, depth: number): boolean {
  let listed: Word[] = [];
  return eachStep(source, policy, (step) => {
    const { command, call } = step;
    const denied = (word: Word) => isDenied(word, step, policy);
    if (command.reads.some(denied) || command.writes.some(denied)) return true;
    if (callTouches(step, policy, depth)) return true;
    // A file can be named before the program, too: F=.env; cat $F
    if (command.words.some((word) => /^\w+=/.test(word.text) && denied(word))) return true;
    // What is listed goes on through what only sorts and filters it, to what takes it as names, or as commands.
    const isTaken = takesNames(command, call);
    if (isTaken && listed.some(denied)) return true;
    const isRun = isShell(call) && depth < NESTING_MAX;
    if (isRun && listed.some(({ text }) => touches(text, policy, depth + 1))) return true;
    if (isTaken || isRun || !command.piped) listed = [];
    if (command.piped && showsNamesOnly(call)) for (const word of call.words) listed.push(word);
    return command.documents.some((fed) => documentTouches(fed, step, policy, depth));
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

/** A part of a text. */
export type Place = Pick<Word, 'start' | 'end'>;

/**
 * The parts of a command that become the content of a denied file: here-documents, what `echo` or `printf` print, and
 * commands in quotes that write one.
 */
export function contentForDenied(source: string, policy: DeniedPaths): readonly Place[] {
  const content: Place[] = [];
  let writesDenied = false;
  eachStep(source, policy, (step) => {
    const { command, call } = step;
    const { program, words } = call;
    writesDenied ||= writes(step, policy);
    const writers = writersIn(step, policy, 0);
    writesDenied ||= writers.length > 0;
    for (const word of writers) if (words.includes(word)) content.push(placeOf(word));
    for (const document of command.documents) content.push(placeOf(document));
    if (/^(?:echo|printf)$/.test(program)) content.push(...printedBy(words, source));
    return false;
  });
  return writesDenied ? content.sort((a, b) => a.start - b.start) : [];
}

const placeOf = ({ start, end }: Place): Place => ({ start, end });

/** The arguments and documents that are commands themselves and write a denied file. */
function writersIn({ command, call, folders }: Step, policy: DeniedPaths, depth: number): Word[] {
  if (depth >= NESTING_MAX) return [];
  const nested = new Set(nestedCommands(call));
  const inside = { ...policy, cwd: folders.at(-1) };
  const texts = [
    ...call.words.filter(({ text }) => nested.has(text)),
    ...(isShell(call) ? command.documents : []),
  ];
  return texts.filter(({ text }) => writesDeniedIn(text, inside, depth + 1));
}

function writes(step: Step, policy: DeniedPaths): boolean {
  const { command, call } = step;
  const targets = call.program === 'tee' ? [...command.writes, ...call.words] : command.writes;
  return targets.some((word) => isDenied(word, step, policy));
}

function writesDeniedIn(source: string, policy: DeniedPaths, depth: number): boolean {
  return eachStep(source, policy, (step) => {
    return writes(step, policy) || writersIn(step, policy, depth).length > 0;
  });
}

/** The arguments without flags, those as one that follow each other. */
function printedBy(words: readonly Word[], source: string): readonly Place[] {
  const places: Place[] = [];
  for (const { text, start, end } of words) {
    if (/^-[neE]+$/.test(text)) continue;
    const last = places.at(-1);
    const joins = last !== undefined && source.slice(last.end, start).trim() === '';
    if (joins) places[places.length - 1] = { start: last.start, end };
    else places.push({ start, end });
  }
  return places;
}
