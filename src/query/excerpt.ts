import { excerptText } from '../extract/citation.ts';
import { excerptHash } from '../record/evidence.ts';
import type { Envelope } from '../runtime/envelope.ts';
import type { CitationView } from './claim-detail.ts';

/** What is found of a citation in its session: its text as cited, another text, or no such message. */
export type Excerpt =
  | { readonly found: 'matches' | 'changed'; readonly text: string }
  | { readonly found: 'missing' };

/** Opens a citation among the events of its session, and holds it against the hash that was signed. */
export function openExcerpt(events: readonly Envelope[], citation: CitationView): Excerpt {
  const { message, range } = citation;
  const parts = events.filter(({ message_id }) => message_id === message);
  if (parts.length === 0) return { found: 'missing' };
  const text = excerptText(parts, range);
  return { found: excerptHash(text) === citation.excerptHash ? 'matches' : 'changed', text };
}
