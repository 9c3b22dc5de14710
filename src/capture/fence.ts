import { LIMIT } from '../base/limits.ts';
import type { Injected } from '../runtime/envelope.ts';
import type { BriefLine } from './brief-file.ts';

/** A text for an agent, and what it puts before it. */
export interface Fenced {
  readonly text: string;
  readonly items: readonly Injected[];
}

const OPEN = '<credence-context';
const CLOSE = '</credence-context>';
const FENCE_MARK = new RegExp(`${OPEN}|${CLOSE}`, 'g');

function openTag(items: readonly Injected[]): string {
  // An id that could end the tag can only be hostile: it is shown, and can't be followed.
  const ids = items.map(({ kind, id }) => `${kind}:${id.replace(/[^A-Za-z0-9._:~-]/g, '?')}`);
  return `${OPEN} ids="${ids.join(' ')}">`;
}

/**
 * Wraps lines in the fence by which extraction later knows what an agent was told. Lines that are out of date
 * are left out, and lines from the end once the whole would pass `bytesMax`: a briefing puts the most useful
 * first. Undefined where no line with content is left.
 */
export function fence(
  lines: readonly BriefLine[],
  now: number,
  bytesMax: number = LIMIT.briefing_bytes_max,
): Fenced | undefined {
  const kept: BriefLine[] = [];
  const items = new Map<string, Injected>();
  let bytes = Buffer.byteLength(openTag([])) + CLOSE.length + 2;
  for (const line of lines) {
    if (line.until !== undefined && line.until < now) continue;
    const fresh = line.items.filter((item) => !items.has(`${item.kind}:${item.id}`));
    const cost =
      line.bytes +
      fresh.reduce((sum, item) => sum + item.kind.length + Buffer.byteLength(item.id) + 2, 0);
    if (bytes + cost > bytesMax) break;
    bytes += cost;
    kept.push(line);
    for (const item of fresh) items.set(`${item.kind}:${item.id}`, item);
  }
  const all = [...items.values()];
  if (all.length === 0) return undefined;
  return { text: [openTag(all), ...kept.map((line) => line.text), CLOSE].join('\n'), items: all };
}

/**
 * A text without the spans that were put before the agent, so that nothing is taken for its own which it was told. A
 * fence in a fence ends with the outer one; an unclosed one goes to the end.
 */
export function stripFences(text: string): string {
  let kept = '';
  let from = 0;
  let depth = 0;
  for (const { 0: mark, index } of text.matchAll(FENCE_MARK)) {
    if (mark !== CLOSE) {
      if (depth === 0) kept += text.slice(from, index);
      depth += 1;
    } else if (depth > 0) {
      depth -= 1;
      from = index + CLOSE.length;
    }
  }
  return depth > 0 ? kept : kept + text.slice(from);
}
