import { describe, expect, test } from 'vitest';
import { faultSweep } from '../../test/kit/flaky-store.ts';
import { Killed, Mortality } from '../../test/kit/killed.ts';
import { eventsIn, objectsIn, partsOf, START, spoolLine, spoolText } from '../../test/kit/lake.ts';
import { type MemorySpool, memorySpool } from '../../test/kit/memory-spool.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { CredenceError } from '../base/errors.ts';
import type { Trouble } from '../base/trouble.ts';
import type { SpoolLine } from '../capture/spool.ts';
import { parquet } from '../io/parquet.ts';
import { drain, drainAll } from './drain.ts';
import type { ObjectStore } from './objects.ts';
import type { Spool } from './port.ts';

const RUNTIME = 'claude-code';
const MINUTE = 60_000;
const IDLE = 30 * MINUTE;
const newStore = () => openMemoryStore({ immutable: () => true });

async function drainOne(spool: Spool, store: ObjectStore, now: number, stem = 's1') {
  const session = spool.sessions().find((one) => one.stem === stem);
  if (!session) throw new Error('no session');
  return drain(session, { spool, store, codec: parquet, now, idleMs: IDLE });
}
const names = (spool: MemorySpool) =>
  [...spool.files.keys()].map((path) => path.split('/')[1]).sort();
const put = (spool: MemorySpool, lines: readonly SpoolLine[], stem = 's1') =>
  spool.append(RUNTIME, stem, spoolText(lines));
const prompt = (s: number, content = `prompt ${s}`) =>
  spoolLine(s, { event_type: 'prompt', content });
const end = (s: number) => spoolLine(s, { event_type: 'session_end', detail: 'x' });

describe('a part is cut', () => {
  const SECOND = 1_000;
  test.each<[string, SpoolLine[], number, boolean, boolean]>([
    ['not while the session is young', [prompt(0)], START + MINUTE, false, false],
    ['at its end', [prompt(0), end(1)], START + MINUTE, true, true],
    ['not for an end that was not the last', [end(0), prompt(1)], START + MINUTE, false, false],
    [
      'not at 15 minutes less a second',
      [prompt(0), prompt(600)],
      START + 15 * MINUTE - SECOND,
      false,
      false,
    ],
    [
      'at 15 minutes from the first event',
      [prompt(0), prompt(600)],
      START + 15 * MINUTE,
      true,
      false,
    ],
    [
      'at 8 MB',
      Array.from({ length: 40 }, (_, i) => prompt(i, String(i).repeat(120_000))),
      START + MINUTE,
      true,
      false,
    ],
    [
      'not below 8 MB',
      Array.from({ length: 30 }, (_, i) => prompt(i, 'x'.repeat(250_000))),
      START + MINUTE,
      false,
      false,
    ],
    ['after silence', [prompt(0)], START + IDLE, true, true],
    [
      'where the last event lies in the future: some clock was wrong',
      [prompt(0)],
      START - IDLE,
      true,
      true,
    ],
  ])('%s', async (_what, lines, now, cut, over) => {
    const spool = memorySpool();
    const store = newStore();
    put(spool, lines);
    const drained = await drainOne(spool, store, now);
    expect(drained.over).toBe(over);
    expect(drained.open).toHaveLength(cut ? 0 : lines.length);
    expect(names(spool)).toEqual(cut ? ['s1.1.sent'] : ['s1.ndjson']);
    expect(await eventsIn(store, drained.manifest)).toHaveLength(cut ? lines.length : 0);
  });

  test('of everything that is open, where that is asked; it still runs', async () => {
    const spool = memorySpool();
    const store = newStore();
    put(spool, [prompt(0), prompt(1)]);
    put(spool, [spoolLine(0, { session_id: 's2' })], 's2');
    const parts = { spool, store, codec: parquet, now: START + MINUTE, idleMs: IDLE };
    const drained = await drainAll({ ...parts, everything: true }, []);
    expect(drained.map(({ over, open }) => ({ over, open }))).toEqual(
      drained.map(() => ({ over: false, open: [] })),
    );
    expect(names(spool)).toEqual(['s1.1.sent', 's2.1.sent']);
    // Nothing is left to send, and an empty file is none.
    expect(await drainAll({ ...parts, everything: true }, [])).toHaveLength(2);
    expect(names(spool)).toEqual(['s1.1.sent', 's2.1.sent']);
  });

  test('a burst while the store was away becomes parts of the usual size', async () => {
    const spool = memorySpool();
    const store = newStore();
    const content = 'x'.repeat(256 * 1024);
    put(
      spool,
      Array.from({ length: 70 }, (_, i) => prompt(i, `${i}${content}`)),
    );
    const { manifest } = await drainOne(spool, store, START + 16 * MINUTE);
    const parts = await partsOf(store, manifest);
    expect(parts).toHaveLength(3);
    expect(parts.flat()).toHaveLength(70);
    expect(Math.max(...(manifest?.parts.map(({ bytes }) => bytes) ?? []))).toBeLessThan(
      9 * 1024 * 1024,
    );
  });
});

