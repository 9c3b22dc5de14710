import type { PartSource, SizedPart } from '../digest/merge-parts.ts';
import { eventsOf } from '../digest/seal.ts';
import type { Envelope } from '../runtime/envelope.ts';

/** The events of a sealed revision, in their order. */
export interface SealedEvents {
  readonly revision: number;
  readonly events: readonly Envelope[];
}

/** A revision as the ledger names its parts. */
export interface SealedParts {
  readonly revision: number;
  readonly parts: readonly Omit<SizedPart, 'bytes'>[];
}

/**
 * Reads the events of sealed revisions from their parts, and nothing that came later. Of one that can't be read `unread` hears
 * once; it is as one that is not sealed.
 */
export function sealedEventsOf(
  sealed: (session: string) => SealedParts | undefined,
  from: PartSource,
  unread: (session: string, error: unknown) => void,
): (session: string) => Promise<SealedEvents | undefined> {
  const failed = new Set<string>();
  return async (session) => {
    const known = failed.has(session) ? undefined : sealed(session);
    if (!known) return undefined;
    const events: Envelope[] = [];
    const parts = known.parts.map((part) => ({ ...part, bytes: 0 }));
    try {
      for await (const group of eventsOf(parts, from)) events.push(...group);
    } catch (error) {
      failed.add(session);
      unread(session, error);
      return undefined;
    }
    return { revision: known.revision, events };
  };
}
