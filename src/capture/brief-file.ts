import type { Injected } from '../runtime/envelope.ts';

/** One line of a rendered briefing. `bytes` counts it with its line feed. */
export interface BriefLine {
  readonly text: string;
  readonly bytes: number;
  /** What the line puts before the agent; empty for headings. */
  readonly items: readonly Injected[];
  /** Milliseconds since the epoch after which the line is no longer true. */
  readonly until?: number;
}

/** A line that a prompt can call up, by words that stand in it. */
export interface TriggerLine extends BriefLine {
  readonly terms: readonly string[];
}

/**
 * A briefing, rendered ahead for one agent and repo: `brief/<agent>/<repo>.json`. The hook only chooses lines
 * and counts bytes.
 */
export interface BriefFile {
  readonly version: 1;
  /** The position of the ledger that it shows, and when it was rendered. */
  readonly position: number;
  readonly rendered_at: string;
  /** In which mode it was rendered: only one of `live` holds claims. */
  readonly mode: string;
  readonly lines: readonly BriefLine[];
  readonly triggers: readonly TriggerLine[];
}

/** A path that another session is working on, relative to the top of its checkout; one that ends in `/` is a whole folder. */
export interface Intent {
  readonly agent: string;
  readonly session: string;
  readonly repo: string;
  readonly path: string;
  readonly until: number;
  /** Why, where its agent announced it; absent where it was seen to edit the file. Untrusted. */
  readonly reason?: string | undefined;
}

/** `live.json`: what the other agents of the fleet are at. */
export interface LiveFile {
  readonly version: 1;
  readonly intents: readonly Intent[];
}
