import { CHAR, runEnd, runStart } from './chars.ts';
import { isDeniedPath } from './path.ts';
import type { Scan } from './scan.ts';
import { RANK } from './span.ts';

const PATH_MAX = 512;
const HEAD = 'diff --git ';

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** The section of a denied file in a diff that names many. `at` is where `diff --git` stands. */
export function probeDiff(scan: Scan, at: number): void {
  const { text } = scan;
  if (scan.kind !== 'output' || (at > 0 && text[at - 1] !== '\n')) return;
  const end = lineEnd(text, at);
  const head = text.slice(at + HEAD.length, Math.min(end, at + 4 * PATH_MAX)).replace(/["\r]/g, '');
  const path = head.slice(head.lastIndexOf(' b/') + 3);
  if (!isDeniedPath(path, {})) return;
  const next = text.indexOf(`\n${HEAD}`, end);
  const stop = next < 0 ? text.length : next;
  scan.spans.push({
    start: Math.min(end + 1, stop),
    end: stop,
    rule: 'denied-path',
    rank: RANK.block,
  });
}

/** A line that a recursive search found in a denied file, `.env:3:…`. `at` is inside the file's name. */
export function probeFoundLine(scan: Scan, at: number): void {
  const { text } = scan;
  const name = runEnd(text, at, CHAR.name, at + PATH_MAX);
  if (scan.kind !== 'output' || text[name] !== ':') return;
  const start = runStart(text, at, CHAR.token, at - PATH_MAX);
  if ((start > 0 && text[start - 1] !== '\n') || !isDeniedPath(text.slice(start, name), {})) return;
  const number = runEnd(text, name + 1, CHAR.digit, name + 8);
  const from = text[number] === ':' ? number + 1 : name + 1;
  scan.spans.push({ start: from, end: lineEnd(text, from), rule: 'denied-path', rank: RANK.block });
}
