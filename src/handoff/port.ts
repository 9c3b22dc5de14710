import type { HandoffDraft } from './handoff.ts';

/** Notes that wait on this machine until they are signed and the store has them. */
export interface Outbox {
  /** Durable once it returns. */
  add(name: string, draft: HandoffDraft): void;
  /** In the order of their names. */
  list(): readonly { readonly name: string; readonly draft: HandoffDraft }[];
  remove(name: string): void;
  /** The names of its files that hold no note, or one of a form that is not known: they stay until a person looks. */
  unreadable(): readonly string[];
}
