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
import { eachCommand, NESTING_MAX, type SimpleCommand, type Word } from './shell-read.ts';

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

function documentTouches(text: string, step: Step, policy: DeniedPaths, depth: number): boolean {
  if (isShell(step.call)) {
    return depth < NESTING_MAX && touches(text, { ...policy, cwd: step.folders.at(-1) }, depth + 1);
  }
  return isInterpreter(step.call) && codeNamesDenied(text, step, policy);
}

function touches(source: string, policy: DeniedPaths, depth: number): boolean {
  let listed: readonly Word[] = [];
  return eachStep(source, policy, (step) => {
    const { command, call } = step;
    const denied = (word: Word) => isDenied(word, step, policy);
    if (command.reads.some(denied) || command.writes.some(denied)) return true;
    if (callTouches(step, policy, depth)) return true;
    // A file can be named before the program, too: F=.env; cat $F
    if (command.words.some((word) => /^\w+=/.test(word.text) && denied(word))) return true;
    if (takesNames(command, call) && listed.some(denied)) return true;
    listed = command.piped && showsNamesOnly(call) ? call.words : [];
    return command.documents.some(({ text }) => documentTouches(text, step, policy, depth));
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

/** The parts of a command that become the content of a denied file: here-documents, and what `echo` or `printf` print. */
export function contentForDenied(source: string, policy: DeniedPaths): readonly Place[] {
  const content: Place[] = [];
  let writesDenied = false;
  eachStep(source, policy, (step) => {
    const { command, call } = step;
    const { program, words } = call;
    const targets = program === 'tee' ? [...command.writes, ...words] : command.writes;
    writesDenied ||= targets.some((word) => isDenied(word, step, policy));
    for (const { start, end } of command.documents) content.push({ start, end });
    if (/^(?:echo|printf)$/.test(program)) content.push(...printedBy(words, source));
    return false;
  });
  return writesDenied ? content.sort((a, b) => a.start - b.start) : [];
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
