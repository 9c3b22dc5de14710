import * as z from 'zod';
import { FENCED, fencedSpans } from '../capture/fence.ts';
import { type Citation, excerptHash } from '../record/evidence.ts';
import { SignedName, SignedText } from '../record/record.ts';
import type { Envelope } from '../runtime/envelope.ts';

/** What a proposer says of its evidence: a message of a session, or words that stand in just one. */
export const CitationDraft = z
  .strictObject({
    session_id: z.string().min(1).max(256),
    message_id: SignedName.min(1).optional(),
    quote: SignedText.refine((text) => text.trim() !== '', 'words').optional(),
  })
  .refine(({ message_id, quote }) => message_id !== undefined || quote !== undefined, {
    error: 'a message, or words from it',
    params: { code: 'citation.form' },
  });
export type CitationDraft = z.infer<typeof CitationDraft>;

/** What is captured of a session. While it is not sealed, more of it may come. */
export interface CapturedMessages {
  readonly events: readonly Envelope[];
  readonly sealed: boolean;
}

/** What a citation came to. One that waits may still be found, once the session is sealed. */
export type Resolved =
  | { readonly kind: 'found'; readonly citation: Citation; readonly message: readonly Envelope[] }
  | { readonly kind: 'waits' }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** The text of a captured message, as it can be cited: what was said, or what a tool was given and what it gave. */
function messageText(events: readonly Envelope[]): string {
  return events
    .flatMap(({ content, tool }) => [content, tool?.input, tool?.result])
    .filter((text) => text !== undefined)
    .join('\n');
}

/** Some bytes of a message's text, or all of it: what a citation's hash is of. */
export function excerptText(message: readonly Envelope[], range: Citation['range']): string {
  const text = messageText(message);
  return range ? Buffer.from(text).subarray(range.start, range.end).toString('utf8') : text;
}

/** The messages of a session by their ids, and what has none yet. */
function byMessage(events: readonly Envelope[]): {
  readonly named: ReadonlyMap<string, readonly Envelope[]>;
  readonly unnamed: readonly Envelope[];
} {
  const named = new Map<string, Envelope[]>();
  const unnamed: Envelope[] = [];
  for (const event of events) {
    const { message_id: id } = event;
    if (id === undefined) unnamed.push(event);
    else named.set(id, [...(named.get(id) ?? []), event]);
  }
  return { named, unnamed };
}

/** Where words stand in a text, whatever the white space between them; none that we put before the agent. */
function found(quote: string, text: string): { start: number; end: number } | undefined {
  const words = quote.trim().split(/\s+/u);
  const pattern = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('\\s+');
  const fenced = text.includes(FENCED) ? fencedSpans(text) : [];
  for (const { 0: match, index } of text.matchAll(new RegExp(pattern, 'gu'))) {
    const end = index + match.length;
    if (fenced.some((span) => index < span.end && span.start < end)) continue;
    const start = Buffer.byteLength(text.slice(0, index));
    return { start, end: start + Buffer.byteLength(match) };
  }
  return undefined;
}

function refused(code: string, message: string): Resolved {
  return { kind: 'refused', code: `citation.${code}`, message };
}

function citationOf(
  session_id: string,
  message_id: string,
  message: readonly Envelope[],
  range: { start: number; end: number } | undefined,
): Resolved {
  const [first] = message;
  if (!first) return refused('message', `session ${session_id} has no message ${message_id}`);
  const excerpt = excerptText(message, range);
  if (excerpt.trim() === '') return refused('empty', `message ${message_id} holds no text`);
  const citation = {
    session_id,
    message_id,
    ...(range ? { range } : {}),
    excerpt_hash: excerptHash(excerpt),
    observed_at: first.emitted_at,
  };
  return { kind: 'found', citation, message };
}

/**
 * Finds what a citation cites, in what was captured of its session: the message of that id, or the one message that
 * holds the words. Its hash and instant are computed here. What we put before an agent is nobody's evidence.
 */
export function resolveCitation(
  { session_id, message_id, quote }: CitationDraft,
  { events, sealed }: CapturedMessages,
): Resolved {
  const { named, unnamed } = byMessage(events);
  if (message_id !== undefined) {
    const message = named.get(message_id);
    if (!message)
      return sealed
        ? refused('message', `session ${session_id} has no message ${message_id}`)
        : { kind: 'waits' };
    const range = quote === undefined ? undefined : found(quote, messageText(message));
    if (quote !== undefined && !range)
      return refused('quote', `message ${message_id} does not hold those words`);
    return citationOf(session_id, message_id, message, range);
  }
  const words = quote ?? '';
  const hits = [...named].flatMap(([id, message]) => {
    const range = found(words, messageText(message));
    return range ? [{ id, message, range }] : [];
  });
  const [hit] = hits;
  if (hits.length > 1) {
    const ids = hits.slice(0, 5).map(({ id }) => id);
    return refused(
      'ambiguous',
      `${hits.length} messages of session ${session_id} hold those words: ${ids.join(', ')}`,
    );
  }
  if (hit) return citationOf(session_id, hit.id, hit.message, hit.range);
  const isNameless = unnamed.some((event) => found(words, messageText([event])));
  if (!sealed || isNameless) return { kind: 'waits' };
  return refused('quote', `no message of session ${session_id} holds those words`);
}
