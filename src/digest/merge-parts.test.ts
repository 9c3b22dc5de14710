import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { sha256Hex } from '../base/hash.ts';
import { toInstant } from '../base/time.ts';
import { mergeEvents } from '../lake/merge.ts';
import { orderEvents } from '../lake/order.ts';
import type { PartCodec } from '../lake/part.ts';
import { sizeOf } from '../lake/part.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { mergeParts, type SizedPart } from './merge-parts.ts';

/** Small parts, so that a few events are more than is held at once. An event takes 500 and its text. */
const PART_BYTES = 8_000;
vi.mock('../base/limits.ts', async (original) => {
  const { LIMIT } = (await original()) as { LIMIT: object };
  return { LIMIT: { ...LIMIT, part_bytes_max: 8_000 } };
});

/** Parts as JSON, which is quickly made. */
const json: PartCodec = {
  encode: (envelopes) => Buffer.from(JSON.stringify(envelopes)),
  decode: async (bytes) => JSON.parse(Buffer.from(bytes).toString()) as Envelope[],
  begin: async (bytes) =>
    (JSON.parse(Buffer.from(bytes).toString()) as Envelope[])
      .map(({ emitted_at }) => emitted_at)
      .sort()[0],
};

const START = Date.UTC(2026, 2, 4, 5);
const event = (id: number, ms: number, fields: Partial<Envelope> = {}): Envelope =>
  envelope({ event_id: `e${id}`, emitted_at: toInstant(START + ms), ...fields });
const bytesOf = (events: readonly Envelope[]) => events.reduce((sum, one) => sum + sizeOf(one), 0);

/** The runs of parts that hold these events. */
async function runsOf(
  parts: readonly (readonly Envelope[])[],
  codec: PartCodec = json,
  heard: (run: readonly Envelope[]) => void = () => {},
): Promise<Envelope[][]> {
  const store = openMemoryStore();
  const sized: SizedPart[] = [];
  for (const [n, events] of parts.entries()) {
    const bytes = json.encode(events);
    await store.put(`part-${n}`, bytes);
    sized.push({ key: `part-${n}`, hash: sha256Hex(bytes), bytes: bytesOf(events) });
  }
  const runs: Envelope[][] = [];
  for await (const run of mergeParts(sized, { store, codec, relax: () => {} })) {
    heard(run);
    if (run.length > 0) runs.push([...run]);
  }
  return runs;
}

/** Up to 20 events at up to 10 moments, some told twice, in up to 5 parts whose rows are in any order. */
const anyParts = fc
  .array(
    fc.record({
      ms: fc.nat(9),
      parts: fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 2 }),
      told: fc.boolean(),
    }),
    { maxLength: 20 },
  )
  .map((events) =>
    Array.from({ length: 5 }, (_, n) =>
      events.flatMap(({ ms, parts, told }, i): Envelope[] => {
        if (!parts.includes(n)) return [];
        const isCopy = n !== Math.min(...parts);
        // Both copies may come from a transcript: then the part decides whose value wins.
        const fields = told || isCopy ? { reconciled: true as const, message_id: `m${n}` } : {};
        return [event(i, ms, { content: `in ${n}`, ...fields })];
      }),
    ),
  );

describe('the events of parts', () => {
  test('come as if they were merged and ordered as a whole, whichever part they are in', async () => {
    await fc.assert(
      fc.asyncProperty(anyParts, async (parts) => {
        const runs = await runsOf(parts);
        expect(runs.flat()).toEqual(orderEvents(mergeEvents(parts.flat())));
      }),
      { numRuns: 150 },
    );
  });

  test('that two long parts hold in turns come in order, in runs', async () => {
    const all = Array.from({ length: 28 }, (_, i) => event(i, i * 10));
    const runs = await runsOf([
      all.filter((_, i) => i % 2 === 1),
      all.filter((_, i) => i % 2 === 0),
    ]);
    expect(runs.flat()).toEqual(all);
    expect(runs.length).toBeGreaterThan(10);
  });

  test('of one moment stand in one run: a parent comes before its children', async () => {
    const child = event(1, 5, { message_id: 'b', parent_message_id: 'a' });
    const parent = event(2, 5, { message_id: 'a' });
    const between = Array.from({ length: 8 }, (_, i) => event(10 + i, 5));
    const [run, ...more] = await runsOf([[child, ...between], [parent]]);
    expect(more).toEqual([]);
    const ids = run?.map((one) => one.event_id) ?? [];
    expect(ids.indexOf('e2')).toBeLessThan(ids.indexOf('e1'));
  });

  test('are none where there are no parts', async () => {
    expect(await runsOf([])).toEqual([]);
    expect(await runsOf([[]])).toEqual([]);
  });
});

describe('memory', () => {
  test.each<[string, (i: number) => number]>([
    ['follow each other', (i) => i],
    ['all span the same time', (i) => i % 4],
    ['hold one moment', () => 0],
    ['go back in time', (i) => -i],
  ])('is bounded, and no event is lost, where parts %s', async (_what, ms) => {
    const all = Array.from({ length: 160 }, (_, i) =>
      event(i, ms(i) * 1_000, { content: 'x'.repeat(1_500) }),
    );
    const parts = Array.from({ length: 40 }, (_, n) => all.slice(n * 4, n * 4 + 4));
    let decodes = 0;
    let held = 0;
    let most = 0;
    const codec: PartCodec = {
      ...json,
      async decode(bytes) {
        const events = await json.decode(bytes);
        decodes += 1;
        held += bytesOf(events);
        most = Math.max(most, held);
        return events;
      },
    };
    const runs = await runsOf(parts, codec, (run) => {
      held -= bytesOf(run);
    });
    expect(decodes).toBe(parts.length);
    expect(most).toBeLessThanOrEqual(3.5 * PART_BYTES);
    const ids = runs.flat().map((one) => one.event_id);
    expect(ids.toSorted()).toEqual(all.map((one) => one.event_id).toSorted());
  });
});
