import type { Writable } from 'node:stream';
import { CredenceError } from '../../base/errors.ts';

/** A terminal, as far as a prompt needs it. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & {
    readonly isTTY?: boolean;
    setRawMode?(raw: boolean): unknown;
  };
  readonly output: Writable & { readonly isTTY?: boolean };
}

const ENTER = /[\r\n]/;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const BACKSPACE = ['\b', '\u007f'];

/** What was typed so far, after one more character; `undefined` where the prompt was left. */
function typed(line: string, character: string): string | undefined {
  if (character === CTRL_C || (character === CTRL_D && line === '')) return undefined;
  if (character === CTRL_U) return '';
  if (BACKSPACE.includes(character)) return [...line].slice(0, -1).join('');
  return character < ' ' ? line : line + character;
}

/**
 * Asks for a line that nobody can read on the screen; undefined where there is no terminal to ask at. Throws
 * `usage.cancelled` where the person leaves it.
 */
export async function askHidden(
  question: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string | undefined> {
  if (input.isTTY !== true || output.isTTY !== true || !input.setRawMode) return undefined;
  output.write(question);
  input.setRawMode(true);
  try {
    return await readLine(input);
  } finally {
    input.setRawMode(false);
    input.pause();
    output.write('\n');
  }
}

function readLine(input: Terminal['input']): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    const done = (settle: () => void) => {
      input.removeListener('data', heard);
      input.removeListener('end', ended);
      settle();
    };
    const ended = () => done(() => reject(cancelled()));
    const heard = (bytes: string | Buffer) => {
      for (const character of bytes.toString()) {
        if (ENTER.test(character)) return done(() => resolve(line));
        const next = typed(line, character);
        if (next === undefined) return done(() => reject(cancelled()));
        line = next;
      }
    };
    input.setEncoding('utf8');
    input.on('data', heard);
    input.on('end', ended);
    input.resume();
  });
}

function cancelled(): CredenceError {
  return new CredenceError('usage', 'usage.cancelled', 'nothing was typed, and nothing was done');
}
