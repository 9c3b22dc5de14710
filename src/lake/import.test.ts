import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { everyOperation, faultSweep } from '../../test/kit/flaky-store.ts';
import { Killed, Mortality } from '../../test/kit/killed.ts';
import { eventsIn, objectsIn, partsOf } from '../../test/kit/lake.ts';
import { type MemorySpool, memorySpool } from '../../test/kit/memory-spool.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { encodePathPart } from '../base/path-part.ts';
import { lineReader } from '../io/line-reader.ts';
import { parquet } from '../io/parquet.ts';
import { claudeTranscript } from '../runtime/claude-code/transcript.ts';
import type { Event } from '../runtime/envelope.ts';
import { Cursor, cursorName, type Imported, type ImportParts, importTranscript } from './import.ts';
import type { ObjectStore } from './objects.ts';

/** Parts of a few lines, so that a small file has many. */
vi.mock('../base/limits.ts', async (original) => {
  const { LIMIT } = (await original()) as { LIMIT: object };
  return { LIMIT: { ...LIMIT, part_bytes_max: 1_200 } };
});

const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 's1.jsonl');
const RUNTIME = 'claude-code';

const line = (n: number, fields: object) =>
  JSON.stringify({
    uuid: `u${n}`,
    parentUuid: n > 0 ? `u${n - 1}` : null,
    sessionId: 's1',
    cwd: '/w',
    timestamp: `2026-03-04T05:${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}.000Z`,
    ...fields,
  });
const prompt = (n: number, content: string, more: object = {}) =>
  line(n, { type: 'user', message: { content }, ...more });
/** A session of every kind of line: equal prompts, calls, results, turn ends, noise, and a subagent. */
const SESSION = Array.from({ length: 8 }, (_, turn) => {
  const n = turn * 6;
  const id = `t${turn}`;
  return [
    prompt(n, turn % 2 === 0 ? 'go on' : `step ${turn}`),
    line(n + 1, {
      type: 'assistant',
      message: {
        id: `m${turn}`,
        model: 'm',
        content: [{ type: 'text', text: `I do ${turn}.` }],
        usage: { output_tokens: turn },
      },
    }),
    line(n + 2, {
      type: 'assistant',
      message: {
        id: `m${turn}`,
        content: [{ type: 'tool_use', id, name: 'Bash', input: { command: `run ${turn}` } }],
      },
    }),
    line(n + 3, {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] },
    }),
    prompt(n + 4, 'look there', { isSidechain: true, agentId: 'a7' }),
    line(n + 5, { type: 'system', subtype: 'stop_hook_summary' }),
    '{"type":"summary"}',
    'torn {',
  ];
}).flat();
const textOf = (lines: readonly string[]) => lines.map((one) => `${one}\n`).join('');
const newStore = () => openMemoryStore({ immutable: () => true });

interface Bench {
  readonly spool: MemorySpool;
  readonly cursors: Map<string, string>;
}
const newBench = (): Bench => ({ spool: memorySpool(), cursors: new Map() });

function importFile(
  store: ObjectStore,
  { spool, cursors }: Bench,
  more: { settled?: boolean; over?: (parts: ImportParts) => ImportParts; progress?: number[] } = {},
): Promise<Imported> {
  const { size, mtimeMs } = statSync(path);
  const file = {
    path,
    size,
    modifiedAt: mtimeMs,
    open: (saved?: unknown) => claudeTranscript({ session: 's1' }, saved),
  };
  const parts: ImportParts = {
    lines: lineReader(4_000),
    history: { folder: '', files: () => [], locate: () => undefined },
    spool,
    store,
    codec: parquet,
    stemOf: encodePathPart,
    cursor(of) {
      const text = cursors.get(of);
      return text === undefined ? undefined : Cursor.parse(JSON.parse(text));
    },
    writeCursor: (cursor) => void cursors.set(cursor.path, JSON.stringify(cursor)),
    relax: () => undefined,
    circumstance: () => ({
      runtime: RUNTIME,
      fleetId: 'acme',
      hostId: '0123456789abcdef',
      agents: { [RUNTIME]: 'cc-01' },
      checkout: undefined,
      injected: [],
      policy: { secret: () => Buffer.alloc(32, 1), deniedPaths: [] },
      origin: 'imported' as const,
    }),
    progress: (bytes) => void more.progress?.push(bytes),
  };
  return importTranscript(file, more.settled ?? true, more.over?.(parts) ?? parts);
}
const sum = ({ lines, imported, merged, skipped }: Imported['tally']) => [
  lines,
  imported + merged + Object.values(skipped).reduce((a, b) => a + b, 0),
];
const manifestOf = (bench: Bench, session = 's1') =>
  bench.spool.manifest(RUNTIME, encodePathPart(session));
