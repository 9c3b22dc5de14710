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
}

interface Reading {
  readonly source: string;
  /** Where `source` starts in the whole text. */
  readonly offset: number;
  readonly depth: number;
  readonly commands: SimpleCommand[];
  /** Here-documents that the line announced, to be read at its end. */
  readonly announced: { readonly name: string; readonly command: SimpleCommand }[];
  at: number;
  command: SimpleCommand;
  target: 'words' | 'reads' | 'writes';
}

/** How deep commands may lie in commands; what lies deeper is not looked at. */
export const NESTING_MAX = 4;
const OPERATOR = ';&|()`';
const DOCUMENT = /<<-?[ \t]*(["']?)([\w.-]{1,64})\1/y;

const emptyCommand = (): SimpleCommand => ({ words: [], reads: [], writes: [], documents: [] });

/**
 * The simple commands of a shell text, those in `$(…)`, backquotes and brackets too. An approximation of POSIX
 * that errs towards more words: nothing is expanded, here-documents are set apart. Never throws.
 */
export function readCommands(source: string): readonly SimpleCommand[] {
  return readAll(source, 0, 0);
}

function readAll(source: string, offset: number, depth: number): SimpleCommand[] {
  const reading: Reading = {
    source,
    offset,
    depth,
    commands: [],
    announced: [],
    at: 0,
    command: emptyCommand(),
    target: 'words',
  };
  while (reading.at < source.length) {
    const char = source[reading.at] ?? '';
    if (char === '\n') {
      endCommand(reading, 1);
      readDocuments(reading);
    } else if (char === '#') reading.at = lineEnd(source, reading.at);
    else if (OPERATOR.includes(char)) endCommand(reading, 1);
    else if (char === '$' && source[reading.at + 1] === '(') endCommand(reading, 2);
    else if (char === '<' || char === '>') readRedirection(reading, char);
    else if (/\s/.test(char)) reading.at++;
    else readWord(reading);
  }
  endCommand(reading, 0);
  return reading.commands;
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end < 0 ? source.length : end;
}

function endCommand(reading: Reading, length: number): void {
  reading.at += length;
  reading.target = 'words';
  const { words, reads, writes } = reading.command;
  if (words.length + reads.length + writes.length === 0) return;
  reading.commands.push(reading.command);
  reading.command = emptyCommand();
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
    endCommand(reading, 1);
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
  const { source, offset } = reading;
  for (const { name, command } of reading.announced.splice(0)) {
    const start = reading.at;
    const [end, after] = documentEnd(source, start, name);
    command.documents.push({
      text: source.slice(start, end),
      start: offset + start,
      end: offset + end,
    });
    reading.at = Math.min(after + 1, source.length);
  }
}

function readWord(reading: Reading): void {
  const { source, offset } = reading;
  const start = reading.at;
  let text = '';
  for (; reading.at < source.length; reading.at++) {
    const char = source[reading.at] ?? '';
    if (/[\s;&|()<>`]/.test(char) || (char === '$' && source[reading.at + 1] === '(')) break;
    if (char === "'" || char === '"') {
      text += readQuoted(reading, char);
    } else if (char === '\\') {
      reading.at++;
      text += source[reading.at] ?? '';
    } else {
      text += char;
    }
  }
  reading.at = Math.min(reading.at, source.length);
  reading.command[reading.target].push({ text, start: offset + start, end: offset + reading.at });
  reading.target = 'words';
}

/** Leaves `at` on the closing quote. In double quotes `$(…)` holds commands of its own. */
function readQuoted(reading: Reading, quote: string): string {
  const { source } = reading;
  let text = '';
  for (reading.at++; reading.at < source.length && source[reading.at] !== quote; reading.at++) {
    const char = source[reading.at] ?? '';
    const next = source[reading.at + 1] ?? '';
    if (quote === '"' && char === '$' && next === '(') {
      readSubstitution(reading);
    } else if (quote === '"' && char === '\\' && next !== '' && '"\\$`\n'.includes(next)) {
      reading.at++;
      text += next;
    } else {
      text += char;
    }
  }
  return text;
}

/** Leaves `at` on the closing bracket. */
function readSubstitution(reading: Reading): void {
  const { source, offset, depth } = reading;
  const start = reading.at + 2;
  let end = start;
  for (let open = 1; end < source.length; end++) {
    if (source[end] === '(') open++;
    else if (source[end] === ')' && --open === 0) break;
    else if (source[end] === '<' && source[end + 1] === '<') {
      // Brackets and quotes of a here-document close nothing.
      DOCUMENT.lastIndex = end;
      const name = DOCUMENT.exec(source)?.[2];
      if (name !== undefined) end = documentEnd(source, lineEnd(source, end) + 1, name)[1] - 1;
    }
  }
  reading.at = end;
  if (depth < NESTING_MAX) {
    reading.commands.push(...readAll(source.slice(start, end), offset + start, depth + 1));
  }
}
