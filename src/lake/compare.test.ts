import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { eventsIn, objectsIn, partsOf } from '../../test/kit/lake.ts';
import { memorySpool } from '../../test/kit/memory-spool.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { encodePathPart } from '../base/path-part.ts';
import { toInstant } from '../base/time.ts';
import { spooled } from '../capture/envelope.ts';
import { encodeLine } from '../capture/spool.ts';
import { openHistory } from '../io/history.ts';
import { lineReader } from '../io/line-reader.ts';
import { parquet } from '../io/parquet.ts';
import { readHook } from '../runtime/claude-code/hook.ts';
import type { Event } from '../runtime/envelope.ts';
import { drain } from './drain.ts';
import { importHistory } from './import-history.ts';
import type { Manifest } from './manifest.ts';
import type { LineReader } from './port.ts';
import { reconcileSession } from './reconcile-session.ts';

/** Parts of a few lines, so that a small file has many. */
vi.mock('../base/limits.ts', async (original) => {
  const { LIMIT } = (await original()) as { LIMIT: object };
  return { LIMIT: { ...LIMIT, part_bytes_max: 8_000 } };
});

const folder = mkdtempSync(join(tmpdir(), 'compare-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'projects', '-w', 's1.jsonl');
mkdirSync(join(path, '..'), { recursive: true });
const history = openHistory({ CLAUDE_CONFIG_DIR: folder });
const RUNTIME = 'claude-code';
const NOON = Date.UTC(2026, 2, 4, 12);
const at = (minute: number) => toInstant(NOON + minute * 60_000);
const circumstance = (origin?: 'imported' | 'reconciled') => ({
  runtime: RUNTIME,
  fleetId: 'acme',
  hostId: '0123456789abcdef',
  agents: { [RUNTIME]: 'cc-01' },
  checkout: undefined,
  injected: [],
  policy: { secret: () => Buffer.alloc(32, 1), deniedPaths: [] },
  ...(origin ? { origin } : {}),
});

/** A line of the transcript, at its minute. */
const line = (minute: number, fields: object) =>
  JSON.stringify({
    uuid: `u${minute}`,
    sessionId: 's1',
    cwd: '/w',
    timestamp: at(minute),
    ...fields,
  });
const asked = (minute: number, content: string, more: object = {}) =>
  line(minute, { type: 'user', message: { content }, ...more });
const said = (minute: number, text: string, more: object = {}) =>
  line(minute, {
    type: 'assistant',
    message: { id: `m${minute}`, content: [{ type: 'text', text }] },
    ...more,
  });
const write = (lines: readonly string[]) =>
  writeFileSync(path, lines.map((one) => `${one}\n`).join(''));

/** A machine whose hooks see some of it. */
function machine() {
  const spool = memorySpool();
  const store = openMemoryStore({ immutable: () => true });
  let made = 0;
  const manifestOf = (session = 's1') => {
    const manifest = spool.manifest(RUNTIME, encodePathPart(session));
    if (!manifest) throw new Error(`no ${session}`);
    return manifest;
  };
  return {
    spool,
    store,
    hook(minute: number, event: string, payload: object) {
      const { event: read } = readHook(
        event,
        { session_id: 's1', cwd: '/w', ...payload },
        at(minute),
      );
      const line = { line_id: `l${made++}`, recognised: true, transcript: path };
      const text = encodeLine({ ...line, ...spooled(read, circumstance()) });
      spool.append(RUNTIME, encodePathPart(read.session_id), text);
    },
    async drain() {
      for (const session of spool.sessions())
        await drain(session, { spool, store, codec: parquet, now: NOON, idleMs: 0 });
    },
    manifest: manifestOf,
    async events(session = 's1', manifest = manifestOf(session)) {
      const events = await eventsIn(store, manifest);
      return events.map((one) => [
        one.emitted_at.slice(11, 16),
        one.content,
        one.imported ? 'imported' : one.reconciled ? 'reconciled' : 'captured',
      ]);
    },
  };
}
type Machine = ReturnType<typeof machine>;

const parts = ({ store }: Machine) => ({
  store,
  codec: parquet,
  lines: lineReader(),
  history,
  circumstance: (_event: Event, origin: 'imported' | 'reconciled') => circumstance(origin),
  relax: () => undefined,
});
const importNow = (one: Machine, isExcluded?: (event: Event) => boolean) =>
  importHistory(
    history.files(),
    {
      ...parts(one),
      spool: one.spool,
      now: NOON,
      stemOf: encodePathPart,
      cursor: () => undefined,
      writeCursor: () => undefined,
      ...(isExcluded ? { isExcluded } : {}),
    },
    () => undefined,
  );

describe('a long transcript', () => {
  const TOLD = Array.from({ length: 300 }, (_, i) => [
    i % 3 === 0 ? 'go on' : `step ${i}`,
    `I do ${i}${'.'.repeat(i)}`,
  ]).flat();
  const LONG = TOLD.map((text, i) => (i % 2 === 0 ? asked(i, text) : said(i, text)));

  test('is put part by part while it is read, and comes to what it tells', async () => {
    write(LONG);
    const one = machine();
    for (let i = 0; i < 600; i += 4) one.hook(i, 'UserPromptSubmit', { prompt: TOLD[i] });
    await one.drain();
    const steps: string[] = [];
    const lines: LineReader = {
      ...lineReader(),
      *lines(of, from) {
        for (const group of lineReader().lines(of, from)) {
          for (const each of group) {
            steps.push('line');
            yield [each];
          }
        }
      },
    };
    const store = {
      ...one.store,
      name: 'watched',
      get: (key: string) => one.store.get(key),
      put: (key: string, bytes: Uint8Array) => {
        steps.push('put');
        return one.store.put(key, bytes);
      },
    };
    let rests = 0;
    const relax = () => void rests++;
    const { manifest, coverage } = await reconcileSession(one.manifest(), {
      ...parts(one),
      store,
      lines,
      relax,
    });
    expect(coverage).toEqual({ captured: 150, known: 300 });
    const puts = steps.filter((step) => step === 'put').length;
    expect(puts).toBeGreaterThan(10);
    // Not one part waits for the end of the file, save the last.
    expect(steps.slice(steps.lastIndexOf('line')).filter((step) => step === 'put')).toHaveLength(1);
    expect(rests).toBeGreaterThan(puts);
    const events = await eventsIn(one.store, manifest);
    expect(events.map(({ content }) => content)).toEqual(TOLD);
    expect(new Set(events.map((event) => event.message_id)).size).toBe(600);
  });

  test('again adds nothing', async () => {
    write(LONG);
    const one = machine();
    for (let i = 0; i < 300; i += 7) one.hook(2 * i, 'UserPromptSubmit', { prompt: 'go on' });
    await one.drain();
    const { manifest } = await reconcileSession(one.manifest(), parts(one));
    const again = await reconcileSession(manifest, parts(one));
    expect(again.manifest).toBe(manifest);
  });

  test('that grows meanwhile is taken as far as it was when it began', async () => {
    write([asked(0, 'go on'), said(1, 'a')]);
    const one = machine();
    one.hook(0, 'UserPromptSubmit', { prompt: 'go on' });
    await one.drain();
    let readings = 0;
    const lines: LineReader = {
      ...lineReader(),
      lines(of, from) {
        readings += 1;
        if (readings === 2) appendFileSync(path, `${asked(2, 'go on')}\n`);
        return lineReader().lines(of, from);
      },
    };
    const { manifest, tally } = await reconcileSession(one.manifest(), { ...parts(one), lines });
    expect(tally.lines).toBe(2);
    expect(await one.events('s1', manifest)).toHaveLength(2);
  });
});

test('a secret in a result that hooks missed is said for review; one that they saw is not again', async () => {
  const key = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
  const call = { name: 'Bash', input: { command: `echo ${key}` } };
  const used = { type: 'tool_use', id: 't1', ...call };
  const result = { type: 'tool_result', tool_use_id: 't1', content: `it says ${key}` };
  write([
    line(0, { type: 'assistant', message: { id: 'm0', content: [used] } }),
    line(1, { type: 'user', message: { content: [result] } }),
  ]);
  const one = machine();
  const { name: tool_name, input: tool_input } = call;
  one.hook(0, 'PreToolUse', { tool_use_id: 't1', tool_name, tool_input });
  await one.drain();
  const before = Object.keys(await objectsIn(one.store, 'withheld/'));
  expect(before).toHaveLength(1);
  const { manifest } = await reconcileSession(one.manifest(), parts(one));
  const after = await objectsIn(one.store, 'withheld/');
  const [added, ...more] = Object.keys(after).filter((name) => !before.includes(name));
  expect(more).toEqual([]);
  const said = JSON.parse(Buffer.from(after[added ?? ''] ?? '', 'base64').toString()) as object;
  expect(said).toMatchObject({ items: [{ event: 'tool:t1', emitted_at: at(1) }] });
  const [event] = await eventsIn(one.store, manifest);
  expect(event?.tool?.result).toContain('withheld');
});

describe('equal prompts', () => {
  const LINES = [
    asked(0, 'continue'),
    said(1, 'one'),
    asked(2, 'and now?'),
    said(3, 'two'),
    asked(4, 'continue'),
    said(5, 'three'),
  ];
  const told = ['continue', 'one', 'and now?', 'two', 'continue', 'three'];

  test('of hooks that were installed in mid-session are paired by time', async () => {
    write(LINES);
    const one = machine();
    one.hook(4, 'UserPromptSubmit', { prompt: 'continue' });
    await one.drain();
    const { manifest, coverage } = await reconcileSession(one.manifest(), parts(one));
    expect(coverage).toEqual({ captured: 1, known: 3 });
    const events = await one.events('s1', manifest);
    expect(events.map(([, content]) => content)).toEqual(told);
    expect(events.map(([, , how]) => how).indexOf('captured')).toBe(4);
    expect((await reconcileSession(manifest, parts(one))).manifest).toBe(manifest);
  });

  test('that come after a reconciliation are prompts of their own', async () => {
    write(LINES);
    const one = machine();
    one.hook(4, 'UserPromptSubmit', { prompt: 'continue' });
    await one.drain();
    const { manifest } = await reconcileSession(one.manifest(), parts(one));
    one.spool.writeManifest('s1', manifest);
    one.hook(6, 'UserPromptSubmit', { prompt: 'continue' });
    await one.drain();
    write([...LINES, asked(6, 'continue')]);
    const after = await reconcileSession(one.manifest(), parts(one));
    const events = await one.events('s1', after.manifest);
    expect(events.map(([, content]) => content)).toEqual([...told, 'continue']);
    expect(after.coverage).toEqual({ captured: 2, known: 4 });
  });

  test('of an imported session that goes on live are prompts of their own', async () => {
    write(LINES);
    const one = machine();
    await importNow(one);
    expect(one.manifest().imported).toBe(true);
    one.hook(60, 'UserPromptSubmit', { prompt: 'continue' });
    await one.drain();
    const live = ['13:00', 'continue', 'captured'];
    expect(await one.events()).toEqual([
      ...told.map((content, i) => [at(i).slice(11, 16), content, 'imported']),
      live,
    ]);
    // The transcript, which goes on too, tells nothing more of it.
    write([...LINES, asked(60, 'continue')]);
    await importNow(one);
    const events = await one.events();
    expect(events).toHaveLength(7);
    expect(events.at(-1)).toEqual(live);
  });
});

describe('a captured session’s file that holds lines of others', () => {
  const LINES = [
    asked(0, 'go'),
    asked(1, 'look there', { isSidechain: true, agentId: 'a1' }),
    said(2, 'found', { isSidechain: true, agentId: 'a1' }),
    asked(3, 'older', { sessionId: 's0' }),
    said(4, 'done'),
    'torn {',
  ];
  async function captured() {
    write(LINES);
    const one = machine();
    one.hook(0, 'UserPromptSubmit', { prompt: 'go' });
    await one.drain();
    return one;
  }

  test('gives each its events', async () => {
    const one = await captured();
    const { imported, troubles } = await importNow(one);
    expect(troubles).toEqual([]);
    const tally = { lines: 6, imported: 5, merged: 0, skipped: { malformed: 1 } };
    expect(imported).toEqual([{ path, tally, isNew: true }]);
    expect(await one.events()).toEqual([
      ['12:00', 'go', 'captured'],
      ['12:04', 'done', 'reconciled'],
    ]);
    expect(await one.events('s1:a1')).toEqual([
      ['12:01', 'look there', 'imported'],
      ['12:02', 'found', 'imported'],
    ]);
    expect(await one.events('s0')).toEqual([['12:03', 'older', 'imported']]);
    const sub = one.manifest('s1:a1');
    expect(sub).toMatchObject({ parent: 's1', imported: true, last_at: NOON + 2 * 60_000 });
  });

  test('once', async () => {
    const one = await captured();
    await importNow(one);
    const before = structuredClone([...one.spool.manifests]);
    expect((await importNow(one)).imported).toMatchObject([{ isNew: false, tally: { lines: 6 } }]);
    expect([...one.spool.manifests]).toEqual(before);
  });

  test('those of one that hooks captured too are reconciled', async () => {
    const one = await captured();
    one.hook(1, 'SubagentStop', { agent_id: 'a1' });
    await one.drain();
    await importNow(one);
    const events = await one.events('s1:a1');
    expect(events.map(([, , how]) => how)).toEqual(['reconciled', 'captured', 'reconciled']);
    expect(one.manifest('s1:a1').imported).toBe(false);
  });

  test('what is excluded is counted so', async () => {
    const one = await captured();
    const { imported } = await importNow(one, (event) => event.session_id !== 's1');
    expect(imported[0]?.tally).toEqual({
      lines: 6,
      imported: 2,
      merged: 0,
      skipped: { excluded: 3, malformed: 1 },
    });
    expect([...one.spool.manifests.keys()]).toEqual([`${RUNTIME}/s1`]);
  });

  test('before its seal only its own are added', async () => {
    const one = await captured();
    const { manifest } = await reconcileSession(one.manifest(), parts(one));
    const added = (await partsOf(one.store, manifest)).flat();
    expect(new Set(added.map((event) => event.session_id))).toEqual(new Set(['s1']));
    expect([...one.spool.manifests.keys()]).toEqual([`${RUNTIME}/s1`]);
  });
});

describe('a transcript that cannot be read', () => {
  const denied = () => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  };
  const half: LineReader['lines'] = function* (of, from) {
    for (const group of lineReader().lines(of, from)) {
      yield group;
      denied();
    }
  };
  let readings = 0;
  test.each<[string, LineReader['lines']]>([
    ['from its beginning', denied],
    ['to its end', half],
    ['a second time', (of, from) => (readings++ === 0 ? lineReader().lines(of, from) : denied())],
  ])('%s: the session keeps what it has, without a figure', async (_what, lines) => {
    write([asked(0, 'go'), said(1, 'done')]);
    const one = machine();
    one.hook(0, 'UserPromptSubmit', { prompt: 'go' });
    await one.drain();
    const heard: unknown[] = [];
    const before: Manifest = one.manifest();
    const given = {
      ...parts(one),
      lines: { ...lineReader(), lines },
      unread: (session: string, error: unknown) => void heard.push([session, error]),
    };
    const result = await reconcileSession(before, given);
    expect(result.manifest).toBe(before);
    expect(result).not.toHaveProperty('coverage');
    const error = { code: 'lake.transcript_unread', data: { path, code: 'EACCES' } };
    expect(heard).toEqual([['s1', expect.objectContaining(error)]]);
  });

  test('is an import’s trouble; what goes wrong with the store is not taken for it', async () => {
    write([asked(0, 'go'), said(1, 'done')]);
    const one = machine();
    one.hook(0, 'UserPromptSubmit', { prompt: 'go' });
    await one.drain();
    const given = { ...parts(one), lines: { ...lineReader(), lines: denied } };
    await expect(reconcileSession(one.manifest(), given)).rejects.toMatchObject({
      code: 'lake.transcript_unread',
    });
    const full = { ...one.store, get: (key: string) => one.store.get(key), put: denied };
    const heard: unknown[] = [];
    const unread = (session: string) => void heard.push(session);
    await expect(
      reconcileSession(one.manifest(), { ...parts(one), store: full, unread }),
    ).rejects.toMatchObject({ code: 'EACCES' });
    expect(heard).toEqual([]);
  });
});
