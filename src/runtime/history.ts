import type { TranscriptReader, TranscriptSource } from './transcript.ts';

/** A transcript that a runtime left on this machine. */
export interface HistoryFile {
  readonly runtime: string;
  readonly path: string;
  readonly source: TranscriptSource;
  readonly size: number;
  readonly modifiedAt: number;
  readonly open: (saved?: unknown) => TranscriptReader;
}

/** The transcripts on this machine. */
export interface History {
  /** Where they are looked for. */
  readonly folder: string;
  files(): Iterable<HistoryFile>;
  /** The transcript at a path that a payload named, if it really is one of the runtime's own. */
  locate(runtime: string, path: string): HistoryFile | undefined;
}
