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
    text: (line) => void (isJson() || print(line)),
    value: (result) => void (isJson() && print(JSON.stringify(result, undefined, 2))),
    row: (result) => void (isJson() && print(JSON.stringify(result))),
    note: (line) => void process.stderr.write(`${line}\n`),
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
