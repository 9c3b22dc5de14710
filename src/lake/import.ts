import * as z from 'zod';
import { hashParts } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { withoutSecrets } from '../capture/asked.ts';
import { spooled } from '../capture/envelope.ts';
import type { Unnamed } from '../capture/spool.ts';
import type { Event } from '../runtime/envelope.ts';
import { compareTranscript, type TranscriptFile } from './compare.ts';
import { nameEvents, newManifest, putParts, withLatest } from './cut.ts';
import type { Manifest } from './manifest.ts';
import { Ordinals } from './ordinals.ts';
import type { FileLine, Spool } from './port.ts';
import { type ReconcileParts, reconcileSession } from './reconcile-session.ts';
import { relaxing } from './relaxing.ts';
import { Tally, TallyReader } from './tally.ts';

/** How far a transcript is imported. Written after the parts that it covers, so that a cut-off import goes on, or repeats itself exactly. */
export const Cursor = z.strictObject({
  version: z.literal(2),
  path: z.string(),
  offset: z.int(),
  size: z.int(),
  modified_at: z.number(),
  tally: Tally,
  reader: z.unknown(),
  /** The last line had no line feed yet: what comes next is the rest of it. */
  open: z.literal(true).optional(),
  /** The file was read from its beginning once more: what it told of before, it is compared with. */
  again: z.literal(true).optional(),
});
export type Cursor = z.infer<typeof Cursor>;

/** What importing works with. */
export interface ImportParts extends ReconcileParts {
  readonly spool: Spool;
  readonly stemOf: (session: string) => string;
  readonly cursor: (path: string) => Cursor | undefined;
  readonly writeCursor: (cursor: Cursor) => void;
  /** The manifest of a session that the ledger knows and this machine has forgotten. */
  readonly recover?: (session: string) => Promise<Manifest | undefined>;
  readonly progress: (bytes: number) => void;
}

/** Small events are many: in memory each takes far more than its line. */
const EVENTS_MAX = 6_000;

/** An event, and the offset after its line. */
type Told = Unnamed & { readonly end: number };

/** A batch: events by session, since one file can hold a session and its subagents. */
type Batch = Map<string, Told[]>;

/** The name under which a transcript's cursor is kept. */
export function cursorName(path: string): string {
  return hashParts([path]).slice(0, 32);
}

/**
 * Imports a file's lines batch by batch. A session that hooks or another file told of, too, is compared with the whole
 * of the file instead, once: only then is it known which of two equal events are one.
 */
class Importer {
  readonly #parts: ImportParts;
  /** The same, for comparing: that reads whole files, and what cannot be read is said when its own turn comes. */
  readonly #quiet: ImportParts;
  readonly #file: TranscriptFile;
  readonly #name: string;
  readonly #reader: TallyReader;
  /** False where this may not be the first reading of what stands before the end of the file. */
  readonly #continues: boolean;
  readonly #isAgain: boolean;
  readonly #begun = new Set<string>();
  readonly #compared = new Set<string>();
  #batch: Batch = new Map();
  #bytes = 0;
  #events = 0;
  #isOpen: boolean;
  offset: number;

  constructor(
    file: TranscriptFile,
    saved: Cursor | undefined,
    isAgain: boolean,
    parts: ImportParts,
  ) {
    this.#parts = parts;
    this.#quiet = { ...parts, progress: () => undefined, unread: () => undefined };
    this.#file = file;
    this.#name = cursorName(file.path);
    this.#reader = new TallyReader(file.open(saved?.reader), parts.isExcluded, saved?.tally);
    this.#isAgain = isAgain;
    this.#continues = saved !== undefined && !isAgain;
    this.offset = saved?.offset ?? 0;
    this.#isOpen = saved?.open ?? false;
  }

