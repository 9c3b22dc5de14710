import { sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { dayOf, toInstant } from '../base/time.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { compactedKey, PREFIX, parsePartKey } from './layout.ts';
import { mergeEvents } from './merge.ts';
import type { ObjectStore } from './objects.ts';
import { type PartCodec, readPart } from './part.ts';

/** A sealed session's parts, as its newest revision names them. */
export interface SealedParts {
  readonly session: string;
  readonly keys: readonly string[];
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

/** Writes one day anew: each session's events merged, in parts of the usual size. */
async function writeDay(store: ObjectStore, codec: PartCodec, day: Day): Promise<void> {
  let batch: Envelope[] = [];
  let bytes = 0;
  let n = 0;
  let first: Uint8Array | undefined;
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
    const events: Envelope[] = [];
    for (const key of session.keys) {
      events.push(...(await readPart(store, codec, key)));
    }
    for (const event of mergeEvents(events)) {
      batch.push(event);
      bytes += JSON.stringify(event).length;
      if (bytes >= LIMIT.part_bytes_max) await flush();
    }
  }
  await flush();
  if (first) await store.put(compactedKey(day.date, day.generation, 1), first);
}

/**
 * Compacts the sealed sessions of days that are over into few, larger objects for readers of the lake: derived,
 * deletable, never read by us. A day whose sessions have not changed is left alone; an older generation of it goes
 * once the new one is whole. Resolves with the number of days written.
 */
export async function compact(
  store: ObjectStore,
  codec: PartCodec,
  sealed: readonly SealedParts[],
  now: number,
): Promise<number> {
  const known = new Map<string, string[]>();
  for await (const key of store.list(PREFIX.compacted)) {
    const date = /^compacted\/dt=([^/]+)\//.exec(key)?.[1] ?? '';
    known.set(date, [...(known.get(date) ?? []), key]);
  }
  let written = 0;
  for (const day of daysOf(sealed, dayOf(toInstant(now)))) {
    const current = compactedKey(day.date, day.generation, 1);
    const keys = known.get(day.date) ?? [];
    if (!keys.includes(current)) {
      await writeDay(store, codec, day);
      written += 1;
    }
    const folder = current.slice(0, current.lastIndexOf('/') + 1);
    for (const old of keys.filter((key) => !key.startsWith(folder))) await store.delete(old);
  }
  return written;
}
