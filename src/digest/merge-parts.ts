import { LIMIT } from '../base/limits.ts';
import { mergeEvents } from '../lake/merge.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { orderEvents } from '../lake/order.ts';
import { type PartCodec, partBytes, readPart, sizeOf } from '../lake/part.ts';
import { relaxer } from '../lake/relaxing.ts';
import type { Envelope } from '../runtime/envelope.ts';

/** A part of a session, with about what its envelopes take as JSON. */
export interface SizedPart {
  readonly key: string;
  readonly hash: string;
  readonly bytes: number;
}

/** What parts are read from. */
export interface PartSource {
  readonly store: ObjectStore;
  readonly codec: PartCodec;
  /** Called between parts that are read one by one. */
  readonly relax: () => void;
}

/** A part and the time of its earliest event. */
interface Begun {
  readonly part: SizedPart;
  readonly n: number;
  readonly from: string;
}

/** An event of part `n`. */
interface Item {
  readonly event: Envelope;
  readonly n: number;
}

/**
 * Events of this size are held at once: two whole parts, as of a captured session and its reconciliation, and some.
 * Where more parts overlap in time, those that begin later wait for room.
 */
const HELD_BYTES_MAX = 2.125 * LIMIT.part_bytes_max;

/** A run is cut at this size, between two moments; a single moment that is larger is cut all the same. */
const RUN_BYTES = { usual: LIMIT.part_bytes_max / 8, max: LIMIT.part_bytes_max } as const;

/** By time, event and part, the latest first: what comes next is popped off the end. */
function latestFirst(a: Item, b: Item): number {
  const [x, y] = [a.event, b.event];
  if (x.emitted_at !== y.emitted_at) return x.emitted_at < y.emitted_at ? 1 : -1;
  if (x.event_id !== y.event_id) return x.event_id < y.event_id ? 1 : -1;
  return b.n - a.n;
}

/** The parts, the one with the earliest event first. Their rows need not be in order. */
async function begun(
  of: readonly SizedPart[],
  { store, codec, relax }: PartSource,
): Promise<Begun[]> {
  const all: Begun[] = [];
  const rest = relaxer(relax);
  for (const [n, part] of of.entries()) {
    const bytes = await partBytes(store, part);
    const from = await codec.begin(bytes);
    if (from !== undefined) all.push({ part, n, from });
    rest(bytes.length);
  }
  return all.sort((a, b) => (a.from === b.from ? a.n - b.n : a.from < b.from ? -1 : 1));
}

/** Events in their order, of which a run is taken off at a time. */
class Run {
  #events: Envelope[] = [];
  #bytes = 0;

  /** True where the run should end before `next`. */
  isFull(next: Envelope): boolean {
    const isLater = this.#events.at(-1)?.emitted_at !== next.emitted_at;
    return this.#bytes >= (isLater ? RUN_BYTES.usual : RUN_BYTES.max);
  }

  add(event: Envelope): void {
    this.#events.push(event);
    this.#bytes += sizeOf(event);
  }

  take(): readonly Envelope[] {
    const events = orderEvents(mergeEvents(this.#events));
    [this.#events, this.#bytes] = [[], 0];
    return events;
  }
}

/**
 * The events of parts, by time, in runs that are merged and in order: whichever part an event is in, it comes at its
 * time. A part is held from its earliest event on until its last. Parents come before children within a run;
 * copies of one event that differ in time can be in two runs.
 */
export async function* mergeParts(
  of: readonly SizedPart[],
  from: PartSource,
): AsyncGenerator<readonly Envelope[]> {
  const waiting = (await begun(of, from)).reverse();
  const held: Item[] = [];
  let heldBytes = 0;
  const run = new Run();
  for (;;) {
    const next = held.at(-1)?.event;
    const opened = waiting.at(-1);
    const isDue = opened && (next === undefined || opened.from <= next.emitted_at);
    if (isDue && (held.length === 0 || heldBytes + opened.part.bytes <= HELD_BYTES_MAX)) {
      waiting.pop();
      // What is over makes room for what comes.
      yield run.take();
      from.relax();
      for (const event of await readPart(from.store, from.codec, opened.part)) {
        held.push({ event, n: opened.n });
        heldBytes += sizeOf(event);
      }
      held.sort(latestFirst);
      continue;
    }
    if (!next || run.isFull(next)) yield run.take();
    if (!next) return;
    held.pop();
    heldBytes -= sizeOf(next);
    run.add(next);
  }
}
