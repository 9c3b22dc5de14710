import type { Event } from './envelope.ts';

/** What became of a line. Each line has exactly one: the numbers add up to the lines of the file. */
export type LineOutcome =
  | { readonly kind: 'imported' | 'merged'; readonly events: readonly Event[] }
  | { readonly kind: 'skipped'; readonly reason: string };

/** Reads the lines of one transcript in order. Its state is plain data, so that a reading can be resumed after any line. */
export interface TranscriptReader {
  line(text: string): LineOutcome;
  state(): unknown;
}

/** Where a transcript was found, which says what its lines may leave out. */
export interface TranscriptSource {
  readonly session: string;
  readonly parent?: string;
}
