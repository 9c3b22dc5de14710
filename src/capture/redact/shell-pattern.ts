import type { Word } from './shell-command.ts';

/** A program and its arguments. */
export interface Call {
  readonly program: string;
  readonly words: readonly Word[];
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

export const patternFirst = ({ program }: Call) =>
  PATTERN_FIRST.find(({ programs }) => programs.test(program));

/** The arguments of a program like grep without its pattern. */
export function withoutPattern({ program, words }: Call, how: PatternFirst): readonly Word[] {
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