describe('frozen files', () => {
  test('are numbered upwards, past what the manifest and the folder know', async () => {
    const spool = memorySpool();
    const store = newStore();
    for (let round = 1; round <= 3; round++) {
      put(spool, [prompt(round), end(round)]);
      const { manifest } = await drainOne(spool, store, START);
      expect(manifest?.drained).toBe(round);
      const [session] = spool.sessions();
      // The seal takes the files away; the manifest remembers the number.
      for (const file of session?.files ?? []) if (session) spool.remove(session, file);
    }
    put(spool, [prompt(9), end(9)]);
    const [session] = spool.sessions();
    const [file] = session?.files ?? [];
    if (!session || !file) throw new Error('no file');
    spool.freeze(session, file, 12);
    put(spool, [prompt(10), end(10)]);
    expect((await drainOne(spool, store, START)).manifest?.drained).toBe(13);
    expect(names(spool)).toEqual(['s1.12.sent', 's1.13.sent']);
  });

  test('are sent again at the start, in the order of their numbers', async () => {
    const spool = memorySpool();
    const store = newStore();
    for (const n of [2, 10, 9]) {
      put(spool, [prompt(n, 'same')]);
      const [session] = spool
        .sessions()
        .map((one) => ({ ...one, files: one.files.filter((file) => file.state === 'open') }));
      const [file] = session?.files ?? [];
      if (session && file) spool.freeze(session, file, n);
    }
    const { manifest } = await drainOne(spool, store, START);
    expect(
      (await partsOf(store, manifest)).flat().map((event) => event.emitted_at.slice(17, 19)),
    ).toEqual(['02', '09', '10']);
    expect(manifest?.drained).toBe(10);
    expect(names(spool)).toEqual(['s1.10.sent', 's1.2.sent', 's1.9.sent']);
  });

  test('that are in the manifest already are only renamed', async () => {
    const spool = memorySpool();
    const store = newStore();
    put(spool, [prompt(0), end(1)]);
    const { manifest } = await drainOne(spool, store, START);
    spool.append(RUNTIME, 's1', spoolText([prompt(2, 'must not be read')]));
    const [session] = spool.sessions();
    const open = session?.files.find((file) => file.state === 'open');
    if (!session || !open) throw new Error('no file');
    spool.remove(session, { ...open, name: 's1.1.sent' });
    spool.freeze(session, open, 1);
    const again = await drainOne(spool, store, START);
    expect(again.manifest).toEqual(manifest);
    expect(names(spool)).toEqual(['s1.1.sent']);
  });

  test('without a line that can be read are counted, and go', async () => {
    const spool = memorySpool();
    const store = newStore();
    const torn = async (writtenAt: number) => {
      spool.append(RUNTIME, 's1', '\n{"torn\n', writtenAt);
      return drainOne(spool, store, START + IDLE);
    };
    for (const at of [1, 2]) {
      expect(await torn(at)).toMatchObject({ manifest: undefined, id: undefined });
      expect([names(spool), spool.counted().torn]).toEqual([[], at]);
    }
    const odd = spoolLine(0, {}, { recognised: false });
    spool.append(RUNTIME, 's1', `\n{"torn${spoolText([odd, odd, end(1)])}`);
    const { manifest } = await drainOne(spool, store, START + IDLE);
    expect(manifest).toMatchObject({ torn: 1, unrecognised: 1, drained: 1, session: 's1' });
    const at = '2026-03-04T05:30:00.000Z';
    expect(spool.counted()).toEqual({ torn: 3, unrecognised: 1, last_at: at });
  });

  test('of an earlier time, put aside without a line that can be read, go too', async () => {
    const spool = memorySpool();
    spool.append(RUNTIME, 's1', '\n{"torn\n');
    const [session] = spool.sessions();
    const [file] = session?.files ?? [];
    if (!session || !file) throw new Error('no file');
    spool.markSent(session, spool.freeze(session, file, 1));
    await drainOne(spool, newStore(), START);
    expect([names(spool), spool.counted().torn]).toEqual([[], 1]);
  });
});

