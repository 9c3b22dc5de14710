const OPERATOR = ';&|<>()\n';
const DRIVE = /[A-Za-z]:/y;

interface Reading {
  readonly line: string;
  at: number;
  /** The word under way; undefined between words, '' after an empty pair of quotes. */
  word: string | undefined;
  /** Where it begins in the line. */
  start: number;
}

function readQuoted(reading: Reading, quote: string): void {
  const { line } = reading;
  let word = reading.word ?? '';
  reading.at++;
  for (; reading.at < line.length && line[reading.at] !== quote; reading.at++) {
    const next = line[reading.at + 1] ?? '';
    // In double quotes a backslash is itself, except before these.
    if (quote === '"' && line[reading.at] === '\\' && next !== '' && '$`"\\\n'.includes(next)) {
      reading.at++;
      if (next !== '\n') word += next;
    } else {
      word += line[reading.at];
    }
  }
  reading.word = word;
}

function readBackslash(reading: Reading): void {
  const next = reading.line[reading.at + 1] ?? '';
  DRIVE.lastIndex = reading.start;
  // On Windows a hook may be run by a shell to which C:\tools\x is a path, not a word with escapes.
  const inPath = reading.word !== undefined && DRIVE.test(reading.line) && !/[\s"'\\]/.test(next);
  if (inPath || next === '') {
    reading.word = `${reading.word ?? ''}\\`;
    return;
  }
  reading.at++;
  if (next !== '\n') reading.word = (reading.word ?? '') + next;
}

/**
 * Splits a command line as a POSIX shell splits it into words: quotes and backslashes resolved, comments left out.
 * One list for each simple command; an operator (`;`, `&&`, `|`, `>`, brackets, a line break) ends a command.
 * Nothing is expanded: `$HOME/x` stays as it is. An open quote reaches to the end. Never throws.
 */
export function shellWords(line: string): string[][] {
  const commands: string[][] = [[]];
  const reading: Reading = { line, at: 0, word: undefined, start: 0 };
  const endWord = () => {
    if (reading.word !== undefined) commands.at(-1)?.push(reading.word);
    reading.word = undefined;
  };
  for (; reading.at < line.length; reading.at++) {
    const char = line[reading.at] ?? '';
    if (reading.word === undefined) reading.start = reading.at;
    if (char === '"' || char === "'") {
      readQuoted(reading, char);
    } else if (char === '\\') {
      readBackslash(reading);
    } else if (char === '#' && reading.word === undefined) {
      const end = line.indexOf('\n', reading.at);
      reading.at = (end < 0 ? line.length : end) - 1;
    } else if (OPERATOR.includes(char)) {
      endWord();
      commands.push([]);
    } else if (char === ' ' || char === '\t' || char === '\r') {
      endWord();
    } else {
      reading.word = (reading.word ?? '') + char;
    }
  }
  endWord();
  return commands.filter((words) => words.length > 0);
}
