import type { Envelope, Native } from '../runtime/envelope.ts';
import type { Withheld } from './redact/policy.ts';

/** A captured envelope that has no event id yet: ordinals are counted when a part is cut. */
export type SpooledEnvelope = Omit<Envelope, 'event_id'>;

/** One line of a spool file. */
export interface SpoolLine {
  /** Random: two copies of one line are one event. */
  readonly line_id: string;
  readonly native: Native;
  /** The runtime's transcript of the session, by its own word. Stays on this machine. */
  readonly transcript?: string;
  /** False where the payload did not fit what is known. */
  readonly recognised: boolean;
  readonly envelope: SpooledEnvelope;
  /** What redaction held back: rules, lengths and keyed hashes, for review. */
  readonly withheld?: readonly Withheld[];
}

/**
 * A line begins with a line feed as well as ending in one: an append that a full disk cut short can then spoil
 * only itself, never the line after it.
 */
export function encodeLine(line: SpoolLine): string {
  return `\n${JSON.stringify(line)}\n`;
}

/** An envelope without its id, and what the id will be made of. */
export type Unnamed = Pick<SpoolLine, 'native' | 'envelope' | 'withheld'>;
