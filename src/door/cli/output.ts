import Table from 'cli-table3';
import { CredenceError, codeOf, messageOf } from '../../base/errors.ts';
import { pc } from './colour.ts';

/** Where a command prints: text for people, one JSON value for programs. */
export interface Output {
  readonly json: boolean;
  /** For people only. */
  text(line: string): void;
  /** For programs only: the command's whole result. */
  value(result: unknown): void;
  /** For people, on standard error: progress and warnings. */
  note(line: string): void;
}

/** Output to this process's streams. A reader that goes away (`| head`) ends the output, not in an error. */
export function processOutput(json: boolean): Output {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
  });
  return {
    json,
    text: (line) => void (json || process.stdout.write(`${line}\n`)),
    value: (result) =>
      void (json && process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`)),
    note: (line) => void process.stderr.write(`${line}\n`),
  };
}

/** What happened, with which id, and what to do next. */
export function errorLines(error: unknown): string[] {
  const code = codeOf(error);
  const lines = [`${pc.red('error')} ${messageOf(error)} ${pc.dim(`(${code})`)}`];
  if (error instanceof CredenceError && error.next !== undefined)
    lines.push(`${pc.dim('next:')} ${error.next}`);
  return lines;
}

/** An error as a program reads it. */
export function errorValue(error: unknown): object {
  const more =
    error instanceof CredenceError
      ? { category: error.category, next: error.next, data: error.data }
      : {};
  return { error: { code: codeOf(error), message: messageOf(error), ...more } };
}

/** A table without rules. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const chars = Object.fromEntries(
    [
      'top',
      'top-mid',
      'top-left',
      'top-right',
      'bottom',
      'bottom-mid',
      'bottom-left',
      'bottom-right',
      'left',
      'left-mid',
      'mid',
      'mid-mid',
      'right',
      'right-mid',
    ].map((name) => [name, '']),
  );
  const grid = new Table({
    head: head.map((name) => pc.dim(name)),
    chars: { ...chars, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  grid.push(...rows.map((row) => [...row]));
  return grid.toString();
}

const UNITS = ['B', 'kB', 'MB', 'GB'] as const;

/** `1.4 MB`. */
export function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** `3 min ago`. */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h ago`;
  return `${Math.round(seconds / 86_400)} days ago`;
}
