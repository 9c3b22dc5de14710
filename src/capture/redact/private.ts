import { CHAR, classAt } from './chars.ts';
import type { Scan } from './scan.ts';
import { RANK } from './span.ts';

const OPENING = /<private(?:\s+[\w-]+=[^<>]{0,200})?\s{0,8}>/iy;
const TAG = /<(\/?)private(?:\s+[\w-]+=[^<>]{0,200})?\s{0,8}>/gi;

/**
 * A `<private>` block, tags included: to its own end tag where blocks are nested, to the end of the text where
 * there is none. `at` is where `<pr` stands.
 */
export function probePrivate(scan: Scan, at: number): void {
  const { text } = scan;
  OPENING.lastIndex = at;
  if (at < scan.privateEnd || !OPENING.test(text)) return;
  const from = OPENING.lastIndex;
  // A tag that is quoted by itself is spoken of, not used.
  if (/["'`]/.test(text.charAt(at - 1)) && text[from] === text[at - 1]) return;
  // Local<Private> is a type of code: behind a word only a block that is closed counts.
  if (at > 0 && (classAt(text, at - 1) & CHAR.word) !== 0 && from > lastClosing(scan)) return;
  scan.privateEnd = blockEnd(text, from);
  scan.spans.push({ start: at, end: scan.privateEnd, rule: 'private', rank: RANK.block });
}

function lastClosing(scan: Scan): number {
  scan.privateClosing ??= scan.text.toLowerCase().lastIndexOf('</private');
  return scan.privateClosing;
}

function blockEnd(text: string, from: number): number {
  let depth = 1;
  TAG.lastIndex = from;
  for (let tag = TAG.exec(text); tag; tag = TAG.exec(text)) {
    depth += tag[1] === '/' ? -1 : 1;
    if (depth === 0) return TAG.lastIndex;
  }
  return text.length;
}
