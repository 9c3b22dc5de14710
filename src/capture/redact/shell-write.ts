import type { DeniedPaths } from './policy.ts';
import { codeOf, isInterpreter, isShell, nestedCommands } from './shell-call.ts';
import { NESTING_MAX, type Word } from './shell-command.ts';
import { codeWritesDenied, eachStep, isDenied, type Step } from './shell-step.ts';

/** A part of a text. */
export type Place = Pick<Word, 'start' | 'end'>;

/**
 * The parts of a command that become the content of a denied file: here-documents, what `echo` or `printf` print,
 * scripts that edit one in place, and commands in quotes or code that write one.
 */
export function contentForDenied(source: string, policy: DeniedPaths): readonly Place[] {
  const content: Place[] = [];
  let writesDenied = false;
  eachStep(source, policy, (step) => {
    const { command, call } = step;
    const { program, words } = call;
    const writers = [...writersIn(step, policy, 0), ...editsIn(step, policy)];
    writesDenied ||= writers.length > 0 || writes(step, policy);
    for (const word of writers) if (command.words.includes(word)) content.push(placeOf(word));
    for (const document of command.documents) content.push(placeOf(document));
    if (/^(?:echo|printf)$/.test(program)) content.push(...printedBy(words, source));
    return false;
  });
  return writesDenied ? content.sort((a, b) => a.start - b.start) : [];
}

export const placeOf = ({ start, end }: Place): Place => ({ start, end });

/** The arguments and documents that are commands or code themselves and write a denied file. */
function writersIn({ command, calls, last, folders }: Step, policy: DeniedPaths, depth: number) {
  const inside = { ...policy, cwd: folders.at(-1) };
  const isCommand = ({ text }: Word) =>
    depth < NESTING_MAX && writesDeniedIn(text, inside, depth + 1);
  const isCode = ({ text }: Word) => codeWritesDenied(text, folders, policy);
  const writers: Word[] = [];
  for (const call of calls) {
    const nested = new Set(nestedCommands(call));
    writers.push(...call.words.filter((word) => nested.has(word.text) && isCommand(word)));
    writers.push(...codeOf(call).filter(isCode));
  }
  if (isShell(last)) writers.push(...command.documents.filter(isCommand));
  if (isInterpreter(last)) writers.push(...command.documents.filter(isCode));
  return writers;
}

const IN_PLACE = /^(?:-[A-Za-z]*i|--in-place)/;

/** What is done to a denied file in place: all but the flags and the files of `sed -i s/a/b/ .env`. */
function editsIn(step: Step, policy: DeniedPaths): readonly Word[] {
  const { program, words } = step.call;
  const edits =
    /^(?:g?sed|perl|ruby)$/.test(program) && words.some(({ text }) => IN_PLACE.test(text));
  const isFile = (word: Word) => isDenied(word, step, policy);
  if (!edits || !words.some(isFile)) return [];
  return words.filter((word) => !/^-\w*(?:\.\w*)?$/.test(word.text) && !isFile(word));
}

function writes(step: Step, policy: DeniedPaths): boolean {
  const { command, call } = step;
  const takes = /^(?:tee|sponge)$/.test(call.program);
  const targets = takes ? [...command.writes, ...call.words] : command.writes;
  return targets.some((word) => isDenied(word, step, policy));
}

function writesDeniedIn(source: string, policy: DeniedPaths, depth: number): boolean {
  return eachStep(source, policy, (step) => {
    if (writes(step, policy) || editsIn(step, policy).length > 0) return true;
    return writersIn(step, policy, depth).length > 0;
  });
}

/** The arguments without flags, those as one that follow each other. */
export function printedBy(words: readonly Word[], source: string): readonly Place[] {
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
