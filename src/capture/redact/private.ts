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
  TAG.lastIndex = OPENING.lastIndex;
  let depth = 1;
  let end = text.length;
  for (let tag = TAG.exec(text); tag; tag = TAG.exec(text)) {
    depth += tag[1] === '/' ? -1 : 1;
    if (depth > 0) continue;
    end = TAG.lastIndex;
    break;
  }
  // Local<Private> is a type of code: there only a closed block counts.
  if (depth > 0 && at > 0 && (classAt(text, at - 1) & CHAR.word) !== 0) {
    scan.privateEnd = OPENING.lastIndex;
    return;
  }
  scan.privateEnd = end;
  scan.spans.push({ start: at, end, rule: 'private', rank: RANK.block });
}
