import { shellWords } from '../base/shell-words.ts';

/** The hook's own bundle; and the command in the forms that npm, npx and Windows give it. */
const BUNDLE = 'credence-hook.cjs';
const COMMAND = /^credence(?:\.js|\.cmd|\.exe|@.+)?$/;
/** How a path begins that may hold spaces; other words with spaces are sentences, or command lines of their own. */
const PATH_START = /^(?:[/\\.~$%]|[A-Za-z]:)/;

function baseName(word: string): string {
  return /\s/.test(word) && !PATH_START.test(word) ? '' : (word.split(/[/\\]/).at(-1) ?? '');
}

/**
 * True where a command line is ours: split as a shell splits it, one word has the base name `credence-hook.cjs`, or
 * the base name `credence` (`credence.js`, `credence.cmd`, `credence.exe`, `credence@1.2.3`) with `hook` as the next
 * word. Never by substring. A quoted word with spaces counts only where it begins as a path does.
 */
export function isOurs(command: string): boolean {
  return shellWords(command).some((words) =>
    words.some((word, index) => {
      const name = baseName(word);
      return name === BUNDLE || (COMMAND.test(name) && words[index + 1] === 'hook');
    }),
  );
}
