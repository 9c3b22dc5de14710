import { endWithout } from './chars.ts';
import type { Scan } from './scan.ts';
import { looksRandom } from './shape.ts';
import { RANK } from './span.ts';

const BEGIN = /BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?(?: ?-{4,5})?/y;
const END = /-{4,5} ?END [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{0,5}/;
/** As far as an end is looked for behind a body, and behind what isn't base64: an example, an ellipsis. */
const KEY_MAX = 16_384;
const NEAR = 300;

// What stands around the lines of a key: white space, escaped line breaks, quotes and signs of code, the margins of
// diffs, lists and quotations, line numbers.
const MARGIN =
  /(?:[\s"'`+,|>#*;()[\]]|\\{1,4}[nrt]|\\(?=[\r\n"'])|\d{1,6}(?:→|\t|[:|-] ?| {1,4})|- ?(?=[A-Za-z\d+/])){1,120}/y;
/** A header line of older formats. */
const HEADER =
  /(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|MessageID|Encryption|Public-Lines|Private-Lines|Private-MAC|Key-Derivation|Argon2-\w+): ?[^\r\n\\"]{0,160}/y;
const HEADERS_MAX = 8;
const LINE = /=?[A-Za-z\d+/]+={0,2}/y;

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The end of what stands between two lines of a key. */
function betweenEnd(text: string, from: number): number {
  let end = matchEnd(MARGIN, text, from);
  for (let headers = 0; headers < HEADERS_MAX; headers++) {
    const header = matchEnd(HEADER, text, end);
    if (header === end) break;
    end = matchEnd(MARGIN, text, header);
  }
  return end;
}

/** The first line tells a key from prose: it is random, or at least no word, or begins as all of one format do. */
function isFirstLine(line: string): boolean {
  if (line.length < 16) return false;
  if (looksRandom(line)) return true;
  const begins = line.length >= 40 || /^(?:M[A-I]|b3Bl)/.test(line);
  return begins && /[a-z]/.test(line) && /[A-Z]/.test(line) && /\d/.test(line);
}

/** The end of the base64 lines that start at `from`; `from` itself where there are none. */
function bodyEnd(text: string, from: number): number {
  let end = from;
  for (let width = 0; end < text.length; ) {
    const between = betweenEnd(text, end);
    const stop = matchEnd(LINE, text, between);
    // A plus before a line is a margin or its first characters.
    const start = endWithout(text, end, between, '+');
    const length = stop - start;
    if (width === 0 && !isFirstLine(text.slice(between, stop))) break;
    if (length < width && !isLastLine(text, end, between, stop)) break;
    width = Math.max(width, length);
    end = stop;
  }
  return end;
}

/** True for a short line that follows right after the others and has its line to itself: else it is prose. */
function isLastLine(text: string, before: number, start: number, end: number): boolean {
  const between = text.slice(before, start);
  const breaks = Math.max(between.split('\n').length, between.split('\\n').length) - 1;
  return end > start && breaks <= 1 && /^(?:$|[\r\n\\"'`,<-])/.test(text.slice(end, end + 1));
}

/** The marker as a quoted literal of its own, as in code that looks for it. */
function isMention(text: string, start: number, end: number): boolean {
  const quote = text[start - 1];
  return quote !== undefined && '"\'`'.includes(quote) && text[end] === quote;
}

/**
 * A private key: from its first line to its last, or, cut off, to the last line that is there. Where neither a
 * body nor an end can be told, the whole text is withheld. `at` is where `BEGIN` stands.
 */
export function probePrivateKey(scan: Scan, at: number): void {
  const { text } = scan;
  if (at < scan.keyEnd) return;
  const opening = /-{4,5} ?$/.exec(text.slice(Math.max(0, at - 6), at))?.[0];
  if (opening === undefined) return;
  BEGIN.lastIndex = at;
  if (!BEGIN.test(text)) return;
  const start = at - opening.length;
  const head = BEGIN.lastIndex;
  const body = bodyEnd(text, head);
  if (body === head && isMention(text, start, head)) {
    scan.keyEnd = head;
    return;
  }
  const end = laterEnd(text, body, body > head ? KEY_MAX : NEAR) ?? body;
  if (end === head) {
    scan.whole = 'private-key';
    return;
  }
  scan.keyEnd = end;
  scan.spans.push({ start, end, rule: 'private-key', rank: RANK.block });
}

/** The end of the next end marker that is no further, and no other key's. */
function laterEnd(text: string, from: number, most: number): number | undefined {
  const near = text.slice(from, from + most);
  const next = near.indexOf('BEGIN ');
  const found = END.exec(next < 0 ? near : near.slice(0, next));
  return found ? from + found.index + found[0].length : undefined;
}

/** A PuTTY key file: from its private lines to its end. */
export function probePutty(scan: Scan, at: number): void {
  if (at < scan.keyEnd) return;
  const head = matchEnd(/Private-Lines: \d{1,4}/y, scan.text, at);
  if (head === at) return;
  const end = bodyEnd(scan.text, head);
  if (end === head) {
    scan.whole = 'private-key';
    return;
  }
  scan.keyEnd = end;
  scan.spans.push({ start: head, end, rule: 'private-key', rank: RANK.block });
}

const OPENING = /-{4,5} ?BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{0,5}/;
const ENCODED = /^[A-Za-z\d+/]+={0,2}$/;

/**
 * For strings that come one by one, as those of a JSON list: tells of each whether it goes on with a private key
 * that one before it began. The string with the beginning is for the probe.
 */
export function followKey(): (value: string) => boolean {
  /** The longest line so far; undefined outside of a key. */
  let width: number | undefined;
  return (value) => {
    const begun = value.includes('PRIVATE KEY') ? value.lastIndexOf('BEGIN ') : -1;
    if (begun >= 0 && OPENING.test(value.slice(Math.max(0, begun - 6), begun + 80))) {
      width = END.test(value.slice(begun)) ? undefined : 0;
      return false;
    }
    if (width === undefined) return false;
    const end = END.exec(value)?.index;
    const lines = value
      .slice(0, end)
      .split(/\r?\n|\\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '' && matchEnd(HEADER, line, 0) === 0);
    const { length } = lines.at(-1) ?? '';
    const goesOn =
      lines.every((line) => ENCODED.test(line)) &&
      (width > 0 || lines.length === 0 || isFirstLine(lines[0] ?? '')) &&
      (length >= width || length % 4 === 0);
    // A shorter line is the last one.
    const open = goesOn && end === undefined && (length >= width || lines.length === 0);
    width = open ? Math.max(width, length) : undefined;
    return goesOn && lines.length > 0;
  };
}