describe('one event is one event, wherever the cut falls', () => {
  const session = [
    prompt(0, 'go'),
    prompt(1, 'go'),
    spoolLine(2, { event_type: 'turn_end' }),
    prompt(3, 'go'),
    spoolLine(4, { event_type: 'turn_end' }),
    end(5),
  ];
  test('ordinals are counted on over files', async () => {
    const whole = memorySpool();
    const store = newStore();
    put(whole, session);
    const expected = await eventsIn(store, (await drainOne(whole, store, START)).manifest);
    for (let cut = 1; cut < session.length; cut++) {
      const spool = memorySpool();
      const other = newStore();
      put(spool, session.slice(0, cut));
      await drainOne(spool, other, START + 15 * MINUTE);
      put(spool, session.slice(cut));
      const { manifest } = await drainOne(spool, other, START + 15 * MINUTE);
      expect(manifest?.parts).toHaveLength(2);
      expect(await eventsIn(other, manifest)).toEqual(expected);
    }
  });

  test('a line that stands in two files, since it was written while one was renamed, counts once', async () => {
    const spool = memorySpool();
    const store = newStore();
    const [first, second, third] = [prompt(0, 'a'), prompt(1, 'a'), end(2)];
    put(spool, [first, second, second]);
    await drainOne(spool, store, START + 15 * MINUTE);
    put(spool, [second, first, third]);
    const { manifest } = await drainOne(spool, store, START);
    expect((await partsOf(store, manifest)).map((part) => part.length)).toEqual([2, 1]);
  });

  test('a call and its result in two files are one event', async () => {
    const spool = memorySpool();
    const store = newStore();
    const native = { key: 'tool:t1', counted: false };
    const tool = { name: 'Bash', input: '{}' };
    put(spool, [spoolLine(0, { event_type: 'tool_call', tool }, { native })]);
    await drainOne(spool, store, START + 15 * MINUTE);
    put(spool, [
      spoolLine(
        1,
        { event_type: 'tool_call', tool: { ...tool, result: 'ok', outcome: 'ok' } },
        { native },
      ),
      end(2),
    ]);
    const events = await eventsIn(store, (await drainOne(spool, store, START)).manifest);
    expect(events.map((event) => event.tool?.result)).toEqual(['ok', undefined]);
  });

  test('what was withheld is put beside the part', async () => {
    const spool = memorySpool();
    const store = newStore();
    const withheld = [{ rule: 'aws_key', bytes: 20, hash: 'abcd' }] as unknown as NonNullable<
      SpoolLine['withheld']
    >;
    put(spool, [spoolLine(0, { content: 'x' }, { withheld }), end(1)]);
    await drainOne(spool, store, START);
    const [[key = '', bytes = ''] = []] = Object.entries(await objectsIn(store, 'withheld/'));
    expect(key).toMatch(/^withheld\/cc-01\/2026-03-04\/[0-9A-Z]{26}\.json$/);
    expect(JSON.parse(Buffer.from(bytes, 'base64').toString())).toMatchObject({
      version: 1,
      session: 's1',
      items: [{ event: 'prompt:x', rule: 'aws_key' }],
    });
  });
});

