import { CredenceError, codeOf, messageOf } from '../base/errors.ts';
import { toMs } from '../base/time.ts';
import { type Circumstance, spooled } from '../capture/envelope.ts';
import type { Event } from '../runtime/envelope.ts';
import type { TranscriptReader } from '../runtime/transcript.ts';
import { type Occurrences, SessionComparison } from './compare-session.ts';
import { idKey } from './id-table.ts';
import type { KnownEvents } from './known-events.ts';
import type { Manifest } from './manifest.ts';
import type { ObjectStore } from './objects.ts';
import type { Occurrence } from './pairing.ts';
import type { PartCodec } from './part.ts';
import type { FileLine, LineReader } from './port.ts';
import { relaxing } from './relaxing.ts';
import { type Tally, TallyReader } from './tally.ts';

/** A transcript on disk. */
export interface TranscriptFile {
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: number;
  readonly open: (saved?: unknown) => TranscriptReader;
}

/** What comparing reads from and writes to. */
export interface CompareParts {
  readonly store: ObjectStore;
  readonly codec: PartCodec;
  readonly lines: LineReader;
  readonly circumstance: (event: Event, origin: 'imported' | 'reconciled') => Circumstance;
  /** True for what must not be captured: a folder that is excluded, a time of pause. */
  readonly isExcluded?: (event: Event) => boolean;
  /** Called between batches. */
  readonly relax: () => void;
  /** Hears the bytes read so far. */
  readonly progress?: (bytes: number) => void;
}

/** A session that was compared; `after` is `before` itself where the transcript adds nothing. */
export interface Compared {
  readonly before: Manifest | undefined;
  readonly after: Manifest | undefined;
  readonly coverage: ReturnType<KnownEvents['coverage']>;
}

/** What `codeOf` says of a transcript that is there and cannot be read. */
export const UNREAD = 'lake.transcript_unread';

/**
 * Compares sessions with what a transcript tells of them, and puts what they lack as further parts, in bounded memory:
 * the file is read once for how often and when its counted events occur, and once for the events. `main` and
 * all others that `manifestOf` is not undefined for are compared; the events of the rest are left.
 * Throws `lake.transcript_unread` where the file cannot be read; then no manifest has changed.
 */
export async function compareTranscript(
  file: TranscriptFile,
  main: string,
  manifestOf: (session: string) => Promise<Manifest | undefined> | undefined,
  parts: CompareParts,
): Promise<{ readonly tally: Tally; readonly sessions: readonly Compared[] }> {
  const { end, told } = tellOccurrences(file, parts);
  const sessions = new Map<string, { before: Manifest | undefined; one: SessionComparison }>();
  for (const session of new Set([main, ...told.keys()])) {
    const found = manifestOf(session);
    if (!found) continue;
    const before = await found;
    const one = await SessionComparison.open(before, told.get(session) ?? new Map(), parts);
    sessions.set(session, { before, one });
  }
  const reader = new TallyReader(file.open(), parts.isExcluded);
  // What was written since the first reading is for the next comparison.
  for (const lines of linesOf(file, end, parts)) {
    for (const line of lines) {
      for (const event of reader.take(line)) {
        const one = sessions.get(event.session_id)?.one;
        one?.take(event);
        if (one?.isFull) await one.put();
      }
    }
    parts.progress?.(lines.at(-1)?.end ?? end);
  }
  const compared: Compared[] = [];
  for (const { before, one } of sessions.values()) {
    compared.push({ before, after: await one.finish(), coverage: one.coverage() });
  }
  return { tally: reader.tally, sessions: compared };
}

/** The sessions that a transcript tells of, and the occurrences of each counted native key of theirs. */
function tellOccurrences(
  file: TranscriptFile,
  parts: CompareParts,
): { readonly end: number; readonly told: ReadonlyMap<string, Occurrences> } {
  const told = new Map<string, Map<string, Occurrence[]>>();
  const reader = new TallyReader(file.open(), parts.isExcluded);
  let end = 0;
  for (const lines of linesOf(file, Number.POSITIVE_INFINITY, parts)) {
    for (const event of lines.flatMap((line) => reader.take(line))) {
      const keys = told.get(event.session_id) ?? new Map<string, Occurrence[]>();
      told.set(event.session_id, keys);
      if (!event.native.counted) continue;
      const { native, envelope } = spooled(event, parts.circumstance(event, 'reconciled'));
      const occurrences = keys.get(native.key) ?? [];
      keys.set(native.key, occurrences);
      const { emitted_at, message_id } = envelope;
      const message = message_id === undefined ? undefined : idKey(message_id);
      occurrences.push({ time: toMs(emitted_at), message });
    }
    end = lines.at(-1)?.end ?? end;
  }
  return { end, told };
}

/**
 * The lines of a file up to an offset, in groups. What goes wrong with the file has a code of its own, so that it is told
 * from all else that can go wrong meanwhile.
 */
function* linesOf(
  file: TranscriptFile,
  end: number,
  parts: CompareParts,
): Generator<readonly FileLine[]> {
  try {
    for (const lines of relaxing(parts.lines.lines(file.path, 0), parts.relax)) {
      const within = lines.filter((line) => line.end <= end);
      if (within.length > 0) yield within;
      if (within.length < lines.length) return;
    }
  } catch (error) {
    throw new CredenceError(
      'forbidden',
      UNREAD,
      `the transcript ${file.path} cannot be read: ${messageOf(error)}`,
      {
        data: { path: file.path, code: codeOf(error) },
        next: 'make it readable; `credence import` then adds what hooks missed',
        cause: error,
      },
    );
  }
}
