import { endWithout } from './chars.ts';
import { isDeniedFrom, isDeniedPath, isDeniedWord, resolvePath } from './path.ts';
import type { DeniedPaths } from './policy.ts';
import { callsOf, isCopying } from './shell-call.ts';
import type { Shell, SimpleCommand, Word } from './shell-command.ts';
import type { Call } from './shell-pattern.ts';
import { eachCommand } from './shell-read.ts';

/** One command of a text, and what can be known of it from those before. */
export interface Step {
  readonly command: SimpleCommand;
  readonly call: Call;
  /** The call, and those that it makes in turn; what feeds the command feeds the last. */
  readonly calls: readonly Call[];
  readonly last: Call;
  readonly source: string;
  /** Where it may run: in the folder of the whole, and where the last `cd` of its shell went. */
  readonly folders: readonly (string | undefined)[];
  /** What a command only lists can be read by another one. */
  readonly readsLists: () => boolean;
  /** What stands for a denied file in the commands that follow: `$name` of a variable, the path of a copy. */
  readonly standIns: Set<string>;
}

/** Takes the commands of a text one by one; true where the visit ended early. */
export function eachStep(
  source: string,
  { cwd }: DeniedPaths,
  visit: (step: Step) => boolean,
): boolean {
  const entered = new Map<Shell, string | undefined>();
  const standIns = new Set<string>();
  let reads: boolean | undefined;
  const readsLists = () => {
    reads ??= /\bxargs\b|-exec|\bread\b|\bcat\b/.test(source);
    return reads;
  };
  return eachCommand(source, (command) => {
    const calls = callsOf(command);
    const [call] = calls;
    const last = calls.at(-1) ?? call;
    const folder = folderIn(command.shell, entered, cwd);
    const folders = folder === cwd ? [cwd] : [cwd, folder];
    const step = { command, call, calls, last, source, folders, readsLists, standIns };
    if (/^(?:cd|pushd)$/.test(call.program)) entered.set(command.shell, enteredBy(call, folder));
    return visit(step);
  });
}

/** The folder of a shell: where its last `cd` went, or that of the shell around it when it began. */
function folderIn(
  shell: Shell,
  entered: Map<Shell, string | undefined>,
  cwd: string | undefined,
): string | undefined {
  const inner: Shell[] = [];
  let at: Shell | undefined = shell;
  for (; at !== undefined && !entered.has(at); at = at.parent) inner.push(at);
  const folder = at === undefined ? cwd : entered.get(at);
  for (const one of inner) entered.set(one, folder);
  return folder;
}

/** No folder of a real command is longer; each word is read from it. */
const FOLDER_MAX = 256;

function enteredBy({ words }: Call, from: string | undefined): string | undefined {
  const target = words.find(({ text }) => !text.startsWith('-'))?.text ?? '~';
  const folder = resolvePath(from, target.slice(0, FOLDER_MAX));
  return folder.length > FOLDER_MAX ? from : folder;
}

/** Another command, as rsync and git take that of ssh. */
const REMOTE_SHELL = /^(?:\w+=)?ssh\s/;

/** True for a word that means a denied file. */
export function isDenied(word: Word, step: Step, policy: DeniedPaths): boolean {
  const { source, folders } = step;
  if (REMOTE_SHELL.test(word.text)) return false;
  if (standsIn(word, step)) return true;
  const raw = source.slice(word.start, word.end);
  // A path for Windows loses its backslashes in a POSIX shell, not in the one that it was written for.
  if (raw.includes('\\') && !raw.startsWith("'") && isDeniedPath(raw, policy)) return true;
  // name=file, @file, host:file, revision:file, a:b for a mount
  const isQuoted = raw !== word.text;
  const isOne = (part: string) =>
    folders.some((folder) => isDeniedWord(part, policy, folder, isQuoted));
  return isOne(word.text) || (/[=@:,]/.test(word.text) && word.text.split(/[=@:,]+/).some(isOne));
}

function standsIn({ text }: Word, { standIns, folders }: Step): boolean {
  if (standIns.size === 0) return false;
  if (standIns.has(resolvePath(folders.at(-1), text))) return true;
  return namesStandIn(text, standIns);
}

/** True for a text in which a variable stands that holds the name of a denied file. */
export function namesStandIn(text: string, standIns: ReadonlySet<string>): boolean {
  if (standIns.size === 0) return false;
  for (const { 1: name } of text.matchAll(/\$\{?(\w+)/g)) if (standIns.has(`$${name}`)) return true;
  return false;
}

/** Notes what stands for a denied file from now on; `isListed` where a substitution brings the name of one. */
export function noteStandIns(step: Step, policy: DeniedPaths, isListed: boolean): void {
  const { command, call, standIns } = step;
  const names = (word: Word) => isListed || isDenied(word, step, policy);
  for (const word of command.words) {
    const name = /^(\w{1,256})=/.exec(word.text)?.[1];
    if (name !== undefined && names(word)) standIns.add(`$${name}`);
  }
  const [variable, ...items] = call.words;
  if (call.program === 'for' && variable !== undefined && items.some(names))
    standIns.add(`$${variable.text}`);
  if (isCopying(call)) noteCopies(step, policy);
}

function noteCopies(step: Step, policy: DeniedPaths): void {
  const { call, folders, standIns } = step;
  const paths = call.words.filter(({ text }) => !text.startsWith('-'));
  const target = paths.pop()?.text ?? '.';
  const place = resolvePath(folders.at(-1), target);
  for (const word of paths) {
    if (!isDenied(word, step, policy)) continue;
    const isFolder = /(?:^|\/)\.{0,2}$/.test(target);
    if (!isFolder) standIns.add(place);
    const folder = place.slice(0, endWithout(place, 0, place.length, '/'));
    standIns.add(resolvePath(folder || undefined, word.text.slice(word.text.lastIndexOf('/') + 1)));
  }
}

/** As far as a string literal is read that may be a path. */
const LITERAL_MAX = 512;
/** A name without a folder is a property as often as a file, where no file is opened. */
const PROPERTY = /^[^/\\]+\.(?:key|pem)$/i;
const OPENS = /open|read|file|path|load|copy|stream|exec|spawn|system|cat\b/i;

/** Code: what stands between two equal quotes of a line can name a file, whichever of them open. */
export function codeNamesDenied(
  code: string,
  folders: readonly (string | undefined)[],
  policy: DeniedPaths,
): boolean {
  const from = folders.filter((folder) => folder !== undefined);
  let last: Record<string, number> = {};
  let opens: boolean | undefined;
  for (const { 0: sign, index } of code.matchAll(/["'`\n]/g)) {
    const start = last[sign];
    if (sign === '\n') last = {};
    else last[sign] = index + 1;
    if (start === undefined || index - start > LITERAL_MAX) continue;
    const literal = code.slice(start, index);
    if (!isDeniedFrom(from, literal, policy)) continue;
    opens ??= OPENS.test(code);
    if (opens || !PROPERTY.test(literal)) return true;
  }
  return false;
}

/** Code that writes files, or may. */
const WRITES = /write|append|dump|save|copy|["'][wax]b?\+?["']/i;

/** True for code that can write a denied file. */
export function codeWritesDenied(
  code: string,
  folders: readonly (string | undefined)[],
  policy: DeniedPaths,
): boolean {
  return WRITES.test(code) && codeNamesDenied(code, folders, policy);
}
