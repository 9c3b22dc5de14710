import { hashParts } from '../base/hash.ts';
import type { Native } from '../runtime/envelope.ts';

/** What an event's id is made of beside its native identity. */
export interface EventSession {
  readonly runtime: string;
  readonly session_id: string;
}

/** The ids of some events, and what the next ones begin from. */
export interface Ordinals {
  /** One id for each event, in their order: 32 hex digits. */
  readonly ids: readonly string[];
  /** By native key, how many counted events the session has had, these included: what the next call gets. */
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * The ids of a session's next events: 128 bits of a hash of runtime, session, native key and ordinal. `events`
 * come in spool order, copies of one line already dropped, and `prior` holds the counts of the events before
 * them (empty at the start); neither is changed. The first of several equal counted keys has the ordinal 0.
 * Cutting the same events elsewhere gives the same ids, and so do capture, reconciliation and import, since
 * all of them come through here.
 */
export function assignOrdinals(
  session: EventSession,
  events: readonly { readonly native: Native }[],
  prior: ReadonlyMap<string, number>,
): Ordinals {
  const counts = new Map(prior);
  const ids = events.map(({ native: { key, counted } }) => {
    const ordinal = counts.get(key) ?? 0;
    if (counted) counts.set(key, ordinal + 1);
    return hashParts([
      session.runtime,
      session.session_id,
      key,
      counted ? String(ordinal) : '',
    ]).slice(0, 32);
  });
  return { ids, counts };
}
