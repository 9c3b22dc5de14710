import { LIMIT } from '../base/limits.ts';
import { type Circumstance, spooled } from '../capture/envelope.ts';
import type { Unnamed } from '../capture/spool.ts';
import type { Envelope, Event, Native } from '../runtime/envelope.ts';
import { newManifest, putParts, withLatest } from './cut.ts';
import { type EventSession, eventId } from './event-id.ts';
import { KnownEvents } from './known-events.ts';
import { type Manifest, toldByMany } from './manifest.ts';
import { mergeEvents } from './merge.ts';
import type { ObjectStore } from './objects.ts';
import { Ordinals } from './ordinals.ts';
import { type Counted, type Occurrence, pairOccurrences } from './pairing.ts';
import { type PartCodec, readPart, sizeOf } from './part.ts';
import { relaxer } from './relaxing.ts';

/** Counted native key → its occurrences in a transcript, in its order. */
export type Occurrences = ReadonlyMap<string, readonly Occurrence[]>;

/** Slim copies are small and many: to encode one takes more memory than it says. */
const EVENTS_MAX = 6_000;

interface SessionParts {
  readonly store: ObjectStore;
  readonly codec: PartCodec;
  readonly circumstance: (event: Event, origin: 'imported' | 'reconciled') => Circumstance;
  readonly relax: () => void;
}

/** A session's parts beside what a transcript tells of it, event by event. */
export class SessionComparison {
  readonly #parts: SessionParts;
  readonly #told: Occurrences;
  readonly #rest: (bytes: number) => void;
  readonly #known = new KnownEvents();
  readonly #origin: 'imported' | 'reconciled';
  /** The ordinals of a key's occurrences that are still to come, the next one last. */
  readonly #ordinals = new Map<string, number[]>();
  /** What the manifest counted. */
  readonly #counted: Ordinals;
  /** By key, the first ordinal that no event has. */
  readonly #counts = new Map<string, number>();
  #manifest: Manifest | undefined;
  #added: Envelope[] = [];
  #bytes = 0;
  #withheld: Unnamed[] = [];

  private constructor(manifest: Manifest | undefined, told: Occurrences, parts: SessionParts) {
    this.#manifest = manifest;
    this.#counted = new Ordinals(manifest);
    this.#told = told;
    this.#parts = parts;
    this.#rest = relaxer(parts.relax);
    this.#origin = manifest?.imported === false ? 'reconciled' : 'imported';
  }

  /** Reads the session's parts. Throws as `readPart` does. */
  static async open(
    manifest: Manifest | undefined,
    told: Occurrences,
    parts: SessionParts,
  ): Promise<SessionComparison> {
    const comparison = new SessionComparison(manifest, told, parts);
    for (const part of manifest?.parts ?? []) {
      for (const event of await readPart(parts.store, parts.codec, part)) {
        comparison.#known.add(event);
      }
      comparison.#rest(part.bytes);
    }
    return comparison;
  }

  /** Takes the transcript's next event. */
  take(event: Event): void {
    const line = spooled(event, this.#parts.circumstance(event, this.#origin));
    const news = this.#known.add({ ...line.envelope, event_id: this.#idOf(line) });
    if (!news) return;
    this.#added.push(news);
    this.#bytes += sizeOf(news);
    // What was withheld from a text that is known already has been said.
    if (line.withheld && hasText(news)) this.#withheld.push(line);
  }

  /** True where as much is new as one part is to hold. */
  get isFull(): boolean {
    return this.#bytes >= LIMIT.part_bytes_max || this.#added.length >= EVENTS_MAX;
  }

  #idOf({ native, envelope }: Unnamed): string {
    return eventId(envelope, native, native.counted ? this.#nextOrdinal(envelope, native) : 0);
  }

  #nextOrdinal(session: EventSession, native: Native): number {
    const { key } = native;
    const left = this.#ordinals.get(key) ?? this.#pair(session, native);
    this.#ordinals.set(key, left);
    const ordinal = left.pop() ?? this.#counts.get(key) ?? 0;
    this.#counts.set(key, Math.max(this.#counts.get(key) ?? 0, ordinal + 1));
    return ordinal;
  }

  #pair(session: EventSession, native: Native): number[] {
    const known: Counted[] = [];
    const counted = this.#counted.countOf(native.key);
    let next = 0;
    for (;;) {
      const occurrence = this.#known.occurrence(eventId(session, native, next));
      if (occurrence === undefined && next >= counted) break;
      if (occurrence !== undefined) known.push({ ordinal: next, ...occurrence });
      next += 1;
    }
    this.#counts.set(native.key, next);
    return pairOccurrences(this.#told.get(native.key) ?? [], known, next).reverse();
  }

  /** Puts what is new so far. */
  async put(): Promise<void> {
    const envelopes = mergeEvents(this.#added);
    const [first] = envelopes;
    if (!first) return;
    const before = this.#manifest ? toldByMany(this.#manifest) : newManifest(first);
    // A captured session's own events say whether it is over.
    const latest = before.imported ? withLatest(before, envelopes) : before;
    this.#manifest = await putParts(envelopes, latest, this.#parts, this.#withheld);
    this.#rest(this.#bytes);
    [this.#added, this.#bytes, this.#withheld] = [[], 0, []];
  }

  /** Puts what is left, and answers with the manifest: the same object where there was nothing to add. */
  async finish(): Promise<Manifest | undefined> {
    await this.put();
    const manifest = this.#manifest;
    let isMore = false;
    for (const [key, count] of this.#counts) isMore = this.#counted.raise(key, count) || isMore;
    return manifest && isMore ? { ...toldByMany(manifest), ...this.#counted.saved() } : manifest;
  }

  /** Captured over known, of the events that hooks can see. */
  coverage(): ReturnType<KnownEvents['coverage']> {
    return this.#known.coverage();
  }
}

function hasText({ content, tool }: Envelope): boolean {
  return (content ?? tool?.input ?? tool?.result) !== undefined;
}
