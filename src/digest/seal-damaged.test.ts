import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEnvelope } from '../../test/kit/envelopes.ts';
import { keyOf } from '../../test/kit/fleet.ts';
import { eventsIn, START, spoolLine, spoolText } from '../../test/kit/lake.ts';
import { memorySpool } from '../../test/kit/memory-spool.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import type { Trouble } from '../base/trouble.ts';
import type { SpoolLine } from '../capture/spool.ts';
import { parquet } from '../io/parquet.ts';
import { drainAll } from '../lake/drain.ts';
import { recoverManifest } from '../lake/recover.ts';
import { SessionBody } from '../record/session.ts';
import { confirmSeals, sealAll } from './seal-all.ts';

const RUNTIME = 'claude-code';

/** A session drained and sealed from a spool file of this text. */
async function sealed(text: string) {
  const spool = memorySpool();
  const store = openMemoryStore();
  spool.append(RUNTIME, 's1', text);
  const troubles: Trouble[] = [];
  const parts = {
    spool,
    store,
    codec: parquet,
    now: START + 3_600_000,
    idleMs: 60_000,
    relax: () => {},
  };
  const drained = await drainAll({ ...parts, everything: true }, troubles);
  const records: SessionBody[] = [];
  await sealAll(
    drained,
    {
      ...parts,
      lines: { lines: () => [] },
      history: { folder: '', files: () => [], locate: () => undefined },
      hostId: '0123456789abcdef',
      host: keyOf('host'),
      circumstance: () => {
        throw new Error('there is no transcript');
      },
      known: () => undefined,
      send: async ({ body }) => void records.push(SessionBody.parse(body)),
    },
    troubles,
  );
  const manifest = spool.manifest(RUNTIME, 's1');
  return { spool, store, troubles, records, manifest, events: await eventsIn(store, manifest) };
}

/** The path of every field in a value, at any depth. */
function pathsIn(value: unknown, above: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [...above, name],
    ...pathsIn(inner, [...above, name]),
  ]);
}

/** A line with one field replaced, or taken away where the value is undefined. */
function damaged(line: SpoolLine, at: number, value: unknown): string {
  const copy = structuredClone(line) as unknown as Record<string, unknown>;
  const paths = pathsIn(copy);
  const [...names] = paths[at % paths.length] ?? [];
  const last = names.pop() ?? '';
  const holder = names.reduce((inner, name) => inner[name] as Record<string, unknown>, copy);
  holder[last] = value;
  return `\n${JSON.stringify(copy)}\n`;
}

describe('a line that is damaged in any way', () => {
  const anyValue = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom(undefined, 'weird', 1.5, -1, 1e300, '9999-12-31T23:59:59.999Z'),
  );
  test('costs no more than itself: the session is sealed, and found again', async () => {
    await fc.assert(
      fc.asyncProperty(anyEnvelope, fc.nat(), anyValue, async (fields, at, value) => {
        const { session_id: _s, runtime: _r, event_id: _e, emitted_at: _t, ...rest } = fields;
        const line = spoolLine(1, rest, {
          withheld: [{ rule: 'aws-key', bytes: 20, hash: 'abcd' }],
        });
        const good = [spoolLine(0, { event_type: 'turn_end' }), spoolLine(2, { content: 'go' })];
        const text = spoolText(good) + damaged(line, at, value);
        const { spool, store, troubles, records, manifest, events } = await sealed(text);
        expect(troubles).toEqual([]);
        const [record] = records;
        const inLedger = { revision: 1, agent: 'cc-1', parts: JSON.stringify(record?.parts ?? []) };
        confirmSeals({ spool, known: () => inLedger });
        expect([...spool.files.keys()]).toEqual([]);
        expect(events.length + spool.counted().torn).toBe(3);
        const found = await recoverManifest(
          { revision: 1, parts: record?.parts ?? [] },
          { store, codec: parquet, relax: () => {} },
        );
        expect(found?.parts).toEqual(manifest?.parts);
      }),
      { numRuns: 300 },
    );
  });
});
