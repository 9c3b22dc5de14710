import type { Scan } from './scan.ts';
import { looksRandom } from './shape.ts';
import { RANK } from './span.ts';

const BEGIN = /BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?(?: ?-{4,5})?/y;
const END = /-{4,5} ?END [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{0,5}/y;
/** As far as an end is looked for behind a body that isn't base64: an example, an ellipsis. */
const NEAR = 300;

// What stands around the lines of a key: white space, escaped line breaks, quotes and signs of code, a diff's or a
// quotation's margin, line numbers, and the header lines of older formats.
const DECORATION =
  /(?:[\s"'`+,|>#*;()]|\\{1,4}[nrt]|\\(?=[\r\n"'])|\d{1,6}(?:→|\t|: )|-(?=[A-Za-z\d+/])|(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|MessageID|Encryption|Public-Lines|Private-Lines|Private-MAC|Key-Derivation|Argon2-\w+): ?[^\r\n\\"]{0,160}){1,400}/y;
const LINE = /=?[A-Za-z\d+/]+={0,2}/y;

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The end of the base64 lines that start at `from`; `from` itself where there are none. */
function bodyEnd(text: string, from: number): number {
  let end = from;
  for (let width = 0; end < text.length; ) {
    const start = matchEnd(DECORATION, text, end);
    const stop = matchEnd(LINE, text, start);
    const length = stop - start;
    // The first line tells a key from prose; after it only the last line and a checksum are shorter than those before.
    if (width === 0 && !(length >= 16 && looksRandom(text.slice(start, stop)))) break;
    if (length < width && !isLastLine(text, end, start, stop)) break;
    width = Math.max(width, length);
    end = stop;
  }
  return end;
}

/** True for a short line that follows right after the others and has its line to itself: else it is prose. */
function isLastLine(text: string, before: number, start: number, end: number): boolean {
  const breaks = text.slice(before, start).match(/\n|\\n/g)?.length ?? 0;
  return end > start && breaks <= 1 && /^(?:$|[\r\n\\"'`,<-])/.test(text.slice(end, end + 1));
}

/** The marker as a quoted literal of its own, as in code that looks for it. */
function isMention(text: string, start: number, end: number): boolean {
  const quote = text[start - 1];
  return (
    quote !== undefined && '"\'`'.includes(quote) && text[end] === quote && text[end - 1] === '-'
  );
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
  let end = matchEnd(END, text, matchEnd(DECORATION, text, body));
  if (end === matchEnd(DECORATION, text, body)) {
    if (body === head && isMention(text, start, head)) {
      scan.keyEnd = head;
      return;
    }
    end = body > head ? body : nearEnd(text, head);
  }
  if (end < 0) {
    scan.whole = 'private-key';
    return;
  }
  scan.keyEnd = end;
  scan.spans.push({ start, end, rule: 'private-key', rank: RANK.block });
}

/** The end marker of a key whose body is only hinted at; -1 where there is none close by. */
function nearEnd(text: string, from: number): number {
  const near = text.slice(from, from + NEAR);
  const found = /-{4,5} ?END [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{0,5}/.exec(near);
  return found && !/BEGIN /.test(near.slice(0, found.index))
    ? from + found.index + found[0].length
    : -1;
}

/** A PuTTY key file: from its private lines to its end. */
export function probePutty(scan: Scan, at: number): void {
  const head = matchEnd(/Private-Lines: \d{1,4}/y, scan.text, at);
  if (head === at) return;
  const end = bodyEnd(scan.text, head);
  if (end === head) scan.whole = 'private-key';
  else scan.spans.push({ start: head, end, rule: 'private-key', rank: RANK.block });
}
