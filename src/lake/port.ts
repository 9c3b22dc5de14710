import type { Instant } from '../base/time.ts';
import type { Manifest } from './manifest.ts';

/** One file of the spool. `n` is the number that it was frozen under. */
export interface SpoolFile {
  readonly name: string;
  readonly state: 'open' | 'draining' | 'sent';
  readonly n: number;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
}

/** All of a session's files, under the name that its path has. */
export interface SpoolSession {
  readonly runtime: string;
  readonly stem: string;
  readonly files: readonly SpoolFile[];
}

/** Lines that could not be read, and payloads that did not fit. */
export interface Odd {
  readonly torn: number;
  readonly unrecognised: number;
}

/** The spool and the manifests, as sync sees them: whoever calls this holds the machine's lock. */
export interface Spool {
  /** Every session that has a spool file. */
  sessions(): SpoolSession[];
  /** Its lines, in groups as they are read: in bounded memory, however large the file is. */
  lines(session: SpoolSession, file: SpoolFile): Iterable<readonly FileLine[]>;
  /** Its end as text, from the beginning of a line: the whole of a file of the usual size. */
  read(session: SpoolSession, file: SpoolFile): string;
  /** Renames the open file, so that hooks begin a new one. */
  freeze(session: SpoolSession, file: SpoolFile, n: number): SpoolFile;
  markSent(session: SpoolSession, file: SpoolFile): void;
  /** Adds what was odd in a file to the running totals: once, however often that is said. Durable once it returns. */
  count(session: SpoolSession, file: SpoolFile, odd: Odd, at: Instant): void;
  /** The totals of all files so far, also of those that are gone, and when they last grew. */
  counted(): Odd & { readonly last_at?: Instant };
  remove(session: SpoolSession, file: SpoolFile): void;
  manifest(runtime: string, stem: string): Manifest | undefined;
  /** Durable once it returns. */
  writeManifest(stem: string, manifest: Manifest): void;
  /** The sessions with parts that no revision of theirs names yet: few, however many there are in all. */
  unsealed(): readonly { readonly stem: string; readonly manifest: Manifest }[];
}

/** A line of a file, without its line feed. `end` is the offset after it. */
export interface FileLine {
  /** Undefined where the line is longer than is read. */
  readonly text: string | undefined;
  readonly end: number;
  readonly bytes: number;
  /** True for a last line without a line feed: its writer may not be done. */
  readonly open: boolean;
}

/** Reads files of any size by lines, in bounded memory. */
export interface LineReader {
  /** Lines from an offset, in groups as they are read. */
  lines(path: string, from: number): Iterable<readonly FileLine[]>;
}
