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

/** Which word of a simple command names us; -1 where none does. */
function ourPlace(words: readonly string[]): number {
  return words.findIndex((word, index) => {
    const name = baseName(word);
    const [next, event = ''] = words.slice(index + 1);
    return name === BUNDLE || (COMMAND.test(name) && next === 'hook' && EVENTS.includes(event));
  });
}

/** What only prepares for a command beside it, and is nothing without that. */
const WRAPPERS = new Set(['cd', 'test', '[', 'true']);
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** What is left of `2>&1` and `>/dev/null` where operators end a command. */
const REDIRECTION = /^(?:\d|\/dev\/null)$/;
/** Another command, whatever stands around it. */
const SUBSTITUTION = /`|\$\(/;

/** True for a simple command that can go with ours: nobody misses it then. */
function isWrapper(words: readonly string[]): boolean {
  if (words.some((word) => SUBSTITUTION.test(word))) return false;
  const first = words.find((word) => !ASSIGNMENT.test(word)) ?? 'true';
  return WRAPPERS.has(first) || (words.length === 1 && REDIRECTION.test(first));
}

/** True where each word of our simple command is there for it; the one that names us may find out where that is. */
function isOnlyOurs(words: readonly string[], place: number): boolean {
  return words.every((word, index) => index === place || !SUBSTITUTION.test(word));
}

/**
 * Whose a command line is. It runs our hook where, split as a shell splits it, a word has the base name
 * `credence-hook.cjs`, or the base name `credence` (`credence.js`, `credence.cmd`, `credence.exe`, `credence@1.2.3`) with
 * `hook` and the name of an event as the next words; never by substring, and a quoted word with spaces counts only where
 * it begins as a path does. Such a line is `shared` where it runs another command too, which is a person's to keep.
 */
export function ownership(command: string): 'ours' | 'shared' | 'other' {
  const parts = shellWords(command).map((words) => ({ words, place: ourPlace(words) }));
  if (parts.every(({ place }) => place < 0)) return 'other';
  const alone = parts.every(({ words, place }) =>
    place < 0 ? isWrapper(words) : isOnlyOurs(words, place),
  );
  return alone ? 'ours' : 'shared';
}

/** True where a command line runs our hook and nothing else. */
export function isOurs(command: string): boolean {
  return ownership(command) === 'ours';
}

/** The words of the simple command in a line that runs our hook; none where it runs none. */
export function ourWords(command: string): readonly string[] {
  return shellWords(command).find((words) => ourPlace(words) >= 0) ?? [];
}