describe('whatever the last step was', () => {
  const lines = [prompt(0, 'a'), prompt(1, 'a'), prompt(2, 'b')];
  const more = [prompt(3, 'a'), spoolLine(4, {}, { recognised: false }), end(5)];
  /** A spool with one file that an earlier sync froze, and one that is open. */
  function begun(): MemorySpool {
    const spool = memorySpool();
    spool.append(RUNTIME, 's1', `\n{"torn${spoolText(lines)}`, 1);
    const [session] = spool.sessions();
    const [file] = session?.files ?? [];
    if (session && file) spool.freeze(session, file, 1);
    spool.append(RUNTIME, 's1', spoolText(more), 2);
    return spool;
  }

  test('the same objects: each operation of the store fails once, in both ways', async () => {
    let spool = begun();
    let clean: object | undefined;
    const state = async (store: ObjectStore) => ({
      objects: await objectsIn(store),
      files: names(spool),
      manifests: [...spool.manifests],
      counted: spool.counted(),
    });
    await faultSweep(
      async (store, attempt) => {
        if (attempt === 1) spool = begun();
        await drainOne(spool, store, START);
      },
      newStore,
      async (store) => {
        clean ??= await state(store);
        expect(await state(store)).toEqual(clean);
      },
    );
    expect(clean).toMatchObject({ files: ['s1.1.sent', 's1.2.sent'] });
  });

  test('the same objects: the process dies before or after each step of spool and store', async () => {
    const clean = newStore();
    const cleanSpool = begun();
    await drainOne(cleanSpool, clean, START);
    const expected = {
      objects: await objectsIn(clean),
      manifests: [...cleanSpool.manifests],
      files: names(cleanSpool),
      counted: cleanSpool.counted(),
    };
    expect(expected.counted).toMatchObject({ torn: 1, unrecognised: 1 });
    let steps = 0;
    for (let at = 1; ; at++) {
      let died = 0;
      for (const when of ['before', 'after'] as const) {
        const mortality = new Mortality(at, when);
        const spool = begun();
        const store = newStore();
        await drainOne(mortality.watch<Spool>(spool), mortality.watch(store), START).catch(
          (error: unknown) => {
            if (!(error instanceof Killed)) throw error;
            died += 1;
          },
        );
        await drainOne(spool, store, START);
        expect({
          objects: await objectsIn(store),
          manifests: [...spool.manifests],
          files: names(spool),
          counted: spool.counted(),
        }).toEqual(expected);
      }
      if (died === 0) break;
      steps = at;
    }
    expect(steps).toBeGreaterThan(8);
  });
});

test.each(['before', 'after'] as const)(
  'a file without a line that can be read counts once, though the process dies %s any step',
  async (when) => {
    for (let at = 1, died = true; died; at++) {
      const mortality = new Mortality(at, when);
      const spool = memorySpool();
      spool.append(RUNTIME, 's1', '\n{"torn\n');
      const dying = drainOne(mortality.watch<Spool>(spool), newStore(), START);
      died = await dying.then(
        () => false,
        () => true,
      );
      await drainAll({ spool, store: newStore(), codec: parquet, now: START, idleMs: IDLE }, []);
      expect([names(spool), spool.counted().torn]).toEqual([[], 1]);
    }
  },
);

describe('all sessions', () => {
  const all = (spool: Spool, store: ObjectStore, troubles: Trouble[] = []) =>
    drainAll({ spool, store, codec: parquet, now: START + MINUTE, idleMs: IDLE }, troubles);

  test('a subagent is over with its parent, and only with it', async () => {
    const spool = memorySpool();
    const child = (id: string, parent: string) =>
      spoolLine(0, { session_id: id, parent_session_id: parent });
    put(spool, [child('s1:a', 's1')], 's1%3Aa');
    put(spool, [child('s2:a', 's2')], 's2%3Aa');
    put(spool, [prompt(0), end(1)], 's1');
    put(spool, [spoolLine(0, { session_id: 's2' })], 's2');
    const drained = await all(spool, newStore());
    expect(drained.map(({ id, over }) => [id, over]).sort()).toEqual([
      ['s1', true],
      ['s1:a', true],
      ['s2', false],
      ['s2:a', false],
    ]);
  });

  test('one session’s trouble is its own, a store out of reach everybody’s', async () => {
    const spool = memorySpool();
    for (const stem of ['bad', 'good'])
      put(
        spool,
        [
          spoolLine(0, { session_id: stem }),
          spoolLine(1, { session_id: stem, event_type: 'session_end' }),
        ],
        stem,
      );
    const store = newStore();
    const failing = (category: 'incorrect' | 'unavailable'): ObjectStore => ({
      ...store,
      name: 'failing',
      get: (key) => store.get(key),
      list: (prefix) => store.list(prefix),
      delete: (key) => store.delete(key),
      time: () => store.time(),
      putIfAbsent: (key, bytes) => store.putIfAbsent(key, bytes),
      async put(key, bytes) {
        if (key.includes('session=bad')) throw new CredenceError(category, 'store.test', 'no');
        await store.put(key, bytes);
      },
    });
    const troubles: Trouble[] = [];
    expect((await all(spool, failing('incorrect'), troubles)).map(({ id }) => id)).toEqual([
      'good',
    ]);
    expect(troubles).toEqual([{ id: 'bad', code: 'store.test', message: 'no' }]);
    await expect(all(spool, failing('unavailable'))).rejects.toThrow('no');
    // Nothing of it is lost: it is sent once the store takes it.
    expect((await all(spool, store)).map(({ id }) => id).sort()).toEqual(['bad', 'good']);
    expect(spool.manifest(RUNTIME, 'bad')?.parts).toHaveLength(1);
  });
});
