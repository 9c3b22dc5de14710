import { z } from 'zod';
import { hashParts } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { withoutSecrets } from '../capture/asked.ts';
import { type Circumstance, spooled } from '../capture/envelope.ts';
import type { Unnamed } from '../capture/spool.ts';
import type { Event } from '../runtime/envelope.ts';
import type { TranscriptReader } from '../runtime/transcript.ts';
import { nameEvents, newManifest, putParts, withLatest } from './cut.ts';
import type { Manifest } from './manifest.ts';
import type { ObjectStore } from './objects.ts';
import type { PartCodec } from './part.ts';
import type { FileLine, LineReader, Spool } from './port.ts';
import { relaxing } from './relaxing.ts';
import { Tally, TallyReader } from './tally.ts';

/** How far a transcript is imported. Written after the parts that it covers, so that a cut-off import goes on, or repeats itself exactly. */
export const Cursor = z.strictObject({
  version: z.literal(1),
  path: z.string(),
  offset: z.int(),
  size: z.int(),
  modified_at: z.number(),
  tally: Tally,
  /** Session → counted native keys so far. */
  ordinals: z.record(z.string(), z.record(z.string(), z.int())),
  reader: z.unknown(),
  /** The last line had no line feed yet: what comes next is the rest of it. */
  open: z.literal(true).optional(),
});
export type Cursor = z.infer<typeof Cursor>;

/** A transcript on disk. */
export interface TranscriptFile {
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: number;
  readonly open: (saved?: unknown) => TranscriptReader;
}

/** What importing works with. */
export interface ImportParts {
  readonly lines: LineReader;
  readonly spool: Spool;
  readonly store: ObjectStore;
  readonly codec: PartCodec;
  readonly stemOf: (session: string) => string;
  readonly cursor: (path: string) => Cursor | undefined;
  readonly writeCursor: (cursor: Cursor) => void;
  /** Called whenever so much was read. */
  readonly relax: () => void;
  /** Who and where, for a session's event. */
  readonly circumstance: (event: Event) => Circumstance;
  /** The manifest of a session that the ledger knows and this machine has forgotten. */
  readonly recover?: (session: string) => Promise<Manifest | undefined>;
  /** True for what must not be captured: a folder that is excluded, a time of pause. */
  readonly isExcluded?: (event: Event) => boolean;
  /** Hears the bytes read so far. */
  readonly progress: (bytes: number) => void;
}

/** A batch: events by session, since one file can hold a session and its subagents. */
type Batch = Map<string, Unnamed[]>;

/** The name under which a transcript's cursor is kept. */
export function cursorName(path: string): string {
  return hashParts([path]).slice(0, 32);
}

/**
 * What hooks count on from: an imported session can go on live, and must not take the ordinal of an imported event. Of
 * two files that hold a session's lines, the one with fewer takes nothing back.
 */
function mostOf(
  before: Readonly<Record<string, number>>,
  counts: ReadonlyMap<string, number>,
): Record<string, number> {
  const most = { ...before };
  for (const [key, count] of counts) most[key] = Math.max(most[key] ?? 0, count);
  return most;
}

class Importer {
  readonly #parts: ImportParts;
  readonly #file: TranscriptFile;
  readonly #reader: TallyReader;
  readonly #ordinals: Record<string, Record<string, number>>;
  #batch: Batch = new Map();
  #bytes = 0;
  #isOpen: boolean;
  offset: number;

  constructor(file: TranscriptFile, saved: Cursor | undefined, parts: ImportParts) {
    this.#parts = parts;
    this.#file = file;
    this.#reader = new TallyReader(file.open(saved?.reader), parts.isExcluded, saved?.tally);
    this.#ordinals = structuredClone(saved?.ordinals ?? {});
    this.offset = saved?.offset ?? 0;
    this.#isOpen = saved?.open ?? false;
  }

  take(line: FileLine): void {
    const isRest = this.#isOpen && line.text === '';
    this.offset = line.end;
    this.#isOpen = line.open;
    if (isRest) return;
    for (const event of this.#reader.take(line)) {
      const unnamed = spooled(event, this.#parts.circumstance(event));
      const session = this.#batch.get(event.session_id) ?? [];
      session.push(unnamed);
      this.#batch.set(event.session_id, session);
    }
    // A line is mostly what its envelope holds, and its length costs nothing to know.
    this.#bytes += line.bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= LIMIT.part_bytes_max;
  }

  /** Puts what is batched, then the manifests, then the cursor. */
  async cut(): Promise<void> {
    for (const [session, lines] of this.#batch) await this.#cutSession(session, lines);
    this.#batch = new Map();
    this.#bytes = 0;
    this.#parts.writeCursor(this.cursor());
  }

  async #cutSession(session: string, lines: readonly Unnamed[]): Promise<void> {
    const [first] = lines;
    if (!first) return;
    const counts = new Map(Object.entries(this.#ordinals[session] ?? {}));
    const { envelopes, counts: next } = nameEvents(lines, counts);
    this.#ordinals[session] = Object.fromEntries(next);
    const stem = this.#parts.stemOf(session);
    const before =
      this.#parts.spool.manifest(first.envelope.runtime, stem) ??
      (await this.#parts.recover?.(session)) ??
      newManifest(first.envelope);
    const ordinals = mostOf(before.ordinals, next);
    const latest = { ...withLatest(before, envelopes), ordinals };
    const after = await putParts(envelopes, latest, this.#parts, lines);
    this.#parts.spool.writeManifest(stem, after);
  }

  cursor(): Cursor {
    return {
      version: 1,
      path: this.#file.path,
      offset: this.offset,
      size: this.#file.size,
      modified_at: this.#file.modifiedAt,
      tally: this.#reader.tally,
      ordinals: this.#ordinals,
      reader: withoutSecrets(this.#reader.state(), this.#parts.circumstance),
      ...(this.#isOpen ? { open: true as const } : {}),
    };
  }
}

/** What importing one file came to. */
export interface Imported {
  readonly path: string;
  /** Of the whole file, over all runs. */
  readonly tally: Tally;
  readonly isNew: boolean;
}

/**
 * Imports a transcript from where the last import stopped, in bounded memory. A last line without a line feed that is
 * no JSON is left for the next time while the file is still being written (`settled` false). A file that shrank was
 * replaced, and is read from its beginning; so is one with lines that were excluded, since they may not be any more.
 */
export async function importTranscript(
  file: TranscriptFile,
  settled: boolean,
  parts: ImportParts,
): Promise<Imported> {
  const last = parts.cursor(file.path);
  const known = last && last.size <= file.size ? last : undefined;
  const saved = known?.tally.skipped['excluded'] === undefined ? known : undefined;
  if (saved && saved.offset >= file.size)
    return { path: file.path, tally: saved.tally, isNew: false };
  const importer = new Importer(file, saved, parts);
  const from = importer.offset;
  for (const group of relaxing(parts.lines.lines(file.path, from), parts.relax)) {
    for (const line of group) {
      if (line.open && !settled && !isJson(line.text)) continue;
      importer.take(line);
      if (importer.isFull) await importer.cut();
    }
    parts.progress(importer.offset - from);
  }
  await importer.cut();
  const { tally } = importer.cursor();
  return { path: file.path, tally, isNew: hasMore(tally, known?.tally) };
}

function isJson(text: string | undefined): boolean {
  try {
    return typeof JSON.parse(text ?? '') === 'object';
  } catch {
    return false;
  }
}

function hasMore(tally: Tally, before: Tally | undefined): boolean {
  return !before || tally.lines > before.lines || tally.imported > before.imported;
}