  take(line: FileLine): void {
    const isRest = this.#isOpen && line.text === '';
    this.offset = line.end;
    this.#isOpen = line.open;
    if (isRest) return;
    for (const event of this.#reader.take(line)) {
      if (this.#compared.has(event.session_id)) continue;
      const unnamed = spooled(event, this.#parts.circumstance(event, 'imported'));
      const session = this.#batch.get(event.session_id) ?? [];
      session.push({ ...unnamed, end: line.end });
      this.#events += 1;
      this.#batch.set(event.session_id, session);
    }
    // A line is mostly what its envelope holds, and its length costs nothing to know.
    this.#bytes += line.bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= LIMIT.part_bytes_max || this.#events >= EVENTS_MAX;
  }

  /** Puts what is batched, then the manifests, then the cursor. */
  async cut(): Promise<void> {
    const shared = new Map<string, Manifest>();
    for (const [session, lines] of this.#batch) {
      const before = await this.#manifestOf(session, lines);
      if (before && !this.#isOwn(session, before)) shared.set(session, before);
      else await this.#cutSession(session, lines, before);
    }
    await this.#compare(shared);
    this.#parts.writeCursor(this.cursor());
    const isMany = this.#events >= EVENTS_MAX;
    this.#batch = new Map();
    [this.#bytes, this.#events] = [0, 0];
    // Reading rests by the bytes that were read: where events are small, that is too seldom.
    if (isMany) this.#parts.relax();
  }

  async #manifestOf(session: string, lines: readonly Told[]): Promise<Manifest | undefined> {
    const { spool, stemOf, recover } = this.#parts;
    const runtime = lines[0]?.envelope.runtime ?? '';
    return spool.manifest(runtime, stemOf(session)) ?? (await recover?.(session));
  }

  /** True where nobody else told of the session, so that its equal events are counted on. */
  #isOwn(session: string, { told_by }: Manifest): boolean {
    const isOurs = told_by?.cursor === this.#name;
    return isOurs && (this.#continues || this.#begun.has(session));
  }

  async #cutSession(
    session: string,
    lines: readonly Told[],
    before: Manifest | undefined,
  ): Promise<void> {
    this.#begun.add(session);
    const known = before?.told_by?.offset ?? 0;
    // What a run that was cut off put already.
    const fresh = lines.filter(({ end }) => end > known);
    const [first] = fresh;
    if (!first) return;
    const manifest = before ?? newManifest(first.envelope);
    const ordinals = new Ordinals(manifest);
    const envelopes = nameEvents(fresh, ordinals);
    const latest: Manifest = {
      ...withLatest(manifest, envelopes),
      ...ordinals.saved(),
      told_by: { cursor: this.#name, offset: this.offset },
    };
    const after = await putParts(envelopes, latest, this.#parts, fresh);
    this.#parts.spool.writeManifest(this.#parts.stemOf(session), after);
  }

  async #compare(shared: ReadonlyMap<string, Manifest>): Promise<void> {
    const [main] = shared.keys();
    if (main === undefined) return;
    const manifestOf = (session: string) => {
      const manifest = shared.get(session);
      return manifest && this.#reconciled(manifest);
    };
    const { sessions } = await compareTranscript(this.#file, main, manifestOf, this.#quiet);
    const { spool, stemOf } = this.#parts;
    for (const { after } of sessions) {
      if (after && after !== shared.get(after.session)) {
        spool.writeManifest(stemOf(after.session), after);
      }
    }
    for (const session of shared.keys()) this.#compared.add(session);
  }

  /** A captured session beside its own transcript first: what that names is not taken for what this file tells. */
  async #reconciled(manifest: Manifest): Promise<Manifest> {
    if (manifest.imported || manifest.transcript === this.#file.path) return manifest;
    return (await reconcileSession(manifest, this.#quiet)).manifest;
  }

  cursor(): Cursor {
    const policyOf = (event: Event) => this.#parts.circumstance(event, 'imported');
    return {
      version: 2,
      path: this.#file.path,
      offset: this.offset,
      size: this.#file.size,
      modified_at: this.#file.modifiedAt,
      tally: this.#reader.tally,
      reader: withoutSecrets(this.#reader.state(), policyOf),
      ...(this.#isOpen ? { open: true as const } : {}),
      ...(this.#isAgain ? { again: true as const } : {}),
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
  const isAgain = saved ? saved.again === true : last !== undefined;
  const importer = new Importer(file, saved, isAgain, parts);
  // Whoever goes on after this run is cut off knows by it that the file is being read for the first time.
  if (!last) parts.writeCursor(importer.cursor());
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
