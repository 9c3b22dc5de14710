import { lineEnd } from './chars.ts';

/** A here-document that a command announces: it begins with the next line. */
export interface Announced {
  /** The line that ends it. */
  readonly name: string;
  /** A shell expands nothing in it. */
  readonly isQuoted: boolean;
  /** Tabs before its lines do not count. */
  readonly isIndented: boolean;
  /** Where the command goes on. */
  readonly behind: number;
}

const DOCUMENT =
  /<<(-?)[ \t]*(?:([\w.-]{1,64})|\\([\w.-]{1,64})|"([^"\n]{1,64})"|'([^'\n]{1,64})')/y;
/** Two brackets or `let` before it: a shift of bits, as one by a number is. */
const ARITHMETIC = /(?:\(\(|\blet\s)[^)\n]*$/;
/** No delimiter is longer, however many tabs stand before it. */
const LINE_LOOK_MAX = 512;

/** What is announced at `at`, where `<<` stands; undefined where it shifts bits. */
export function announcedAt(source: string, at: number): Announced | undefined {
  DOCUMENT.lastIndex = at;
  const [, dash, bare, ...quoted] = DOCUMENT.exec(source) ?? [];
  const name = bare ?? quoted.find((one) => one !== undefined);
  if (name === undefined || /^\d+$/.test(bare ?? '')) return undefined;
  if (ARITHMETIC.test(source.slice(Math.max(0, at - 200), at))) return undefined;
  const { lastIndex: behind } = DOCUMENT;
  return { name, isQuoted: bare === undefined, isIndented: dash === '-', behind };
}

/** The end of a here-document that starts at `from`: where the line with its delimiter starts, and where it ends. */
export function documentEnd(
  source: string,
  from: number,
  { name, isIndented }: Announced,
): readonly [number, number] {
  for (let start = from; start < source.length; ) {
    const end = lineEnd(source, start);
    const line = source.slice(start, Math.min(end, start + LINE_LOOK_MAX)).replace(/\r$/, '');
    if ((isIndented ? line.replace(/^\t+/, '') : line) === name) return [start, end];
    start = end + 1;
  }
  return [source.length, source.length];
}
