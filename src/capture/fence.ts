import { LIMIT } from '../base/limits.ts';
import { truncateUtf8 } from '../base/text.ts';
import type { Injected } from '../runtime/envelope.ts';
import type { BriefLine } from './brief-file.ts';

/** A text for an agent, and what it puts before it. */
export interface Fenced {
  readonly text: string;
  readonly items: readonly Injected[];
  /** True where lines were left out that had no room. */
  readonly cut: boolean;
}

/** How a line begins that only says what the next ones are. */
export const HEADING = '### ';

const OPEN = '<credence-context';
const CLOSE = '</credence-context>';
const FENCE_MARK = new RegExp(`${OPEN}|${CLOSE}`, 'g');

function openTag(items: readonly Injected[]): string {
  // An id that could end the tag can only be hostile: it is shown, and can't be followed.
  const ids = items.map(({ kind, id }) => `${kind}:${id.replace(/[^A-Za-z0-9._:~-]/g, '?')}`);
  return `${OPEN} ids="${ids.join(' ')}">`;
}

/** A fence goes to the runtime as a string of JSON, in an object that takes less than this beside it. */
const AROUND_BYTES_MAX = 120;

/** What a text takes as a part of a string of JSON. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** What a line adds: itself, its line feed, and the names of what is new in it. */
function costOf(line: BriefLine, fresh: readonly Injected[]): number {
  const escapes = jsonBytes(`${line.text}\n`) - Buffer.byteLength(line.text) - 1;
  const names = fresh.reduce((sum, { kind, id }) => sum + kind.length + jsonBytes(id) + 2, 0);
  return line.bytes + escapes + names;
}

/** The lines that are true now, without the headings that nothing stands under. */
function current(lines: readonly BriefLine[], now: number): BriefLine[] {
  const all = lines.filter((line) => line.until === undefined || line.until >= now);
  const isHeading = (line: BriefLine | undefined) => line?.text.startsWith(HEADING) === true;
  return all.filter(
    (line, i) => !isHeading(line) || (i + 1 < all.length && !isHeading(all[i + 1])),
  );
}

/**
 * Wraps lines in the fence by which extraction later knows what an agent was told. Lines that are out of date
 * are left out, and lines from the end once the whole, as a string of JSON, would pass `bytesMax`: a briefing puts
 * the most useful first. Undefined where no line with content is left.
 */
export function fence(
  lines: readonly BriefLine[],
  now: number,
  bytesMax: number = LIMIT.briefing_bytes_max - AROUND_BYTES_MAX,
): Fenced | undefined {
  const kept: BriefLine[] = [];
  const items = new Map<string, Injected>();
  let cut = false;
  let bytes = 2 + jsonBytes(`${openTag([])}\n${CLOSE}`);
  for (const line of current(lines, now)) {
    const fresh = line.items.filter((item) => !items.has(`${item.kind}:${item.id}`));
    const cost = costOf(line, fresh);
    cut = bytes + cost > bytesMax;
    if (cut) break;
    bytes += cost;
    kept.push(line);
    for (const item of fresh) items.set(`${item.kind}:${item.id}`, item);
  }
  if (kept.at(-1)?.text.startsWith(HEADING)) kept.pop();
  const all = [...items.values()];
  if (all.length === 0) return undefined;
  const text = [openTag(all), ...kept.map((line) => line.text), CLOSE].join('\n');
  return { text, items: all, cut };
}

/** Whether a text can hold a fence. */
export const FENCED = OPEN;

/** A stretch of a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Where a text repeats what was put before the agent. A fence in a fence ends with the outer one; an unclosed one goes to
 * the end.
 */
export function fencedSpans(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  let depth = 0;
  for (const { 0: mark, index } of text.matchAll(FENCE_MARK)) {
    if (mark !== CLOSE) {
      if (depth === 0) start = index;
      depth += 1;
    } else if (depth > 0) {
      depth -= 1;
      if (depth === 0) spans.push({ start, end: index + CLOSE.length });
    }
  }
  return depth > 0 ? [...spans, { start, end: text.length }] : spans;
}

/** A text without the spans that were put before the agent, so that nothing is taken for its own which it was told. */
export function stripFences(text: string): string {
  let kept = '';
  let from = 0;
  for (const { start, end } of fencedSpans(text)) {
    kept += text.slice(from, start);
    from = end;
  }
  return kept + text.slice(from);
}

/** What a text says itself, on one line, cut to its bytes. */
export function ownWords(text: string, bytesMax: number): string {
  return truncateUtf8(stripFences(text).replace(/\s+/g, ' ').trim(), bytesMax);
}
