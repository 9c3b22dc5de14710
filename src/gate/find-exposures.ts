import { FENCED, fencedSpans } from '../capture/fence.ts';
import type { Shingled } from '../extract/shingles.ts';
import type { Envelope } from '../runtime/envelope.ts';
import type { Exposed } from './exposure.ts';

/** What tells what a session met beside its own events. */
export interface Known {
  /** True for a claim, handoff or session that the ledger has. */
  readonly has: (kind: Exposed['kind'], id: string) => boolean;
  /** What of the fleet's own texts a text repeats, nearly word by word. */
  readonly repeats: (text: string) => readonly Shingled[];
  /** What had been before the session that this one is a part of. */
  readonly ofParent: readonly Exposed[];
}

/** The quotes stand behind backslashes where a runtime hands on, as JSON, what a tool answered as data. */
const NAMES = /^<credence-context ids=\\?"([^"\\]*)\\?">/;
const NAME = /^(claim|handoff|digest):(.+)$/;

/** Where an event's text comes from. What an agent says itself was before nobody. */
function textsOf({ event_type, role, content, tool }: Envelope): [Exposed['channel'], string][] {
  const texts: [Exposed['channel'], string][] = [];
  const isPrompt = event_type === 'prompt' || role === 'user' || role === 'system';
  if (isPrompt && content !== undefined) texts.push(['prompt', content]);
  if (tool?.result !== undefined)
    texts.push([(tool.paths ?? []).length > 0 ? 'file' : 'tool', tool.result]);
  return texts;
}

function namesIn(text: string): { readonly kind: Exposed['kind']; readonly id: string }[] {
  if (!text.includes(FENCED)) return [];
  return fencedSpans(text).flatMap(({ start, end }) => {
    const [, names = ''] = NAMES.exec(text.slice(start, end)) ?? [];
    return names.split(' ').flatMap((name) => {
      const [, kind, id] = NAME.exec(name) ?? [];
      return kind !== undefined && id !== undefined ? [{ kind: kind as Exposed['kind'], id }] : [];
    });
  });
}

/**
 * What had been before a session, each thing from the first position on: what hooks and tools say that they showed, what carries the
 * names of our fences, and what repeats a text of the fleet. A subagent met what its parent had met.
 */
export function findExposures(
  session: string,
  events: readonly Envelope[],
  known: Known,
): Exposed[] {
  const first = new Map<string, Exposed>();
  const note = (item: Exposed) => {
    const isOwn = item.kind === 'digest' && item.id === session;
    const key = `${item.kind}\n${item.id}`;
    if (!isOwn && !first.has(key) && known.has(item.kind, item.id)) first.set(key, item);
  };
  for (const item of known.ofParent) note({ ...item, position: 0, channel: 'parent' });
  for (const [position, event] of events.entries()) {
    const told = event.event_type === 'tool_call' ? 'tool' : 'briefing';
    for (const { kind, id } of event.injected_context ?? [])
      note({ kind, id, position, channel: told, matched: 'lineage' });
    for (const [channel, text] of textsOf(event)) {
      for (const { kind, id } of namesIn(text))
        note({ kind, id, position, channel, matched: 'fence' });
      for (const { kind, id, since } of known.repeats(text))
        if (since <= event.emitted_at) note({ kind, id, position, channel, matched: 'shingles' });
    }
  }
  return [...first.values()].sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
}
