import { excerptText } from '../extract/citation.ts';
import type { SealedEvents } from '../extract/sealed-events.ts';
import type { CitationRow } from '../fold/knowledge-rows.ts';
import { excerptHash } from '../record/evidence.ts';
import type { ExcerptFound } from '../record/finding.ts';

const rangeOf = (range: string | null) => {
  if (range === null) return undefined;
  const [start = 0, end = 0] = range.split('-').map(Number);
  return { start, end };
};

/** Looks a citation up in the sealed events of its session. */
export function findExcerpt(
  { episode, session, message, range, excerpt_hash, observed_at }: CitationRow,
  { revision, events }: SealedEvents,
): ExcerptFound {
  const parts = events.filter(({ message_id }) => message_id === message);
  const [first] = parts;
  if (!first) return { episode, session, revision, state: 'missing' };
  const hash = excerptHash(excerptText(parts, rangeOf(range)));
  const isSo = hash === excerpt_hash && first.emitted_at === observed_at;
  return {
    episode,
    session,
    revision,
    state: isSo ? 'resolved' : 'differs',
    position: events.indexOf(first),
    excerpt_hash: hash,
  };
}
