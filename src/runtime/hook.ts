import type { Event } from './envelope.ts';

/** What the runtime can be told in answer to an event. */
export type HookMoment = 'start' | 'prompt' | 'before_tool' | 'turn_end' | 'end' | 'other';

/** A hook payload as a runtime file reads it. */
export interface HookReading {
  readonly moment: HookMoment;
  readonly event: Event;
  /** Where the runtime keeps the session's transcript, by its own word: to be checked before it is read. */
  readonly transcript?: string;
  /** True where a stop was caused by a hook's own answer: then no hook may answer again. */
  readonly repeated?: boolean;
  /** False where the payload does not fit what is known of the event: captured all the same, and counted. */
  readonly recognised: boolean;
}
