import { describe, expect, test } from 'vitest';
import { partsOf, spoolLine } from '../../test/kit/lake.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { promptKey } from '../capture/envelope.ts';
import type { SpoolLine } from '../capture/spool.ts';
import { parquet } from '../io/parquet.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { cutSpool, nameEvents, putParts } from './cut.ts';
import type { Manifest } from './manifest.ts';
import { Ordinals } from './ordinals.ts';
import { recoverManifest } from './recover.ts';

const GO = promptKey('go');
const prompt = (s: number, fields: Partial<Envelope> = {}): SpoolLine =>
  spoolLine(
    s,
    { event_type: 'prompt', content: 'go', ...fields },
    { native: { key: GO, counted: true } },
  );
const end = (s: number): SpoolLine =>
  spoolLine(
    s,
    { event_type: 'turn_end', content: 'done' },
    { native: { key: 'turn_end', counted: true } },
  );

/** A session whose parts hold these lines, one part a list. */
async function session(...lists: readonly (readonly SpoolLine[])[]) {
  const store = openMemoryStore();
  let manifest: Manifest | undefined;
  for (const lines of lists) {
    const cut = cutSpool(lines, 0, manifest);
    if (!cut) throw new Error('no line');
    manifest = await putParts(cut.envelopes, cut.manifest, { store, codec: parquet });
  }
  if (!manifest) throw new Error('no part');
  return { store, manifest };
}
type Session = Awaited<ReturnType<typeof session>>;

const recover = ({ store, manifest }: Session, relax = () => {}) =>
  recoverManifest({ revision: 3, parts: manifest.parts }, { store, codec: parquet, relax });

describe('a manifest that was lost', () => {
  test('is what it was, as far as the parts tell', async () => {
    const one = await session([prompt(0), end(1)], [prompt(2), end(3)]);
    const { parts, last_at, ordinals, once } = one.manifest;
    const told = { parts, last_at, ordinals, once, revision: 3, sealed_parts: 2, imported: false };
    expect(await recover(one)).toMatchObject(told);
    expect(ordinals).toEqual({ [GO]: 2, turn_end: 2 });
  });

  test('counts what was imported and reconciled too: the next event gets an ordinal of its own', async () => {
    const one = await session(
      [prompt(0, { imported: true }), prompt(1, { imported: true })],
      [prompt(2)],
      [prompt(3, { reconciled: true })],
    );
    const manifest = await recover(one);
    expect(manifest).toMatchObject({ imported: false, ordinals: { [GO]: 4 } });
    const [next] = nameEvents([prompt(4)], new Ordinals(manifest));
    const events = (await partsOf(one.store, one.manifest)).flat();
    expect(events.map((event) => event.event_id)).not.toContain(next?.event_id);
  });

  test('counts an event once, however many copies of it there are', async () => {
    const one = await session([prompt(0), end(1)]);
    const events = (await partsOf(one.store, one.manifest)).flat();
    // What a transcript adds to a known prompt lacks its text.
    const slim = events.map(
      ({ content: _, ...event }): Envelope => ({
        ...event,
        message_id: 'm',
        reconciled: true,
      }),
    );
    const manifest = await putParts(slim, one.manifest, { store: one.store, codec: parquet });
    const ordinals = new Ordinals(await recover({ ...one, manifest }));
    expect([GO, 'turn_end'].map((key) => ordinals.countOf(key))).toEqual([1, 1]);
  });

  test('of an imported session is imported', async () => {
    const one = await session([prompt(0, { imported: true })]);
    const manifest = await recover(one);
    expect(manifest).toMatchObject({ imported: true });
    expect(new Ordinals(manifest).countOf(GO)).toBe(1);
  });

  test('is made part by part', async () => {
    const content = 'x'.repeat(9 * 1024 * 1024);
    const one = await session([prompt(0, { content })], [prompt(1, { content })], [prompt(2)]);
    let rests = 0;
    await recover(one, () => void rests++);
    expect(rests).toBe(2);
  });

  test('without an event there is none', async () => {
    const { store } = await session([prompt(0)]);
    const parts = { store, codec: parquet, relax: () => {} };
    expect(await recoverManifest({ revision: 1, parts: [] }, parts)).toBeUndefined();
  });
});