const allEvents = async (store: ObjectStore, bench: Bench) => [
  await eventsIn(store, manifestOf(bench)),
  await eventsIn(store, manifestOf(bench, 's1:a7')),
];

/** The whole file imported at once: what every other way must come to. */
async function imported(lines: readonly string[]) {
  writeFileSync(path, textOf(lines));
  const store = newStore();
  const bench = newBench();
  const { tally } = await importFile(store, bench);
  return { store, bench, tally, events: await allEvents(store, bench) };
}

describe('an import', () => {
  test('has an outcome for every line, and puts each event into its session', async () => {
    const { tally, bench, store, events } = await imported(SESSION);
    expect(tally).toEqual({
      lines: 64,
      imported: 40,
      merged: 8,
      skipped: { 'type:summary': 8, malformed: 8 },
    });
    const [own = [], sub = []] = events;
    expect(own).toHaveLength(32);
    expect(sub).toHaveLength(8);
    expect([own, sub].flat().every((event) => event.imported === true)).toBe(true);
    expect(manifestOf(bench)).toMatchObject({
      session: 's1',
      imported: true,
      ended: false,
      drained: 0,
    });
    expect(manifestOf(bench, 's1:a7')).toMatchObject({ session: 's1:a7', parent: 's1' });
    // Hooks count on from here, should the session go on live.
    expect(Object.values(manifestOf(bench)?.ordinals ?? {})).toContain(4);
    expect(manifestOf(bench)?.told_by).toEqual({
      cursor: cursorName(path),
      offset: statSync(path).size,
    });
    const parts = await partsOf(store, manifestOf(bench));
    expect(parts.length).toBeGreaterThan(5);
    // Equal prompts are told apart by their ordinal, over parts too.
    const prompts = own.filter((event) => event.content === 'go on');
    expect(new Set(prompts.map((event) => event.event_id)).size).toBe(4);
    expect(new Set(own.map((event) => event.event_id)).size).toBe(32);
  });

  test('tells how far it is, and gets to the end', async () => {
    writeFileSync(path, textOf(SESSION));
    const progress: number[] = [];
    await importFile(newStore(), newBench(), { progress });
    expect(progress.at(-1)).toBe(statSync(path).size);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });

  test('the second time adds nothing, and asks the store for nothing', async () => {
    const { bench, store, tally } = await imported(SESSION);
    const before = await objectsIn(store);
    const { store: watched, operations } = everyOperation(store);
    expect(await importFile(watched, bench)).toEqual({ path, tally, isNew: false });
    expect(operations).toEqual([]);
    expect(await objectsIn(store)).toEqual(before);
  });

  test('grows with the file, line by line, and comes to the same', async () => {
    const whole = await imported(SESSION);
    writeFileSync(path, '');
    const store = newStore();
    const bench = newBench();
    for (const text of SESSION) {
      appendFileSync(path, `${text}\n`);
      expect((await importFile(store, bench)).isNew).toBe(true);
    }
    const last = await importFile(store, bench);
    expect(last).toEqual({ path, tally: whole.tally, isNew: false });
    expect(await allEvents(store, bench)).toEqual(whole.events);
  });

  test('leaves half a last line while the file is fresh, and takes a whole one at once', async () => {
    const whole = await imported(SESSION.slice(0, 2));
    const [first = '', second = ''] = SESSION;
    const store = newStore();
    const bench = newBench();
    writeFileSync(path, `${first}\n${second.slice(0, 50)}`);
    const half = await importFile(store, bench, { settled: false });
    expect(half.tally).toMatchObject({ lines: 1, imported: 1 });
    appendFileSync(path, second.slice(50));
    const done = { path, tally: whole.tally };
    expect(await importFile(store, bench, { settled: false })).toEqual({ ...done, isNew: true });
    expect(await allEvents(store, bench)).toEqual(whole.events);
    // Its line feed is no line, and what follows it is.
    appendFileSync(path, '\n');
    expect(await importFile(store, bench)).toEqual({ ...done, isNew: false });
    appendFileSync(path, `\n${SESSION[2]}\n`);
    expect((await importFile(store, bench)).tally.lines).toBe(4);
  });

  test('takes half a last line once nobody writes any more, and counts it', async () => {
    const [first = '', second = ''] = SESSION;
    writeFileSync(path, `${first}\n${second.slice(0, 50)}`);
    const { tally } = await importFile(newStore(), newBench());
    expect(sum(tally)).toEqual([2, 2]);
    expect(tally.imported).toBe(1);
  });

  test('brings in what was excluded once it is not any more, and nothing twice', async () => {
    const whole = await imported(SESSION);
    const store = newStore();
    const bench = newBench();
    const over = (parts: ImportParts) => ({
      ...parts,
      isExcluded: (event: Event) => event.event_type === 'prompt',
    });
    const first = await importFile(store, bench, { over });
    expect(sum(first.tally)).toEqual([whole.tally.lines, whole.tally.lines]);
    expect(first.tally.skipped['excluded']).toBeGreaterThan(0);
    expect(await importFile(store, bench, { over })).toEqual({ ...first, isNew: false });
    const last = await importFile(store, bench);
    expect(last).toEqual({ path, tally: whole.tally, isNew: true });
    const ids = (sessions: typeof whole.events) =>
      sessions.map((events) => events.map((one) => one.event_id).sort());
    expect(ids(await allEvents(store, bench))).toEqual(ids(whole.events));
    expect((await importFile(store, bench)).isNew).toBe(false);
  });

  test('starts again where the file shrank, and what was known stays one', async () => {
    const { bench, store } = await imported(SESSION);
    const shorter = [...SESSION.slice(0, 16), prompt(99, 'written anew')];
    writeFileSync(path, textOf(shorter));
    const again = await importFile(store, bench);
    expect(sum(again.tally)).toEqual([17, 17]);
    const events = await eventsIn(store, manifestOf(bench));
    expect(events).toHaveLength(33);
    // Nor is an ordinal free again that an event has.
    expect(Object.values(manifestOf(bench)?.ordinals ?? {})).toContain(4);
    expect(events.at(-1)?.content).toBe('written anew');
  });

  test('counts no more kinds of lines than anybody reads', async () => {
    const kinds = Array.from({ length: 300 }, (_, n) => `{"type":"kind${n}"}`);
    const { tally } = await imported(kinds);
    expect(sum(tally)).toEqual([300, 300]);
    expect(Object.keys(tally.skipped)).toHaveLength(101);
    expect(tally.skipped['other']).toBe(200);
  });

  test('passes a line over that is too long, and counts it', async () => {
    const { tally, events } = await imported([
      SESSION[0] ?? '',
      prompt(1, 'x'.repeat(5_000)),
      prompt(2, 'after'),
    ]);
    expect(tally).toEqual({ lines: 3, imported: 2, merged: 0, skipped: { too_long: 1 } });
    expect(events[0]?.map((event) => event.content)).toEqual(['go on', 'after']);
  });

  test.each(['', '\n\n\n', '\0\0\0\n', 'no json\n'])('a file of %j is no session', async (text) => {
    writeFileSync(path, text);
    const bench = newBench();
    const store = newStore();
    const { tally } = await importFile(store, bench);
    expect(sum(tally)[0]).toBe(sum(tally)[1]);
    expect(bench.spool.manifests.size).toBe(0);
    expect(await objectsIn(store)).toEqual({});
  });
});

