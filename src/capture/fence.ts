import { LIMIT } from '../base/limits.ts';
import type { Injected } from '../runtime/envelope.ts';
import type { BriefLine } from './brief-file.ts';

/** A text for an agent, and what it puts before it. */
export interface Fenced {
  readonly text: string;
  readonly items: readonly Injected[];
}

const CLOSE = '</credence-context>';

function openTag(items: readonly Injected[]): string {
  return `<credence-context ids="${items.map((item) => `${item.kind}:${item.id}`).join(' ')}">`;
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

/** A text without the spans that were put before the agent, so that nothing is taken for its own which it was told. An unclosed fence goes to the end. */
export function stripFences(text: string): string {
  let kept = '';
  let from = 0;
  for (;;) {
    const open = text.indexOf('<credence-context', from);
    if (open < 0) return kept + text.slice(from);
    kept += text.slice(from, open);
    const close = text.indexOf(CLOSE, open);
    if (close < 0) return kept;
    from = close + CLOSE.length;
  }
}
