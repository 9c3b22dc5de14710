import { shellWords } from '../base/shell-words.ts';
import { HOOK_EVENTS } from './claude-code/hook.ts';

/** The hook's own bundle; and the command in the forms that npm, npx and Windows give it. */
const BUNDLE = 'credence-hook.cjs';
const COMMAND = /^credence(?:\.js|\.cmd|\.exe|@.+)?$/;
/** How a path begins that may hold spaces; other words with spaces are sentences, or command lines of their own. */
const PATH_START = /^(?:[/\\.~$%]|[A-Za-z]:)/;

function baseName(word: string): string {
  return /\s/.test(word) && !PATH_START.test(word) ? '' : (word.split(/[/\\]/).at(-1) ?? '');
}

const EVENTS: readonly string[] = HOOK_EVENTS;

/**
 * True where a command line is ours: split as a shell splits it, one word has the base name `credence-hook.cjs`, or
 * the base name `credence` (`credence.js`, `credence.cmd`, `credence.exe`, `credence@1.2.3`) with `hook` and the name
 * of an event as the next words. Never by substring. A quoted word with spaces counts only where it begins as a path
 * does.
 */
export function isOurs(command: string): boolean {
  return shellWords(command).some((words) =>
    words.some((word, index) => {
      const name = baseName(word);
      const [next, event = ''] = words.slice(index + 1);
      return name === BUNDLE || (COMMAND.test(name) && next === 'hook' && EVENTS.includes(event));
    }),
  );
}