describe('an import that was cut off', () => {
  test('by the store: each operation fails once, in both ways', async () => {
    const whole = await imported(SESSION.slice(0, 24));
    const expected = await objectsIn(whole.store);
    let bench = newBench();
    await faultSweep(
      async (store, attempt) => {
        if (attempt === 1) bench = newBench();
        await importFile(store, bench);
      },
      newStore,
      async (store) => {
        expect(await objectsIn(store)).toEqual(expected);
        expect([...bench.spool.manifests]).toEqual([...whole.bench.spool.manifests]);
        expect([...bench.cursors]).toEqual([...whole.bench.cursors]);
      },
    );
  });

  test('before or after any step of the process goes on to the same objects', async () => {
    const whole = await imported(SESSION.slice(0, 24));
    const expected = await objectsIn(whole.store);
    let steps = 0;
    for (let at = 1; ; at++) {
      let died = 0;
      for (const when of ['before', 'after'] as const) {
        const mortality = new Mortality(at, when);
        const bench = newBench();
        const store = newStore();
        const over = (parts: ImportParts): ImportParts => {
          const { writeCursor } = mortality.watch({ writeCursor: parts.writeCursor });
          return {
            ...parts,
            spool: mortality.watch(parts.spool),
            store: mortality.watch(parts.store),
            writeCursor,
          };
        };
        await importFile(store, bench, { over }).catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
          died += 1;
        });
        await importFile(store, bench);
        expect(await objectsIn(store)).toEqual(expected);
        expect([...bench.spool.manifests]).toEqual([...whole.bench.spool.manifests]);
      }
      if (died === 0) break;
      steps = at;
    }
    expect(steps).toBeGreaterThan(10);
  });

  test('while the file grew has each event once all the same', async () => {
    const whole = await imported(SESSION);
    writeFileSync(path, textOf(SESSION.slice(0, 20)));
    const bench = newBench();
    const store = newStore();
    const over = (parts: ImportParts): ImportParts => ({
      ...parts,
      writeCursor: () => {
        throw new Killed();
      },
    });
    await expect(importFile(store, bench, { over })).rejects.toThrow(Killed);
    writeFileSync(path, textOf(SESSION));
    await importFile(store, bench);
    expect(await allEvents(store, bench)).toEqual(whole.events);
  });
});
