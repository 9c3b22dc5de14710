/** Classes of the ASCII characters, as bits, so that the inner loops look up and never match patterns. */
export const CHAR = {
  lower: 1,
  upper: 2,
  digit: 4,
  /** Letters, digits and `_`. */
  word: 8,
  /** What a name can hold: word characters, `.` and `-`. */
  name: 16,
  /** What an encoded value can hold: word characters and `+ / . ~ -`. */
  token: 32,
  space: 64,
  /** What ends the user and host part of a URL. */
  urlEnd: 128,
  /** What a long token can go on with: of encoded values and of what URLs escape. */
  tail: 256,
} as const;

const TABLE = new Uint16Array(128);

function mark(chars: string, bits: number): void {
  for (let i = 0; i < chars.length; i++) {
    const code = chars.charCodeAt(i);
    TABLE[code] = (TABLE[code] ?? 0) | bits;
  }
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
mark(LOWER, CHAR.lower);
mark(LOWER.toUpperCase(), CHAR.upper);
mark('0123456789', CHAR.digit);
const WORD = `${LOWER}${LOWER.toUpperCase()}0123456789_`;
mark(WORD, CHAR.word);
mark(`${WORD}.-`, CHAR.name);
mark(`${WORD}+/.~-`, CHAR.token);
mark(`${WORD}+/.~-%=`, CHAR.tail);
mark('\t ', CHAR.space);
mark('\t\n\v\f\r /?#"\'<>`\\', CHAR.urlEnd);

/** The class bits of the character at an offset; 0 beyond the text and beyond ASCII. */
export function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (TABLE[code] ?? 0) : 0;
}

/** The end of the run of characters of a class that starts at `at`; at most `limit`. */
export function runEnd(text: string, at: number, bits: number, limit = text.length): number {
  let end = at;
  while (end < limit && (classAt(text, end) & bits) !== 0) end++;
  return end;
}

/** The start of the run of characters of a class that ends before `at`; at least `limit`. */
export function runStart(text: string, at: number, bits: number, limit = 0): number {
  let start = at;
  while (start > limit && (classAt(text, start - 1) & bits) !== 0) start--;
  return start;
}

/** The end of the line that `at` is in: where its line break stands. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** The end of a stretch without the signs at its end. A pattern for it would try again from each of them. */
export function endWithout(text: string, start: number, end: number, signs: string): number {
  let last = end;
  while (last > start && signs.includes(text[last - 1] ?? ' ')) last--;
  return last;
}

// The end of an escape reads as a letter but is none: \n, \u003d, %3D, a terminal's colour code.
const ESCAPE_BEFORE =
  /(?:\\[bfnrt]|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|%[\da-fA-F]{2}|\[[\d;]{1,8}m)$/;

/** True where a word can start at this offset. */
export function isBoundary(text: string, at: number): boolean {
  if (at === 0 || (classAt(text, at - 1) & CHAR.word) === 0) return true;
  return ESCAPE_BEFORE.test(text.slice(Math.max(0, at - 10), at));
}
