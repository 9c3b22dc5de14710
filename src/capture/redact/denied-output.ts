import { CHAR, endWithout, lineEnd, runEnd } from './chars.ts';
import { foldersAbove, isDeniedFrom } from './path.ts';
import type { Scan } from './scan.ts';
import { RANK } from './span.ts';

const ESCAPE = '\u001b';
/** What stands behind a name: a colon, the end of a heading or of a head, a quote, colours. */
const ENDS = `:\n\r\t"${ESCAPE}`;
const COLOUR = new RegExp(`${ESCAPE}\\[[\\d;]{0,32}[mK]`, 'g');

const PATH_MAX = 512;
const HEAD_MAX = 4 * PATH_MAX;
const REMEMBERED_MAX = 4096;
/** How many places of a line are tried as the end of a path. */
const TRIES_MAX = 8;
const BARE_MAX = 16;
const FOLDERS_MAX = 16;
/** The start of a line in a log, which can follow a name in a list. */
const TIME = /^(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d)/;
const HEADS = ['diff -', '--- ', '==> ', ESCAPE];
/** How the first part of a difference begins; by it the head of one is told from a command. */
const PART = /^(?:\d[\d,]*[acd]\d|--- |\*\*\* |Binary )/;
/** What the lines of a history begin with that is drawn as a graph. */
const GRAPH = '|*\\/_ ';
const GRAPH_MAX = 200;

/** Notes that a denied file is named where a search, a diff or a listing of files does it; then the lines are read. */
export function probeFileName(scan: Scan, at: number): void {
  const { text } = scan;
  if (scan.namesFile || scan.kind !== 'output') return;
  const end = runEnd(text, at, CHAR.token, at + PATH_MAX);
  scan.namesFile =
    ENDS.includes(text[end] ?? '\n') ||
    text.startsWith(' <==', end) ||
    text.startsWith(' b/', end) ||
    /-\d{1,9}-/.test(text.slice(at, end));
}

interface Lines {
  readonly scan: Scan;
  readonly isDenied: (path: string) => boolean;
  /** Paths that are denied and stood before a hit without a number: their context lines look like other names. */
  readonly bare: Set<string>;
  /** Where the part of a denied file began, and whether it is one of a diff. */
  part: { readonly start: number; readonly isDiff: boolean } | undefined;
  /** The lines that follow are hits in a denied file. */
  underName: boolean;
}

function withhold({ spans, text }: Scan, start: number, end: number): void {
  const stop = endWithout(text, start, end, '\r\n');
  if (stop > start) spans.push({ start, end: stop, rule: 'denied-path', rank: RANK.block });
}

/**
 * Finds what an output shows of denied files that it names itself: hits of a search with their context, parts of a
 * diff, files that were printed one after another.
 */
export function scanLines(scan: Scan): void {
  const { text, policy } = scan;
  if (scan.kind !== 'output' || !(scan.namesFile || policy.deniedPaths?.length)) return;
  const lines: Lines = {
    scan,
    isDenied: remembering((path) => isDeniedFrom(foldersAbove(policy.cwd, 1), path, policy)),
    bare: new Set(),
    part: undefined,
    underName: false,
  };
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at);
    readLine(lines, at, end);
    at = end + 1;
  }
  if (lines.part) withhold(scan, lines.part.start, text.length);
  if (lines.bare.size > 0) scanContext(scan, [...lines.bare]);
}

function remembering(test: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const found = known.get(path) ?? test(path);
    if (known.size < REMEMBERED_MAX) known.set(path, found);
    return found;
  };
}

function readLine(lines: Lines, at: number, end: number): void {
  const { scan, isDenied } = lines;
  const { text } = scan;
  const head = behindGraph(text, at);
  const part = partOf(lines, head, end);
  if (part) {
    // In the part of a diff, what looks like a pair of names is part of it.
    if (lines.part?.isDiff && !part.isDiff && text.startsWith('---', head)) return;
    if (lines.part) withhold(scan, lines.part.start, at - 1);
    lines.part = part.isDenied ? { start: part.start, isDiff: part.isDiff } : undefined;
    lines.underName = false;
    return;
  }
  if (lines.part) return;
  const hit = numberEnd(text, at);
  if (lines.underName && hit > 0) {
    withhold(scan, hit, end);
    return;
  }
  lines.underName &&= text.startsWith('--', at) && end - at <= 3;
  if (!lines.underName && numberEnd(text, end + 1) > 0 && end - at <= PATH_MAX) {
    const name = plain(text.slice(at, end).trimEnd());
    const isTime = TIME.test(text.slice(end + 1, end + 11));
    // A colon further on than that of a drive is none of a name.
    lines.underName = !isTime && !/[\s:]/.test(name.slice(2)) && isDenied(name);
  }
  const from = foundEnd(lines, text.slice(at, Math.min(end, at + PATH_MAX)));
  if (from > 0) withhold(scan, at + from, end);
}

/** The end of `3:` or `3-`, with which a search starts the lines of a file; 0 where there is none. */
function numberEnd(text: string, at: number): number {
  const end = runEnd(text, at, CHAR.digit, at + 9);
  return end > at && (text[end] === ':' || text[end] === '-') ? end + 1 : 0;
}

/** Without the colours that a terminal is told. */
function plain(text: string): string {
  return text.includes(ESCAPE) ? text.replace(COLOUR, '') : text;
}

