import { hashParts } from '../base/hash.ts';
import type { Native } from '../runtime/envelope.ts';

/** What an event's id is made of beside its native identity. */
export interface EventSession {
  readonly runtime: string;
  readonly session_id: string;
}

/**
 * The id of a session's event: 128 bits of a hash of runtime, session, native key and, where that is counted, ordinal. Of
 * several equal keys the first has the ordinal 0. Capture, reconciliation and import give one event the same id, since
 * all of them come through here.
 */
export function eventId(
  { runtime, session_id }: EventSession,
  { key, counted }: Native,
  ordinal: number,
): string {
  return hashParts([runtime, session_id, key, counted ? String(ordinal) : '']).slice(0, 32);
}
