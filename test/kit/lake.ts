import { toInstant } from '../../src/base/time.ts';
import { encodeLine, type SpoolLine } from '../../src/capture/spool.ts';
import { parquet } from '../../src/io/parquet.ts';
import type { Manifest } from '../../src/lake/manifest.ts';
import { mergeEvents } from '../../src/lake/merge.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { orderEvents } from '../../src/lake/order.ts';
import type { Envelope } from '../../src/runtime/envelope.ts';
import { envelope } from './envelopes.ts';

/** When the sessions of lake tests begin: 4 March 2026, 05:00 UTC. */
export const START = Date.UTC(2026, 2, 4, 5);

let made = 0;
/** A spool line `s` seconds in; its native key is counted where it says no other. */
export function spoolLine(
  s: number,
  fields: Partial<Envelope> = {},
  more: Partial<SpoolLine> = {},
): SpoolLine {
  const { event_id: _, ...rest } = envelope({
    session_id: 's1',
    emitted_at: toInstant(START + s * 1_000),
    ...fields,
  });
  return {
    line_id: `line-${made++}`,
    recognised: true,
    native: { key: `${rest.event_type}:${(rest.content ?? '').slice(0, 40)}`, counted: true },
    envelope: rest,
    ...more,
  };
}

/** Lines as hooks write them. */
export const spoolText = (lines: readonly SpoolLine[]): string => lines.map(encodeLine).join('');

/** Everything in a store, by key. */
export async function objectsIn(store: ObjectStore, prefix = ''): Promise<Record<string, string>> {
  const objects: Record<string, string> = {};
  for await (const key of store.list(prefix)) {
    objects[key] = Buffer.from((await store.get(key)) ?? []).toString('base64');
  }
  return objects;
}

/** The events of the parts that a manifest names, part by part. */
export async function partsOf(
  store: ObjectStore,
  manifest: Manifest | undefined,
): Promise<Envelope[][]> {
  const parts: Envelope[][] = [];
  for (const { key } of manifest?.parts ?? []) {
    const bytes = await store.get(key);
    if (!bytes) throw new Error(`the part ${key} is not there`);
    parts.push(await parquet.decode(bytes));
  }
  return parts;
}

/** The same, merged and in order. */
export async function eventsIn(
  store: ObjectStore,
  manifest: Manifest | undefined,
): Promise<Envelope[]> {
  return orderEvents(mergeEvents((await partsOf(store, manifest)).flat()));
}
