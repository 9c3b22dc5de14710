import { describe, expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import { faultSweep } from '../../test/kit/flaky-store.ts';
import { keyOf } from '../../test/kit/fleet.ts';
import { objectsIn } from '../../test/kit/lake.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { canonical } from '../base/canonical.ts';
import { toInstant } from '../base/time.ts';
import { parquet } from '../io/parquet.ts';
import { newManifest, putParts, withLatest } from '../lake/cut.ts';
import type { Manifest } from '../lake/manifest.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { Digest } from '../record/digest.ts';
import { open } from '../record/record.ts';
import { SessionBody } from '../record/session.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { sealSession } from './seal.ts';

const START = Date.UTC(2026, 2, 4, 5);
const by = { host: '0123456789abcdef', signer: keyOf('host'), revision: 1, now: START + 60_000 };
const at = (s: number, fields: Partial<Envelope>) =>
  envelope({
    event_id: `${s}`.padStart(32, '0'),
    emitted_at: toInstant(START + s * 1_000),
    session_id: 's1',
    ...fields,
  });
const item = (id: string, kind: 'digest' | 'handoff' = 'digest') => ({
  kind,
  id,
  source: 's0',
  observed_by: 'cc-02',
});
const EVENTS: Envelope[][] = [
  [
    at(0, {
      event_type: 'session_start',
      repo: 'github.com/acme/web',
      cwd: '/w',
      injected_context: [item('b'), item('a')],
    }),
    at(1, {
      event_type: 'prompt',
      content: 'Fix it',
      injected_context: [item('a'), item('a', 'handoff')],
    }),
    at(2, { event_type: 'tool_call', tool: { name: 'Bash', input: '{"command":"npm test"}' } }),
  ],
  [
    at(2, { event_type: 'tool_call', tool: { result: 'no', outcome: 'error', exit_code: 1 } }),
    at(9, { event_type: 'turn_end', content: 'Done.' }),
    at(60, { event_type: 'session_end' }),
  ],
];
const newStore = () => openMemoryStore({ immutable: () => true });

async function stored(
  store: ObjectStore,
  parts: readonly Envelope[][] = EVENTS,
): Promise<Manifest> {
  const [[first] = []] = parts;
  let manifest = newManifest(first ?? envelope());
  for (const part of parts)
    manifest = await putParts(part, withLatest(manifest, part), { store, codec: parquet });
  return manifest;
}
const sealParts = (store: ObjectStore) => ({ store, codec: parquet, relax: () => undefined });

describe('sealing a session', () => {
  test('signs what it was, and puts digest and seal beside its first part', async () => {
    const store = newStore();
    const manifest = await stored(store);
    const record = await sealSession(manifest, by, sealParts(store), {
      coverage: { captured: 3, known: 4 },
    });
    if (!record) throw new Error('no record');
    const { body: signed, author } = open(record);
    const body = SessionBody.parse(signed);
    expect(author).toBe(by.signer.address);
    expect(body).toMatchObject({
      session: 's1',
      agent: 'cc-01',
      runtime: 'claude-code',
      host: by.host,
      repo: 'github.com/acme/web',
      cwd: '/w',
      revision: 1,
      window: { first: toInstant(START), last: toInstant(START + 60_000) },
      issued_at: toInstant(START + 60_000),
      parts: manifest.parts.map(({ key, hash }) => ({ key, hash })),
      lineage: [item('a'), item('b'), item('a', 'handoff')],
      digest: {
        prompts: 1,
        tool_calls: 1,
        tool_errors: 1,
        coverage: { captured: 3, known: 4 },
        outcome: 'error',
      },
    });
    const folder = manifest.parts[0]?.key.replace(/[^/]*$/, '') ?? '';
    const text = async (name: string) =>
      Buffer.from((await store.get(folder + name)) ?? []).toString();
    expect(await text('digest-000001.json')).toBe(`${canonical(body.digest)}\n`);
    expect(await text('seal-000001-0123456789abcdef.json')).toBe(`${canonical(record)}\n`);
  });

  test('made again, and however often it failed on the way, gives the same bytes', async () => {
    const seed = newStore();
    const manifest = await stored(seed);
    let expected: object | undefined;
    await faultSweep(
      async (store) => {
        // The parts are there already; putting them again changes nothing.
        await stored(seed);
        const both: ObjectStore = {
          name: 'both',
          get: async (key) => (await store.get(key)) ?? seed.get(key),
          put: (key, bytes) => store.put(key, bytes),
          putIfAbsent: (key, bytes) => store.putIfAbsent(key, bytes),
          list: (prefix) => store.list(prefix),
          delete: (key) => store.delete(key),
          time: () => store.time(),
        };
        const record = await sealSession(manifest, by, sealParts(both));
        expected ??= { record };
        expect({ record }).toEqual(expected);
      },
      newStore,
      async (store) => expect(Object.keys(await objectsIn(store))).toHaveLength(2),
    );
  });

  test('the whole digest is put, the record holds one that was cut to 8 KB', async () => {
    const store = newStore();
    const reads = Array.from({ length: 400 }, (_, i) =>
      at(i, {
        event_type: 'tool_call',
        tool: { name: 'Read', paths: [`/w/${'x'.repeat(60)}${i}`], outcome: 'ok' },
      }),
    );
    const manifest = await stored(store, [reads]);
    const record = await sealSession(manifest, by, sealParts(store));
    const { digest } = SessionBody.parse(record?.body);
    expect(Buffer.byteLength(canonical(digest))).toBeLessThanOrEqual(8 * 1024);
    const [whole = ''] = Object.entries(await objectsIn(store))
      .filter(([key]) => key.includes('digest-'))
      .map(([, bytes]) => bytes);
    const put = Digest.parse(JSON.parse(Buffer.from(whole, 'base64').toString()));
    expect(put.files).toHaveLength(400);
    expect(digest.omitted).toEqual({ files: 400 - digest.files.length });
  });

  test('one that is too large to be merged as a whole has the same digest', async () => {
    const store = newStore();
    // A reconciliation, at the end, repeats all of it with what only the transcript knows, and tells what hooks missed.
    const missed = [
      at(0.5, { event_type: 'prompt', content: 'Look first' }),
      at(3, { event_type: 'tool_call', tool: { name: 'Bash', outcome: 'ok', exit_code: 0 } }),
      at(4, { event_type: 'assistant', role: 'assistant', content: 'It fails.' }),
      at(5, { event_type: 'prompt', content: 'Go on' }),
    ];
    const told = [...missed, ...EVENTS.flat()].map(
      (event): Envelope => ({ ...event, message_id: `m${event.event_id}`, reconciled: true }),
    );
    const manifest = await stored(store, [...EVENTS, told]);
    const large: Manifest = {
      ...manifest,
      parts: manifest.parts.map((part) => ({ ...part, bytes: 16_000_000 })),
    };
    let relaxed = 0;
    const bodyOf = async (of: Manifest) =>
      SessionBody.parse(
        (await sealSession(of, by, { ...sealParts(openCopy(store)), relax: () => void relaxed++ }))
          ?.body,
      );
    const [small, big] = [await bodyOf(manifest), await bodyOf(large)];
    expect(big).toEqual(small);
    expect(small.digest).toMatchObject({
      asked: 'Look first',
      outcome: 'clean',
      prompts: 3,
      turns: 2,
      tool_calls: 2,
    });
    expect(relaxed).toBeGreaterThan(2);
  });

  test.each<[string, number, number]>([
    ['the moment of its last event', 60_000, 60_000],
    ['the same, though the clock is a little behind', 60_000 - 300_000, 60_000],
    ['the sealing, where the last event is far ahead of it', -48 * 3_600_000, -48 * 3_600_000],
  ])('is dated by %s', async (_what, now, issued) => {
    const store = newStore();
    const manifest = await stored(store);
    const record = await sealSession(manifest, { ...by, now: START + now }, sealParts(store));
    expect(SessionBody.parse(record?.body)).toMatchObject({
      issued_at: toInstant(START + issued),
      window: { first: toInstant(START), last: toInstant(START + 60_000) },
    });
  });

  test('a session without an event is none', async () => {
    const store = newStore();
    const manifest = { ...(await stored(store)), parts: [] };
    expect(await sealSession(manifest, by, sealParts(store))).toBeUndefined();
  });

  test('a part that the store lost is said, and nothing is sealed', async () => {
    const store = newStore();
    const manifest = await stored(store);
    const [, second] = manifest.parts;
    await store.delete(second?.key ?? '');
    await expect(sealSession(manifest, by, sealParts(store))).rejects.toMatchObject({
      code: 'lake.part_missing',
      data: { key: second?.key },
    });
    expect(Object.keys(await objectsIn(store)).filter((key) => /seal|digest/.test(key))).toEqual(
      [],
    );
  });

  test('a part that was changed is said, however large the session is, and nothing is sealed', async () => {
    const store = openMemoryStore();
    const manifest = await stored(store);
    const [, second] = manifest.parts;
    const forged = (EVENTS[1] ?? []).map((event) => ({ ...event, content: 'forged' }));
    await store.put(second?.key ?? '', parquet.encode(forged));
    const large = manifest.parts.map((part) => ({ ...part, bytes: 16_000_000 }));
    for (const parts of [manifest.parts, large]) {
      await expect(sealSession({ ...manifest, parts }, by, sealParts(store))).rejects.toMatchObject(
        { code: 'lake.part_changed', data: { key: second?.key } },
      );
    }
    expect(Object.keys(await objectsIn(store)).filter((key) => /seal|digest/.test(key))).toEqual(
      [],
    );
  });

  test('subagents and imports say so', async () => {
    const store = newStore();
    const events = [[at(0, { session_id: 's1:a', parent_session_id: 's1', imported: true })]];
    const manifest = await stored(store, events);
    expect(
      SessionBody.parse((await sealSession(manifest, by, sealParts(store)))?.body),
    ).toMatchObject({ session: 's1:a', parent: 's1', imported: true });
  });

  test('what no text of a record may hold does not keep a session from its seal', async () => {
    const store = newStore();
    const events = [
      [
        at(0, { event_type: 'prompt', content: 'a\ud800b', cwd: '/w' }),
        at(1, {
          event_type: 'tool_call',
          tool: { name: 'Bash', input: '{"command":"echo \\ud83d\\u0000"}', outcome: 'ok' },
        }),
        at(2, { event_type: 'assistant', usage: { model: 'm\0' }, branch: '\u0001' }),
      ],
    ];
    const record = await sealSession(await stored(store, events), by, sealParts(store));
    expect(open(record).context).toBe('session');
  });
});

/** A view of a store whose writes go nowhere: the same keys can be written with other bytes. */
function openCopy(store: ObjectStore): ObjectStore {
  return {
    name: 'copy',
    get: (key) => store.get(key),
    put: async () => undefined,
    putIfAbsent: async () => true,
    list: (prefix) => store.list(prefix),
    delete: async () => undefined,
    time: () => store.time(),
  };
}
