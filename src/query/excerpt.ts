import { excerptHash } from '../record/evidence.ts';
import type { Envelope } from '../runtime/envelope.ts';
import type { CitationView } from './claim-detail.ts';

/** What is found of a citation in its session: its text as cited, another text, or no such message. */
export type Excerpt =
  | { readonly found: 'matches' | 'changed'; readonly text: string }
  | { readonly found: 'missing' };

/** The texts of a message: what was said; of a tool call what it gave, and what it asked. */
function textsOf(events: readonly Envelope[], message: string): string[] {
  const parts = events.filter(({ message_id }) => message_id === message);
  const of = (read: (event: Envelope) => string | undefined) => {
    const texts = parts.flatMap((event) => read(event) ?? []);
    // A message that came in several blocks can be cited by one of them, or whole.
    return texts.length > 1 ? [texts.join('\n'), ...texts] : texts;
  };
  return [
    ...of(({ content }) => content),
    ...of(({ tool }) => tool?.result),
    ...of(({ tool }) => tool?.input),
  ];
}

function within(text: string, range: CitationView['range']): string {
  return range ? Buffer.from(text).subarray(range.start, range.end).toString() : text;
}

/** Opens a citation among the events of its session, and holds it against the hash that was signed. */
export function openExcerpt(events: readonly Envelope[], citation: CitationView): Excerpt {
  const texts = textsOf(events, citation.message).map((text) => within(text, citation.range));
  const same = texts.find((text) => excerptHash(text) === citation.excerptHash);
  if (same !== undefined) return { found: 'matches', text: same };
  const [first] = texts;
  return first === undefined ? { found: 'missing' } : { found: 'changed', text: first };
}
