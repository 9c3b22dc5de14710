import type { Span } from '../capture/fence.ts';
import type { Envelope, Injected } from '../runtime/envelope.ts';
import { ShingleIndex } from './shingles.ts';

/*
 * What a session says itself: without what we put before it, whether it stands in our fence or repeats nearly word by word what did.
 * An agent that says again what it was told has observed nothing. Source: design page 4, "Context fencing".
 */

/** Our fence, also as JSON or HTML spell it, or somebody who retypes it. */
const MARK = /(?:<|\\u003c|&lt;)\s*(\/?)\s*credence-context\b/gi;
const END = /(?:>|\\u003e|&gt;)/gi;
/** What stands before a line of a briefing: a list's sign, who and when in brackets, an id in brackets. */
const HEAD = /^\s*(?:[-*]\s*)?(?:\[[^\]]*\]\s*)?(?:\([^)]*\)\s*)?/;

/** Fences in a text; one in another ends with the outer one, and an unclosed one goes to the end. */
function fences(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  let depth = 0;
  for (const { 0: mark, 1: slash, index } of text.matchAll(MARK)) {
    if (slash === '') {
      if (depth === 0) start = index;
      depth += 1;
    } else if (depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      END.lastIndex = index + mark.length;
      spans.push({ start, end: END.exec(text) ? END.lastIndex : text.length });
    }
  }
  return depth > 0 ? [...spans, { start, end: text.length }] : spans;
}

function cutOut(text: string, spans: readonly Span[]): string {
  let kept = '';
  let from = 0;
  for (const { start, end } of spans) {
    if (start < from) continue;
    kept += text.slice(from, start);
    from = end;
  }
  return kept + text.slice(from);
}

/** Texts of an event that a model may read. */
function textsOf({ content, tool }: Envelope): string[] {
  return [content, tool?.input, tool?.result].filter((text) => text !== undefined);
}

/** What had been put before a session: what hooks and commands say that they showed, and what stands in fences in it. */
function toldIn(
  events: readonly Envelope[],
  textOf: (item: Injected) => readonly string[],
): ShingleIndex {
  const told = new ShingleIndex();
  const texts = new Set(
    events.flatMap(({ injected_context = [] }) => injected_context.flatMap(textOf)),
  );
  for (const text of events.flatMap(textsOf))
    for (const { start, end } of fences(text))
      for (const line of text.slice(start, end).split(/\\n|\n/)) texts.add(line.replace(HEAD, ''));
  for (const text of texts) told.add({ kind: 'claim', id: '', since: '' }, text);
  return told;
}

/** Makes of a text what the session says itself. */
export type OwnWords = (text: string) => string;

/**
 * What of a session's texts is its own. `textOf` tells what a thing that was put before it says; `around` are the events of the
 * session that it is a part of, whose briefing it had before it, too.
 */
export function ownWordsIn(
  events: readonly Envelope[],
  around: readonly Envelope[],
  textOf: (item: Injected) => readonly string[],
): OwnWords {
  const told = toldIn([...around, ...events], textOf);
  return (text) => {
    const unfenced = cutOut(text, fences(text));
    return cutOut(unfenced, told.spansIn(unfenced));
  };
}
