import type { SimpleCommand, Word } from './shell-read.ts';

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
  /^(?:sh|bash|zsh|dash|ksh|fish|eval|ssh|su|watch|parallel|script|tmux|screen|hyperfine|concurrently)$/;
const INTERPRETER = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php|tsx)$/;
/** They name files, move or make them, but print nothing of their content. */
const SILENT =
  /^(?:ls|ll|stat|rm|touch|test|\[|\[\[|chmod|chown|mkdir|rmdir|echo|printf|basename|dirname|realpath|readlink|which|du|mv|cp|ln|ssh-add|cd|pushd|exit|return)$/;
const SILENT_GIT =
  /^(?:add|rm|status|check-ignore|ls-files|commit|restore|checkout|stash|reset|mv|tag|branch|update-index|clean|push|pull|fetch)$/;
/** Their long arguments are messages, in which a path is only a word. */
const MESSAGING = /^(?:gh|glab|claude|codex|gemini|cursor-agent|opencode|hermes)$/;

/** A program and its arguments. */
export interface Call {
  readonly program: string;
  readonly words: readonly Word[];
}

const nameOf = (word: Word | undefined) => word?.text.split(/[/\\]/).at(-1) ?? '';

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

interface PatternFirst {
  readonly programs: RegExp;
  /** A flag that brings the pattern, behind it or attached to it; then the first argument is a file. */
  readonly pattern: RegExp;
  /** A flag that brings patterns from a file. */
  readonly file: RegExp;
  /** Flags before one value that is neither. */
  readonly value: RegExp;
}

const NEVER = /^$/;
const EXPRESSION = /^(?:-[^\W\dgtTABCmjdDf_e]*e|--(?:regexp|expression)(?:=|$))/;
const FROM_FILE = /^(?:-[^\W\dgtTABCmjdDe_f]*f|--file(?:=|$))/;
const TWO_TEXTS = /^--(?:arg|argjson)$/;
const TWO_VALUES = /^--(?:slurpfile|rawfile)$/;

/** Their first argument is a pattern or a program, no file. */
const PATTERN_FIRST: readonly PatternFirst[] = [
  {
    programs: /^[ef]?grep$/,
    pattern: EXPRESSION,
    file: FROM_FILE,
    value:
      /^(?:-[ABCmdD]|--(?:max-count|include|exclude|exclude-dir|context|after-context|before-context))$/,
  },
  {
    programs: /^rg$/,
    pattern: EXPRESSION,
    file: FROM_FILE,
    value:
      /^(?:-[gtTABCmjErdM]|--(?:i?glob|type|type-not|max-count|max-depth|context|after-context|before-context|replace))$/,
  },
  { programs: /^a(?:g|ck)$/, pattern: NEVER, file: NEVER, value: /^-[ABCGm]$/ },
  { programs: /^sed$/, pattern: EXPRESSION, file: FROM_FILE, value: /^-l$/ },
  {
    programs: /^g?awk$/,
    pattern: /^(?:-e|--source(?:=|$))/,
    file: /^(?:-f|--file)/,
    value: /^-[Fv]$/,
  },
  {
    programs: /^jq$/,
    pattern: NEVER,
    file: /^(?:-[a-zA-Z]*f|--from-file)$/,
    value: /^(?:-L|--indent)$/,
  },
  {
    programs: /^yq$/,
    pattern: /^--expression(?:=|$)/,
    file: /^--from-file(?:=|$)/,
    value: /^-[Iop]$/,
  },
];

const patternFirst = ({ program }: Call) =>
  PATTERN_FIRST.find(({ programs }) => programs.test(program));

/** The arguments of a program like grep without its pattern. */
function withoutPattern({ program, words }: Call, how: PatternFirst): readonly Word[] {
  let brought = words.some(({ text }) => how.pattern.test(text) || how.file.test(text));
  let texts = 0;
  let values = 0;
  return words.filter(({ text }) => {
    if (texts > 0) {
      texts--;
      return false;
    }
    if (values > 0) {
      values--;
      return true;
    }
    const flag = how.pattern.exec(text)?.[0];
    if (flag !== undefined) {
      texts = flag === text && !text.endsWith('=') ? 1 : 0;
      return false;
    }
    if (text.startsWith('-')) {
      texts = TWO_TEXTS.test(text) ? 2 : 0;
      values = TWO_VALUES.test(text) ? 2 : how.value.test(text) ? 1 : 0;
      return true;
    }
    if (brought || (program === 'yq' && /^(?:e|ea|eval|eval-all)$/.test(text))) return true;
    brought = true;
    return false;
  });
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

/** Flags of git before its command that take a value. */
const GIT_VALUE = /^(?:-[Cc]|--git-dir|--work-tree)$/;
/** With these a log or a difference tells names and counts. */
const GIT_NAMES = /^--(?:oneline|stat|shortstat|numstat|name-only|name-status)$/;

/** What is left out of a search or a copy is not shown. */
const EXCLUDED = /^(?:!|:!|:\^|:\(exclude\)|--exclude(?:-dir)?=)/;
const EXCLUDES = /^--exclude(?:-dir)?$/;

/** The arguments that can be files whose content is shown. */
export function shownArguments(call: Call): readonly Word[] {
  const { program } = call;
  if (showsNamesOnly(call)) return [];
  const words = call.words.filter(
    ({ text }, i) => !EXCLUDED.test(text) && !EXCLUDES.test(call.words[i - 1]?.text ?? ''),
  );
  if (/^(?:ssh|scp|sftp|rsync)$/.test(program))
    return words.filter((_, i) => words[i - 1]?.text !== '-i');
  const how = patternFirst(call);
  if (how) return withoutPattern({ program, words }, how);
  if (MESSAGING.test(program)) return words.filter(({ text }) => !/\s/.test(text));
  return words.filter(({ text }) => text.split(/\s+/).length < 8);
}
