import { sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { dayOf, toInstant } from '../base/time.ts';
import { noteTrouble, type Trouble } from '../base/trouble.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { compactedKey, folderOf, PREFIX, parsePartKey } from './layout.ts';
import { mergeEvents } from './merge.ts';
import type { ObjectStore } from './objects.ts';
import { type PartCodec, readPart, sizeOf } from './part.ts';
import { relaxer } from './relaxing.ts';

/** A sealed session's parts, as its newest revision names them. */
export interface SealedParts {
  readonly session: string;
  readonly keys: readonly string[];
}

/** What compacting reads from and writes to. */
export interface CompactParts {
  readonly store: ObjectStore;
  readonly codec: PartCodec;
  /** Called between batches. */
  readonly relax: () => void;
}

interface Day {
  readonly date: string;
  readonly sessions: readonly SealedParts[];
  readonly generation: string;
}

/** Days that are over, with the sealed sessions that began on them. */
function daysOf(sealed: readonly SealedParts[], today: string): Day[] {
  const days = new Map<string, SealedParts[]>();
  for (const session of sealed) {
    const date = parsePartKey(session.keys[0] ?? '')?.date;
    if (date === undefined || date >= today) continue;
    const list = days.get(date) ?? [];
    list.push(session);
    days.set(date, list);
  }
  return [...days].map(([date, sessions]) => {
    const sorted = sessions.sort((a, b) => (a.session < b.session ? -1 : 1));
    return {
      date,
      sessions: sorted,
      generation: sha256Hex(sorted.flatMap((session) => session.keys).join('\n')),
    };
  });
}

/** Up to this size a session is compacted. Parts of one that is larger are few for what they hold as they are. */
const WHOLE_BYTES_MAX = 16 * 1024 * 1024;

/** A session's events, merged; undefined where they are more than is held at once. */
async function wholeSession(
  { store, codec }: CompactParts,
  session: SealedParts,
  rest: (bytes: number) => void,
): Promise<Envelope[] | undefined> {
  const events: Envelope[] = [];
  let bytes = 0;
  for (const key of session.keys) {
    const part = await readPart(store, codec, { key });
    const more = part.reduce((sum, event) => sum + sizeOf(event), 0);
    rest(more);
    bytes += more;
    if (bytes > WHOLE_BYTES_MAX) return undefined;
    events.push(...part);
  }
  return mergeEvents(events);
}

/** Writes one day anew: the events of each session that is not too large, merged, in parts of the usual size. */
async function writeDay(parts: CompactParts, day: Day): Promise<void> {
  const { store, codec, relax } = parts;
  const rest = relaxer(relax);
  let batch: Envelope[] = [];
  let bytes = 0;
  let n = 0;
  // Where a day has large sessions alone, an empty part says that it is done.
  let first = codec.encode([]);
  const flush = async () => {
    if (batch.length === 0) return;
    n += 1;
    // The first part is put last: where it is, the generation is whole.
    if (n === 1) first = codec.encode(batch);
    else await store.put(compactedKey(day.date, day.generation, n), codec.encode(batch));
    batch = [];
    bytes = 0;
  };
  for (const session of day.sessions) {
    const events = await wholeSession(parts, session, rest);
    for (const event of events ?? []) {
      batch.push(event);
      bytes += sizeOf(event);
      if (bytes >= LIMIT.part_bytes_max) await flush();
    }
  }
  await flush();
  await store.put(compactedKey(day.date, day.generation, 1), first);
}

/**
 * Compacts the sealed sessions of days that are over into few, larger objects for readers of the lake: derived,
 * deletable, never read by us. A day whose sessions have not changed is left alone; an older generation of it goes
 * once the new one is whole. A day with a part that cannot be read is passed over, and keeps the generation that it
 * has. Resolves with the number of days written.
 */
export async function compact(
  parts: CompactParts,
  sealed: readonly SealedParts[],
  now: number,
  troubles: Trouble[],
): Promise<number> {
  const { store } = parts;
  const known = new Map<string, string[]>();
  for await (const key of store.list(PREFIX.compacted)) {
    const date = /^compacted\/dt=([^/]+)\//.exec(key)?.[1] ?? '';
    known.set(date, [...(known.get(date) ?? []), key]);
  }
  let written = 0;
  for (const day of daysOf(sealed, dayOf(toInstant(now)))) {
    const current = compactedKey(day.date, day.generation, 1);
    const folder = folderOf(current);
    const keys = known.get(day.date) ?? [];
    try {
      if (!keys.includes(current)) {
        await writeDay(parts, day);
        written += 1;
      }
      for (const old of keys.filter((key) => !key.startsWith(folder))) await store.delete(old);
    } catch (error) {
      noteTrouble(troubles, folder, error);
    }
  }
  return written;
}
