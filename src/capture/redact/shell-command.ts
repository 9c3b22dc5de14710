/** A word of a command with its place in the text; quotes and escapes are resolved in `text`. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A here-document, or a here-string. In a quoted one a shell expands nothing. */
export interface Fed extends Word {
  readonly isQuoted: boolean;
}

/** The shell that runs a command: the one of the text, or one that brackets or a substitution open. */
export interface Shell {
  readonly parent: Shell | undefined;
}

/** One simple command: its words, the files that it reads and writes by redirection, the here-documents that feed it. */
export interface SimpleCommand {
  readonly words: Word[];
  readonly reads: Word[];
  readonly writes: Word[];
  readonly documents: Fed[];
  /** What it prints is the next command's input. */
  piped: boolean;
  /** What it prints becomes a part of the command around it. */
  inserted: boolean;
  /** What others print is a part of it. */
  substitutes: boolean;
  shell: Shell;
}

/** How deep commands may lie in commands; what lies deeper is not looked at. */
export const NESTING_MAX = 4;

export function newCommand(shell: Shell, words: Word[] = []): SimpleCommand {
  return {
    words,
    reads: [],
    writes: [],
    documents: [],
    piped: false,
    inserted: false,
    substitutes: false,
    shell,
  };
}
