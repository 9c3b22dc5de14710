import type { SimpleCommand, Word } from './shell-command.ts';
import { type Call, patternFirst, withoutPattern } from './shell-pattern.ts';

/** Programs that run the command after them, and their flags that take a value. */
const WRAPPER =
  /^(?:sudo|doas|env|command|builtin|exec|nohup|time|nice|ionice|stdbuf|timeout|xargs|then|do|else|elif|if|while|until|!|\{)$/;
const WRAPPER_VALUE: Readonly<Record<string, RegExp>> = {
  sudo: /^-[ugpCrtThDR]$/,
  doas: /^-[uC]$/,
  env: /^-[uC]$/,
  timeout: /^-[ks]$/,
  nice: /^-n$/,
  ionice: /^-[cnp]$/,
  stdbuf: /^-[ioe]$/,
  xargs: /^-[InPLdEsa]$/,
};
/** They take commands as texts. */
const SHELL =
  /^(?:sh|bash|zsh|dash|ksh|fish|pwsh|powershell|cmd|eval|ssh|su|watch|parallel|script|tmux|screen|hyperfine|concurrently)$/;
const INTERPRETER = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php|tsx|ts-node)$/;
/** Those of both that are run by other programs: a word is their name, and hardly anything else. */
const RUN =
  /^(?:(?:ba|z|da|k|fi)?sh|pwsh|powershell|python[\d.]*|node|deno|bun|ruby|perl|php|tsx|ts-node)$/;
