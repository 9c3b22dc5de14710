import { excerptText } from '../extract/citation.ts';
import type { SealedEvents } from '../extract/sealed-events.ts';
import type { CitationRow } from '../fold/knowledge-rows.ts';
import { excerptHash } from '../record/evidence.ts';
import type { ExcerptFound } from '../record/finding.ts';
import { artifactOf } from './find-artifact.ts';

const rangeOf = (range: string | null) => {
  if (range === null) return undefined;
  const [start = 0, end = 0] = range.split('-').map(Number);
  return { start, end };
};

/** Looks a citation of a claim up in the sealed events of its session, and where its excerpt comes from. */
export function findExcerpt(
  statement: string,
  { episode, session, message, range, excerpt_hash, observed_at }: CitationRow,
  { revision, events }: SealedEvents,
): ExcerptFound {
  const parts = events.filter(({ message_id }) => message_id === message);
  const [first] = parts;
  if (!first) return { episode, session, revision, state: 'missing' };
  const hash = excerptHash(excerptText(parts, rangeOf(range)));
  const isSo = hash === excerpt_hash && first.emitted_at === observed_at;
  const position = events.indexOf(first);
  const artifact = isSo ? artifactOf(statement, events, position) : undefined;
  const state = isSo ? 'resolved' : 'differs';
  const found = { episode, session, revision, state, position, excerpt_hash: hash } as const;
  return artifact ? { ...found, artifact } : found;
}
