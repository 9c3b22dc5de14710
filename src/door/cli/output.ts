/** Where a command prints: text for people, one JSON value for programs. */
export interface Output {
  readonly json: boolean;
  /** For people only. */
  text(line: string): void;
  /** For programs only: the command's whole result. */
  value(result: unknown): void;
  /** For programs only: one of many results of a command that goes on, on one line. */
  row(result: unknown): void;
  /** On standard error: progress and warnings. */
  note(line: string): void;
}

/** Controls but for the line feed and the tab, a colour that picocolors sets, and what turns the direction of a line. */
const ESCAPE = '\u001b';
const CONTROL = new RegExp(
  `(${ESCAPE}\\[\\d{1,3}(?:;\\d{1,3})*m)|(?![\\n\\t])[\\p{Cc}\\p{Bidi_Control}]`,
  'gu',
);

/**
 * A text that does nothing to a terminal but colour it, whoever wrote it: names in an error, or in a store that others
 * share, can hold anything. What is dropped shows as `?`.
 */
export function printable(text: string): string {
  return text.replace(CONTROL, (_, colour: string | undefined) => colour ?? '?');
}

/** One JSON value that says the same, with every control character as an escape: JSON itself lets some of them stand. */
export function printableJson(value: unknown, indent?: number): string {
  const escaped = (character: string) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = JSON.stringify(value, undefined, indent);
  return text.replace(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, escaped);
}

/** Output to this process's streams. A reader that goes away (`| head`) ends the output, not in an error. */
export function processOutput(isJson: () => boolean): Output {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
  });
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  return {
    get json() {
      return isJson();
    },
    text: (line) => void (isJson() || print(printable(line))),
    value: (result) => void (isJson() && print(printableJson(result, 2))),
    row: (result) => void (isJson() && print(printableJson(result))),
    note: (line) => void process.stderr.write(`${printable(line)}\n`),
  };
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

/** `1 session`, `2 sessions`. */
export function count(n: number, what: string, many = `${what}s`): string {
  return `${n} ${n === 1 ? what : many}`;
}

/** `3 min ago`. */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h ago`;
  return `${Math.round(seconds / 86_400)} days ago`;
}