/** Where a line begins behind what draws a graph before it. */
function behindGraph(text: string, at: number): number {
  if (text[at] !== '|' && text[at] !== '*') return at;
  let start = at;
  while (start - at < GRAPH_MAX && GRAPH.includes(text[start] ?? 'x')) start++;
  return start;
}

/** The part that a line heads, of a diff or of files that are printed together. */
function partOf(
  { scan, isDenied }: Lines,
  at: number,
  end: number,
): { readonly isDenied: boolean; readonly isDiff: boolean; readonly start: number } | undefined {
  const { text, policy } = scan;
  if (!HEADS.some((head) => text.startsWith(head, at))) return undefined;
  const line = plain(text.slice(at, Math.min(end, at + HEAD_MAX))).trimEnd();
  const printed = /^==> (.+) <==$/.exec(line)?.[1];
  if (printed !== undefined) return { isDenied: isDenied(printed), isDiff: false, start: end + 1 };
  // The names in a diff start at the top of the checkout, which may lie above the working folder.
  const above = foldersAbove(policy.cwd, FOLDERS_MAX);
  const isOne = (path: string) => isDenied(path) || isDeniedFrom(above, path, policy);
  const [, git, head] = /^diff (--(?:git|cc|combined) )?(?:-\S+ )*(.+)/.exec(line) ?? [];
  if (head !== undefined && (git || PART.test(text.slice(end + 1, end + 33))))
    return { isDenied: namesOf(head).some(isOne), isDiff: true, start: end + 1 };
  const next = behindGraph(text, end + 1);
  if (!line.startsWith('--- ') || !text.startsWith('+++ ', next)) return undefined;
  const second = lineEnd(text, next);
  const names = [line.slice(4), text.slice(next + 4, Math.min(second, end + HEAD_MAX))];
  const paths = names.flatMap((name) => namesOf(name.replace(/\t.*/s, '')));
  return { isDenied: paths.some(isOne), isDiff: false, start: second + 1 };
}

/** The paths in the head of a diff: with the prefix of their side and without, both where there are two. */
function namesOf(head: string): readonly string[] {
  const bare = head.replace(/["\r]/g, '');
  const second = bare.lastIndexOf(' b/');
  const sides =
    second < 0 ? [bare, ...bare.split(' ', 9)] : [bare.slice(0, second), bare.slice(second + 1)];
  return sides.flatMap((side) => [side, side.replace(/^[a-z]\//, '')]);
}

const CONTEXT = /-\d{1,9}-/g;
const FAILURE = /^: (?:No such file or directory|Permission denied|Is a directory)\s*$/;

/** Where the content starts in a line that a search found in a denied file, `.env:3:…`, `.env-2-…`; 0 in any other. */
function foundEnd(lines: Lines, head: string): number {
  if (head === '' || head[0] === ' ' || head[0] === '\t') return 0;
  const isDrive = head[1] === ':' && /^[A-Za-z]:[\\/]/.test(head);
  const colon = head.indexOf(':', isDrive ? 2 : 0);
  const found = foundFrom(lines, head, 0, colon);
  if (found > 0 || colon < 0) return found;
  // A search in a revision puts that before the path. What is none often has a blank behind the second colon.
  const revision = head.slice(0, colon);
  const end = /\s/.test(revision)
    ? 0
    : foundFrom(lines, head, colon + 1, head.indexOf(':', colon + 1));
  const isSure =
    /^(?:HEAD|[\da-f]{7,40})$/.test(revision) || /[:-]\d{1,9}[:-]$/.test(head.slice(0, end));
  return isSure || head[end] !== ' ' ? end : 0;
}

/** The same for a path that starts at `start`; `colon` is the first one behind it. */
function foundFrom({ isDenied, bare }: Lines, head: string, start: number, colon: number): number {
  CONTEXT.lastIndex = start;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const found = CONTEXT.exec(head);
    if (!found || (colon >= 0 && found.index > colon)) break;
    if (isDenied(plain(head.slice(start, found.index)))) return CONTEXT.lastIndex;
  }
  if (colon < 0) return 0;
  const end = hitEnd(head, start, colon, isDenied);
  if (end === colon + 1 && bare.size < BARE_MAX) bare.add(head.slice(0, colon));
  return end;
}

function hitEnd(head: string, start: number, colon: number, isDenied: Lines['isDenied']): number {
  const path = plain(head.slice(start, colon));
  const number = numberEnd(head, colon + 1);
  // With white space in it, what stands before a colon is a path only where a number follows.
  if (number === 0 && (/\s/.test(path) || FAILURE.test(head.slice(colon)))) return 0;
  // `login.key: "Enter"` is a property; what a key file holds never begins with a blank.
  if (number === 0 && /\.(?:key|pem)$/i.test(path) && head[colon + 1] === ' ') return 0;
  return path !== '' && isDenied(path) ? number || colon + 1 : 0;
}

/** The lines around hits without numbers: of `.env:A=b` that is `.env-C=d`. */
function scanContext(scan: Scan, paths: readonly string[]): void {
  const { text } = scan;
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at);
    const path = paths.find((one) => text.startsWith(`${one}-`, at));
    if (path !== undefined) withhold(scan, at + path.length + 1, end);
    at = end + 1;
  }
}
