import { lineEnd } from './chars.ts';

/** A word of a command with its place in the text; quotes and escapes are resolved in `text`. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** One simple command: its words, the files that it reads and writes by redirection, the here-documents that feed it. */
export interface SimpleCommand {
  readonly words: Word[];
  readonly reads: Word[];
  readonly writes: Word[];
  readonly documents: Word[];
  /** What it prints is the next command's input. */
  piped: boolean;
}

interface Reading {
  readonly source: string;
  /** What ends a command inside another; '' for one that stands alone. */
  readonly close: '' | ')' | '`';
  readonly depth: number;
  readonly commands: SimpleCommand[];
  /** Here-documents that the line announced, to be read at its end. */
  readonly announced: { readonly name: string; readonly command: SimpleCommand }[];
  at: number;
  /** How many brackets are open. */
  open: number;
  command: SimpleCommand;
  target: 'words' | 'reads' | 'writes';
}

/** How deep commands may lie in commands; what lies deeper is not looked at. */
export const NESTING_MAX = 4;
/** Far more than a system takes as one argument. Words cost many times their length. */
export const COMMAND_MAX = 1 << 20;
const OPERATOR = ';&|()`';
const DOCUMENT = /<<-?[ \t]*(["']?)([\w.-]{1,64})\1/y;
const CONTINUATION = /\\\r?\n/y;

const emptyCommand = (): SimpleCommand => ({
  words: [],
  reads: [],
  writes: [],
  documents: [],
  piped: false,
});

/**
 * The simple commands of a shell text, those in `$(…)`, backquotes and brackets too. An approximation of POSIX
 * that errs towards more words: nothing is expanded, here-documents are set apart. Never throws.
 */
export function readCommands(source: string): readonly SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  readAll(source, { at: 0, depth: 0, close: '', commands });
  return commands;
}

/** A text in pieces that can be read one after the other, cut at line breaks where there are any. */
export function pieces(source: string): readonly string[] {
  const found: string[] = [];
  for (let from = 0; from < source.length; ) {
    const most = from + COMMAND_MAX;
    const cut = most < source.length ? source.lastIndexOf('\n', most) : -1;
    const end = cut > from ? cut : most;
    found.push(source.slice(from, end));
    from = end;
  }
  return found;
}

/** Adds the commands from `at` on to `commands`, those inside before those around them; returns where they end. */
function readAll(
  source: string,
  from: Pick<Reading, 'at' | 'depth' | 'close' | 'commands'>,
): number {
  const reading: Reading = {
    source,
    ...from,
    announced: [],
    open: 0,
    command: emptyCommand(),
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
    else if (char === '$' && source[reading.at + 1] === '(') openBracket(reading, 2);
    else if (char === '<' || char === '>') readRedirection(reading, char);
    else if (/\s/.test(char)) reading.at++;
    else if (!skipContinuation(reading)) readWord(reading);
  }
  endCommand(reading, 0);
  return reading.at;
}

function endCommand(reading: Reading, length: number): void {
  reading.at += length;
  reading.target = 'words';
  const { words, reads, writes } = reading.command;
  if (words.length + reads.length + writes.length === 0) return;
  reading.commands.push(reading.command);
  reading.command = emptyCommand();
}

function openBracket(reading: Reading, length: number): void {
  reading.open++;
  endCommand(reading, length);
}

function readOperator(reading: Reading, char: string): void {
  if (char === '(') reading.open++;
  else if (char === ')') reading.open = Math.max(0, reading.open - 1);
  else if (char === '|') {
    const { source, at } = reading;
    reading.command.piped = source[at - 1] !== '|' && source[at + 1] !== '|';
  }
  endCommand(reading, 1);
}

/** A line that goes on behind a backslash. */
function skipContinuation(reading: Reading): boolean {
  CONTINUATION.lastIndex = reading.at;
  const goesOn = reading.source[reading.at] === '\\' && CONTINUATION.test(reading.source);
  if (goesOn) reading.at = CONTINUATION.lastIndex;
  return goesOn;
}

function readRedirection(reading: Reading, char: string): void {
  const { source } = reading;
  if (source.startsWith('<<<', reading.at)) {
    reading.at += 3;
    return;
  }
  DOCUMENT.lastIndex = reading.at;
  const name = DOCUMENT.exec(source)?.[2];
  if (name !== undefined) {
    reading.announced.push({ name, command: reading.command });
    reading.at = DOCUMENT.lastIndex;
    return;
  }
  reading.at++;
  if (source[reading.at] === '(') {
    openBracket(reading, 1);
    return;
  }
  while ('>&|'.includes(source[reading.at] ?? ' ')) reading.at++;
  reading.target = char === '<' ? 'reads' : 'writes';
}

/** The end of a here-document that starts at `from`: where the line with its delimiter starts, and where it ends. */
function documentEnd(source: string, from: number, name: string): readonly [number, number] {
  for (let start = from; start < source.length; ) {
    const end = lineEnd(source, start);
    if (source.slice(start, end).trim() === name) return [start, end];
    start = end + 1;
  }
  return [source.length, source.length];
}

function readDocuments(reading: Reading): void {
  const { source } = reading;
  for (const { name, command } of reading.announced.splice(0)) {
    const start = reading.at;
    const [end, after] = documentEnd(source, start, name);
    command.documents.push({ text: source.slice(start, end), start, end });
    reading.at = Math.min(after + 1, source.length);
  }
}

function readWord(reading: Reading): void {
  const { source } = reading;
  const start = reading.at;
  let text = '';
  while (reading.at < source.length) {
    const char = source[reading.at] ?? '';
    const next = source[reading.at + 1];
    if (/[\s;&|()<>`]/.test(char) || (char === '$' && next === '(')) break;
    if (skipContinuation(reading)) continue;
    if (char === "'" || char === '"') {
      text += readQuoted(reading, char);
    } else if (char === '\\') {
      reading.at++;
      text += next ?? '';
    } else if (char !== '$' || (next !== "'" && next !== '"')) {
      text += char;
    }
    reading.at++;
  }
  reading.at = Math.min(reading.at, source.length);
  reading.command[reading.target].push({ text, start, end: reading.at });
  reading.target = 'words';
}

/** Leaves `at` on the closing quote. In double quotes `$(…)` and backquotes hold commands of their own. */
function readQuoted(reading: Reading, quote: string): string {
  const { source } = reading;
  let text = '';
  for (reading.at++; reading.at < source.length && source[reading.at] !== quote; reading.at++) {
    const char = source[reading.at] ?? '';
    const next = source[reading.at + 1] ?? '';
    if (quote === "'") {
      text += char;
    } else if (char === '$' && next === '(') {
      readSubstitution(reading, reading.at + 2, ')');
    } else if (char === '`') {
      readSubstitution(reading, reading.at + 1, '`');
    } else if (skipContinuation(reading)) {
      reading.at--;
    } else if (char === '\\' && next !== '' && '"\\$`'.includes(next)) {
      reading.at++;
      text += next;
    } else {
      text += char;
    }
  }
  return text;
}

/** Leaves `at` on the closing bracket or backquote. */
function readSubstitution(reading: Reading, at: number, close: ')' | '`'): void {
  const { source, depth, commands } = reading;
  reading.at =
    depth < NESTING_MAX
      ? readAll(source, { at, depth: depth + 1, close, commands })
      : closingOf(source, at, close);
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
