import * as z from 'zod';
import type { Event } from '../runtime/envelope.ts';
import type { LineOutcome, TranscriptReader } from '../runtime/transcript.ts';
import type { FileLine } from './port.ts';

/** What became of a file's lines: `imported + merged + Σ skipped = lines`. */
export const Tally = z.strictObject({
  lines: z.int(),
  imported: z.int(),
  merged: z.int(),
  skipped: z.record(z.string(), z.int()),
});
export type Tally = z.infer<typeof Tally>;

/** A transcript can name any number of kinds of lines. */
const REASONS_MAX = 100;

/** No line yet. */
export function emptyTally(): Tally {
  return { lines: 0, imported: 0, merged: 0, skipped: {} };
}

/** Reads a transcript's lines, and counts what became of each. */
export class TallyReader {
  readonly tally: Tally;
  readonly #reader: TranscriptReader;
  readonly #isExcluded: (event: Event) => boolean;

  constructor(
    reader: TranscriptReader,
    isExcluded: ((event: Event) => boolean) | undefined,
    tally: Tally = emptyTally(),
  ) {
    this.tally = structuredClone(tally);
    this.#reader = reader;
    this.#isExcluded = isExcluded ?? (() => false);
  }

  /** The events of a line that may be captured. */
  take({ text }: FileLine): readonly Event[] {
    this.tally.lines += 1;
    const outcome: LineOutcome =
      text === undefined ? { kind: 'skipped', reason: 'too_long' } : this.#reader.line(text);
    if (outcome.kind === 'skipped') return this.#skip(outcome.reason);
    const events = outcome.events.filter((event) => !this.#isExcluded(event));
    if (events.length === 0 && outcome.events.length > 0) return this.#skip('excluded');
    this.tally[outcome.kind] += 1;
    return events;
  }

  #skip(reason: string): readonly Event[] {
    const { skipped } = this.tally;
    const isNew = skipped[reason] === undefined && Object.keys(skipped).length >= REASONS_MAX;
    const name = isNew ? 'other' : reason;
    skipped[name] = (skipped[name] ?? 0) + 1;
    return [];
  }

  state(): unknown {
    return this.#reader.state();
  }
}
