import { isDeniedWord } from './path.ts';
import type { DeniedPaths } from './policy.ts';
import {
  codeOf,
  isHiddenValue,
  isInterpreter,
  isShell,
  listsNames,
  nestedCommands,
  shownArguments,
  showsNamesOnly,
  takesNames,
} from './shell-call.ts';
import { type Fed, NESTING_MAX, type Word } from './shell-command.ts';
import type { Call } from './shell-pattern.ts';
import {
  codeNamesDenied,
  eachStep,
  isDenied,
  namesStandIn,
  noteStandIns,
  type Step,
} from './shell-step.ts';

function callTouches(call: Call, step: Step, policy: DeniedPaths, depth: number): boolean {
  const { folders, standIns } = step;
  const nested = new Set(nestedCommands(call));
  if (depth < NESTING_MAX) {
    const inside = { ...policy, cwd: folders.at(-1) };
    for (const text of nested)
      if (touches(text, inside, depth + 1) || namesStandIn(text, standIns)) return true;
  }
  const code = new Set(codeOf(call));
  for (const { text } of code)
    if (codeNamesDenied(text, folders, policy) || namesStandIn(text, standIns)) return true;
  const isText = (word: Word) => code.has(word) || (isShell(call) && nested.has(word.text));
  const shown = call.program === 'find' && step.readsLists() ? call.words : shownArguments(call);
  return shown.some((word) => !isText(word) && isDenied(word, step, policy));
}

function documentTouches(fed: Fed, step: Step, policy: DeniedPaths, depth: number): boolean {
  const { text, isQuoted } = fed;
  const { command, call, last, folders, standIns } = step;
  const isNamed = (name: string) =>
    folders.some((folder) => isDeniedWord(name, policy, folder, true));
  if (takesNames(command, call) && text.split(/\s+/).some(isNamed)) return true;
  if (depth < NESTING_MAX) {
    const inside = { ...policy, cwd: folders.at(-1) };
    if (isShell(last)) return touches(text, inside, depth + 1) || namesStandIn(text, standIns);
    // As in double quotes, what stands there is expanded and nothing else.
    if (!isQuoted && touches(`"${text.replaceAll('"', ' ')}"`, inside, depth + 1)) return true;
  }
  return isInterpreter(last) && codeNamesDenied(text, folders, policy);
}

/** True where what a pipe brings is run and touches a denied file. */
function runTouches(
  text: string,
  { last, folders }: Step,
  policy: DeniedPaths,
  depth: number,
): boolean {
  if (isInterpreter(last)) return codeNamesDenied(text, folders, policy);
  return depth < NESTING_MAX && touches(text, policy, depth + 1);
}

function touches(source: string, policy: DeniedPaths, depth: number): boolean {
  let listed: Word[] = [];
  return eachStep(source, policy, (step) => {
    const { command, call, calls, last } = step;
    const denied = (word: Word) => isDenied(word, step, policy);
    if (command.reads.some(denied) || command.writes.some(denied)) return true;
    if (calls.some((one) => callTouches(one, step, policy, depth))) return true;
    // A program reads the file that is named before it, too: F=.env run
    const assigns = ({ text }: Word) => /^\w+=/.test(text) && !isHiddenValue(text);
    const exports = ({ text }: Word) => step.standIns.has(`$${text}`) && !isHiddenValue(`${text}=`);
    if (call.program === 'export' && call.words.some(exports)) return true;
    if (call.program !== '' && command.words.some((word) => assigns(word) && denied(word)))
      return true;
    // What is listed goes on through what only sorts and filters it, to what takes it as names, or runs it.
    const isTaken = takesNames(command, call) || command.substitutes;
    const isRun = isShell(last) || isInterpreter(last);
    const name = isTaken ? listed.find(denied) : undefined;
    noteStandIns(step, policy, name !== undefined);
    const isNames = showsNamesOnly(call);
    if (name !== undefined && !isNames) return true;
    if (isRun && listed.some(({ text }) => runTouches(text, step, policy, depth))) return true;
    const goesOn = command.piped || command.inserted;
    if (isTaken || isRun || !goesOn) listed = name !== undefined && goesOn ? [name] : [];
    if (goesOn && listsNames(call)) for (const word of call.words) listed.push(word);
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
