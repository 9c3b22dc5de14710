import { lineEnd } from './chars.ts';
import { NESTING_MAX, newCommand, type Shell, type SimpleCommand } from './shell-command.ts';
import { type Announced, announcedAt, documentEnd } from './shell-document.ts';

/** Takes the commands as they are read; true where no more are wanted. */
type Visit = (command: SimpleCommand) => boolean;

interface Reading {
  readonly source: string;
  /** What ends a command inside another; '' for one that stands alone. */
  readonly close: '' | ')' | '`';
  readonly depth: number;
  readonly visit: Visit;
  /** Here-documents that the line announced, to be read at its end. */
  readonly announced: (Announced & { readonly command: SimpleCommand })[];
  /** Commands that still wait for their documents. */
  readonly waiting: SimpleCommand[];
  at: number;
  /** How many brackets are open. */
  open: number;
  shell: Shell;
  command: SimpleCommand;
  target: 'words' | 'reads' | 'writes' | 'documents';
}

/** A command with more words is taken in parts, each with its first words: words cost many times their length. */
const WORDS_MAX = 10_000;
const HEAD_WORDS = 8;
const OPERATOR = ';&|()';
const WORD_END = /[\s;&|()<>`]/;
const PLAIN = /[^\s;&|()<>`$'"\\]+/y;
const PLAIN_QUOTED = /[^"\\$`]+/y;
const CONTINUATION = /\\\r?\n/y;

/**
 * The simple commands of a shell text, those in `$(…)`, backquotes and brackets before those around them. An
 * approximation of POSIX that errs towards more words: nothing is expanded, here-documents are set apart. Never throws.
 */
export function readCommands(source: string): readonly SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  eachCommand(source, (command) => {
    commands.push(command);
    return false;
  });
  return commands;
}

/** The same one by one, so that a text of megabytes costs no more memory than its longest command; true where the visit ended early. */
export function eachCommand(source: string, visit: Visit): boolean {
  let isDone = false;
  const visitOnce = (command: SimpleCommand) => {
    isDone ||= visit(command);
    return isDone;
  };
  readAll(source, { at: 0, depth: 0, close: '', shell: { parent: undefined }, visit: visitOnce });
  return isDone;
}

/** Reads on to the end of the text, or to what closes a command inside another; returns where that is. */
function readAll(
  source: string,
  from: Pick<Reading, 'at' | 'depth' | 'close' | 'shell' | 'visit'>,
): number {
  const reading: Reading = {
    source,
    ...from,
    announced: [],
    waiting: [],
    open: 0,
    command: newCommand(from.shell),
    target: 'words',
  };
  while (reading.at < source.length) {
    const char = source[reading.at] ?? '';
    if (char === reading.close && (reading.open === 0 || char === '`')) break;
    if (char === '\n') {
      endCommand(reading, 1);
      readDocuments(reading);
    } else if (char === '#') reading.at = lineEnd(source, reading.at);
    else if (OPERATOR.includes(char)) readOperator(reading, char);
    else if (char === '<' || char === '>') readRedirection(reading, char);
    else if (/\s/.test(char)) reading.at++;
    else if (!skipContinuation(reading)) readWord(reading);
  }
  endCommand(reading, 0);
  deliver(reading);
  return reading.at;
}

function endCommand(reading: Reading, length: number): void {
  reading.at += length;
  reading.target = 'words';
  const { words, reads, writes } = reading.command;
  if (words.length + reads.length + writes.length === 0) return;
  reading.command.inserted = reading.close !== '';
  reading.waiting.push(reading.command);
  reading.command = newCommand(reading.shell);
  if (reading.announced.length === 0) deliver(reading);
}

function deliver(reading: Reading): void {
  for (const command of reading.waiting.splice(0)) {
    if (!reading.visit(command)) continue;
    reading.at = reading.source.length;
    return;
  }
}

function openBracket(reading: Reading): void {
  endCommand(reading, 1);
  reading.open++;
  reading.shell = { parent: reading.shell };
  reading.command.shell = reading.shell;
}

function closeBracket(reading: Reading): void {
  endCommand(reading, 1);
  if (reading.open === 0) return;
  reading.open--;
  reading.shell = reading.shell.parent ?? reading.shell;
  reading.command.shell = reading.shell;
}

function readOperator(reading: Reading, char: string): void {
  if (char === '(') openBracket(reading);
  else if (char === ')') closeBracket(reading);
  else {
    const { source, at, command } = reading;
    command.piped = char === '|' && source[at - 1] !== '|' && source[at + 1] !== '|';
    endCommand(reading, 1);
  }
}

/** A line that goes on behind a backslash. */
function skipContinuation(reading: Reading): boolean {
  if (reading.source[reading.at] !== '\\') return false;
  CONTINUATION.lastIndex = reading.at;
  const goesOn = CONTINUATION.test(reading.source);
  if (goesOn) reading.at = CONTINUATION.lastIndex;
  return goesOn;
}

function readRedirection(reading: Reading, char: string): void {
  const { source } = reading;
  if (source.startsWith('<<<', reading.at)) {
    reading.at += 3;
    reading.target = 'documents';
    return;
  }
  const announced = announcedAt(source, reading.at);
  if (announced) {
    reading.announced.push({ ...announced, command: reading.command });
    reading.at = announced.behind;
    return;
  }
  reading.at++;
  if (source[reading.at] === '(') {
    openBracket(reading);
    return;
  }
  while ('>&|'.includes(source[reading.at] ?? ' ')) reading.at++;
  reading.target = char === '<' ? 'reads' : 'writes';
}

function readDocuments(reading: Reading): void {
  const { source } = reading;
  for (const announced of reading.announced.splice(0)) {
    const { command, isQuoted } = announced;
    const start = reading.at;
    const [end, after] = documentEnd(source, start, announced);
    command.documents.push({ text: source.slice(start, end), start, end, isQuoted });
    reading.at = Math.min(after + 1, source.length);
  }
  deliver(reading);
}

/** Reads what a pattern matches here, and goes behind it. */
function take(reading: Reading, pattern: RegExp): string {
  const { source, at } = reading;
  pattern.lastIndex = at;
  if (!pattern.test(source)) return '';
  reading.at = pattern.lastIndex;
  return source.slice(at, reading.at);
}

function readWord(reading: Reading): void {
  const { source } = reading;
  const start = reading.at;
  let text = take(reading, PLAIN);
  while (reading.at < source.length) {
    const char = source[reading.at] ?? '';
    const next = source[reading.at + 1];
    if (isSubstitution(reading, char, next)) {
      readSubstitution(reading, reading.at + (char === '`' ? 1 : 2), char === '`' ? '`' : ')');
    } else if (WORD_END.test(char)) break;
    else if (char === '$' && next === "'") text += readEscaped(reading);
    else if (char === "'" || char === '"') {
      text += readQuoted(reading, char);
    } else if (!skipContinuation(reading)) {
      // Behind a dollar sign a quoted text is one all the same.
      if (char === '\\') text += next ?? '';
      else if (char !== '$' || next !== '"') text += char;
      reading.at += char === '\\' ? 2 : 1;
    }
    text += take(reading, PLAIN);
  }
  reading.at = Math.min(reading.at, source.length);
  const { words } = reading.command;
  reading.command[reading.target].push({ text, start, end: reading.at, isQuoted: true });
  reading.target = 'words';
  if (words.length < WORDS_MAX || reading.announced.length > 0) return;
  endCommand(reading, 0);
  reading.command = newCommand(reading.shell, words.slice(0, HEAD_WORDS));
}

/** True where another command begins in a word. In backquotes another one ends them. */
function isSubstitution({ close }: Reading, char: string, next: string | undefined): boolean {
  return (char === '$' && next === '(') || (char === '`' && close !== '`');
}

/** Reads `$'…'`, in which a backslash escapes the quote as well, and goes behind it. */
function readEscaped(reading: Reading): string {
  const { source } = reading;
  const start = reading.at + 2;
  let end = start;
  while (end < source.length && source[end] !== "'") end += source[end] === '\\' ? 2 : 1;
  reading.at = Math.min(end + 1, source.length);
  return source.slice(start, end).replace(/\\(['"\\])/g, '$1');
}

/** Reads a quoted text, and goes behind it. In double quotes `$(…)` and backquotes hold commands of their own. */
function readQuoted(reading: Reading, quote: string): string {
  const { source } = reading;
  const start = ++reading.at;
  if (quote === "'") {
    const end = source.indexOf(quote, start);
    reading.at = end < 0 ? source.length : end + 1;
    return source.slice(start, end < 0 ? source.length : end);
  }
  let text = take(reading, PLAIN_QUOTED);
  while (reading.at < source.length && source[reading.at] !== quote) {
    const char = source[reading.at] ?? '';
    const next = source[reading.at + 1] ?? '';
    if (char === '$' && next === '(') {
      readSubstitution(reading, reading.at + 2, ')');
    } else if (char === '`') {
      readSubstitution(reading, reading.at + 1, '`');
    } else if (!skipContinuation(reading)) {
      const isEscape = char === '\\' && next !== '' && '"\\$`'.includes(next);
      text += isEscape ? next : char;
      reading.at += isEscape ? 2 : 1;
    }
    text += take(reading, PLAIN_QUOTED);
  }
  reading.at++;
  return text;
}

/** Goes behind the closing bracket or backquote. */
function readSubstitution(reading: Reading, at: number, close: ')' | '`'): void {
  const { source, depth, visit } = reading;
  const shell = { parent: reading.shell };
  reading.command.substitutes = true;
  const end =
    depth < NESTING_MAX
      ? readAll(source, { at, depth: depth + 1, close, shell, visit })
      : closingOf(source, at, close);
  reading.at = end + 1;
}

/** Where a bracket or backquote is closed that is not looked into. */
function closingOf(source: string, from: number, close: string): number {
  let open = 1;
  for (let at = from; at < source.length; at++) {
    if (source[at] === close && --open === 0) return at;
    if (source[at] === '(' && close === ')') open++;
  }
  return source.length;
}