/** What follows it is code: `-c`, `-uc`, `--eval`. */
const CODE_FLAG = /^(?:-[A-Za-z]*[ce]|-[pr]|--(?:eval|print))$/;
/** Code that follows its flag at once. */
const ATTACHED_CODE = /^-[A-Za-z].*["'(]/s;
/** They name files, move or make them, or keep a name in a variable, but print nothing of their content. */
const SILENT =
  /^(?:|for|ls|ll|stat|rm|touch|test|\[|\[\[|chmod|chown|mkdir|rmdir|echo|printf|basename|dirname|realpath|readlink|which|du|mv|cp|ln|ssh-add|cd|pushd|exit|return)$/;
const LISTS = /^(?:ls|ll|find|git|echo|printf|basename|realpath|readlink)$/;
const COPIES = /^(?:cp|mv|ln|install)$/;
const SILENT_GIT =
  /^(?:add|rm|status|check-ignore|ls-files|commit|restore|checkout|stash|reset|mv|tag|branch|update-index|clean|push|pull|fetch)$/;
/** Their long arguments are messages, in which a path is only a word. */
const MESSAGING = /^(?:gh|glab|claude|codex|gemini|cursor-agent|opencode|hermes)$/;

function nameOf(word: Word | undefined): string {
  const { text } = word ?? { text: '' };
  const name = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
  return name.endsWith('.exe') ? name.slice(0, -4) : name;
}

/** The program of a command and its arguments, without assignments and wrappers before it. */
export function callOf({ words }: SimpleCommand): Call {
  let first = 0;
  let wrapper = '';
  for (; first < words.length; first++) {
    const text = words[first]?.text ?? '';
    const name = nameOf(words[first]);
    const isFlag = first > 0 && (text.startsWith('-') || /^\d+s?$/.test(text));
    const isValue = WRAPPER_VALUE[wrapper]?.test(words[first - 1]?.text ?? '') ?? false;
    if (isFlag || isValue || /^\w+=/.test(text)) continue;
    if (!WRAPPER.test(name)) break;
    wrapper = name;
  }
  return { program: nameOf(words[first]), words: words.slice(first + 1) };
}

export const isInterpreter = ({ program }: Call) => INTERPRETER.test(program);
export const isShell = ({ program }: Call) => SHELL.test(program);

/** No real command starts more programs one in another. */
const CALLS_MAX = 4;

/**
 * The call of a command, and those that it makes in turn: the name of a shell or an interpreter among the arguments
 * begins another, whatever runs it, `docker exec app python -c …`.
 */
export function callsOf(command: SimpleCommand): readonly [Call, ...Call[]] {
  const calls: [Call, ...Call[]] = [callOf(command)];
  for (let call = calls[0]; calls.length < CALLS_MAX && passesOn(call); ) {
    const { program, words } = call;
    const at = words.findIndex((word) => RUN.test(nameOf(word)));
    if (at < 0) break;
    calls[calls.length - 1] = { program, words: words.slice(0, at) };
    call = { program: nameOf(words[at]), words: words.slice(at + 1) };
    calls.push(call);
  }
  return calls;
}

/** True where an argument can be a program to run. */
function passesOn(call: Call): boolean {
  const { program } = call;
  const isText = program === 'git' || program === 'eval' || MESSAGING.test(program);
  return !isText && patternFirst(call) === undefined && !showsNamesOnly(call);
}

/** The arguments of an interpreter that are code. */
export function codeOf(call: Call): readonly Word[] {
  if (!isInterpreter(call)) return [];
  let isNext = call.program === 'deno' && call.words[0]?.text === 'eval';
  return call.words.filter(({ text }, i) => {
    if (CODE_FLAG.test(text)) isNext = true;
    else if (text.startsWith('-')) return ATTACHED_CODE.test(text);
    else if (isNext && (i > 0 || call.program !== 'deno')) {
      isNext = false;
      return true;
    }
    return false;
  });
}

/** True where the words that a pipe brings become arguments of something that shows files. */
export function takesNames({ words }: SimpleCommand, call: Call): boolean {
  if (call.program === 'read' || call.program === 'parallel') return true;
  return nameOf(words[0]) === 'xargs' && call.program !== '' && !SILENT.test(call.program);
}

/** What a command follows as one text, or is attached to. */
const COMMAND_FLAG = /^(?:-[a-z]*c$|--(?:command|run|call)(?:=|$))/;

/** The arguments that are commands themselves: of shells, and of what starts one by `-c`, like npx and docker. */
export function nestedCommands(call: Call): readonly string[] {
  const { program, words } = call;
  if (isShell(call)) {
    const texts = words.map(({ text }) => text);
    return program === 'eval' ? [texts.join(' ')] : texts.filter((text) => /[\s<>|;&]/.test(text));
  }
  const found: string[] = [];
  words.forEach(({ text }, i) => {
    const flag = text.startsWith('-') ? COMMAND_FLAG.exec(text)?.[0] : undefined;
    if (flag === undefined) return;
    found.push(flag.endsWith('=') ? text.slice(flag.length) : (words[i + 1]?.text ?? ''));
  });
  const isOther = isInterpreter(call) || program === 'git' || MESSAGING.test(program);
  return found.length === 0 || isOther || patternFirst(call) !== undefined ? [] : found;
}

/** True for what shows names at most. */
export function showsNamesOnly({ program, words }: Call): boolean {
  if (program === 'find') return true;
  if (program !== 'git') {
    const copiesOut = ({ text }: Word) => text.startsWith('/dev/') && text !== '/dev/null';
    return SILENT.test(program) && !words.some(copiesOut);
  }
  if (words.some(({ text }) => /^(?:-[a-z]*p|--patch)$/.test(text))) return false;
  const command = words.find(
    ({ text }, i) => !text.startsWith('-') && !GIT_VALUE.test(words[i - 1]?.text ?? ''),
  );
  if (SILENT_GIT.test(command?.text ?? '')) return true;
  const tells = /^(?:log|diff)$/.test(command?.text ?? '');
  const hasFlag = (flag: RegExp) => words.some(({ text }) => flag.test(text));
  return tells && hasFlag(GIT_NAMES) && !hasFlag(/^-u$/);
}

/** True for what prints the names among its arguments, and nothing else. */
export const listsNames = (call: Call) => LISTS.test(call.program) && showsNamesOnly(call);
export const isCopying = ({ program }: Call) => COPIES.test(program);

/** Flags of git before its command that take a value. */
const GIT_VALUE = /^(?:-[Cc]|--git-dir|--work-tree)$/;
/** With these a log or a difference tells names and counts. */
const GIT_NAMES = /^--(?:oneline|stat|shortstat|numstat|name-only|name-status)$/;

/** What is left out of a search or a copy is not shown. */
const EXCLUDED = /^(?:!|:!|:\^|:\(exclude\)|--exclude(?:-dir)?=)/;
const EXCLUDES = /^--exclude(?:-dir)?$/;

/** A flag or a variable for the file by which a program proves who it is, or knows the other one: it shows it to no one. */
const PROOF =
  /^(?:--|(?=\w+=))(?:[a-z]+[-_]){0,3}(?:tls)?(?:ca|ca_?certs?|certs?|certificate|certificate-authority|key|kubeconfig|credentials|ca_bundle)(?:[-_]?(?:file|path))?(?:=|$)/i;
/** The same where a letter says it, with its program before it. */
const PROOF_BY = /^(?:(?:ssh|scp|sftp|rsync) -i|curl -E)$/;

/** What is printed in a form, or the form itself: `-o jsonpath={.data.key}`, `--format {{.key}}`. */
const FORM =
  /^(?:(?:-o|--output)=?)?(?:jsonpath|go-template|custom-columns)(?:-as-json)?=|^(?:--\w+=)?\{\{[^{}]*\}\}/;
/** Flags before a pattern for the names of tests. */
const TESTS = /^(?:-(?:run|bench|skip)|--(?:grep|filter|test-?name-?pattern))(?:=|$)/i;

/** True for what a variable is set to where that is no file, or one that is not shown. */
export const isHiddenValue = (assignment: string) =>
  PROOF.test(assignment) || FORM.test(assignment);

/** The same for an argument. */
function isHidden({ program, words }: Call, { text }: Word, before: string): boolean {
  const isOne = (flag: RegExp) =>
    (text.startsWith('-') && flag.test(text)) || (flag.test(before) && !before.includes('='));
  if (EXCLUDED.test(text) || EXCLUDES.test(before) || FORM.test(text)) return true;
  if (isOne(PROOF) || isOne(TESTS)) return true;
  if (program === 'export' && (!text.includes('=') || isHiddenValue(text))) return true;
  if (PROOF_BY.test(`${program} ${before}`)) return true;
  return before === '-k' && isPytest({ program, words });
}

const isPytest = ({ program, words }: Call) =>
  program === 'pytest' || words.slice(0, 4).some(({ text }) => text === 'pytest');

/** The arguments that can be files whose content is shown. */
export function shownArguments(call: Call): readonly Word[] {
  const { program } = call;
  if (showsNamesOnly(call)) return [];
  const hidden = new Set(
    call.words.filter((word, i) => isHidden(call, word, call.words[i - 1]?.text ?? '')),
  );
  // A pattern can look like what is hidden: it is taken away first.
  const how = patternFirst(call);
  const words = (how ? withoutPattern(call, how) : call.words).filter((word) => !hidden.has(word));
  if (how) return words;
  if (MESSAGING.test(program)) return words.filter(({ text }) => !/\s/.test(text));
  return words.filter(({ text }) => text.split(/\s+/).length < 8);
}
