import { canonical } from '../base/canonical.ts';
import type { Envelope, EventType } from '../runtime/envelope.ts';
import { mergeEvents } from './merge.ts';

/** The events that hooks can see. Replies and thoughts come from the transcript alone, so that they are no miss. */
const HOOKABLE: ReadonlySet<EventType> = new Set<EventType>(['prompt', 'tool_call', 'compact']);

/** What the runtime's transcript adds to a captured session. */
export interface Reconciliation {
  /** Missed events whole, and of known ones only what capture did not have. */
  readonly added: readonly Envelope[];
  readonly coverage: { readonly captured: number; readonly known: number };
}

/** The fields of an envelope by which a slim copy of it still is one. */
const IDENTITY: readonly (keyof Envelope)[] = [
  'schema_version',
  'event_id',
  'emitted_at',
  'fleet_id',
  'agent_id',
  'runtime',
  'host_id',
  'session_id',
  'event_type',
  'redaction',
];

/** The same value, whatever the order of its members: a part's columns give them another one than a runtime does. */
function isSame(a: Envelope[keyof Envelope], b: Envelope[keyof Envelope]): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonical(a) === canonical(b);
}

/** The fields that `full` has beyond `known`: a copy that, merged with `known`, gives `full` again. Undefined where there are none. */
function beyond(known: Envelope, full: Envelope): Envelope | undefined {
  const news = (Object.keys(full) as (keyof Envelope)[]).filter(
    (field) => !IDENTITY.includes(field) && !isSame(full[field], known[field]),
  );
  if (news.length === 0) return undefined;
  const kept = Object.entries(full).filter(
    ([field]) =>
      IDENTITY.includes(field as keyof Envelope) || news.includes(field as keyof Envelope),
  );
  return { ...(Object.fromEntries(kept) as Envelope), reconciled: true };
}

/**
 * Compares the captured events of a session with those of its transcript, both named and merged. Pure. The
 * coverage is captured over known, of the events that hooks can see.
 */
export function reconcile(
  captured: readonly Envelope[],
  transcript: readonly Envelope[],
): Reconciliation {
  const known = new Map(captured.map((event) => [event.event_id, event]));
  const added = transcript.flatMap((event): Envelope[] => {
    const have = known.get(event.event_id);
    if (!have) return [event];
    const [merged = have] = mergeEvents([have, event]);
    const news = beyond(have, merged);
    return news ? [news] : [];
  });
  const hookable = (events: readonly Envelope[]) =>
    new Set(
      events.filter((event) => HOOKABLE.has(event.event_type)).map((event) => event.event_id),
    );
  const live = hookable(captured.filter((event) => !event.imported && !event.reconciled));
  const all = hookable([...captured, ...transcript]);
  return { added, coverage: { captured: live.size, known: all.size } };
}
