import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { faultSweep } from '../../test/kit/flaky-store.ts';
import { eventsIn, objectsIn, partsOf } from '../../test/kit/lake.ts';
import { memorySpool } from '../../test/kit/memory-spool.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { encodePathPart } from '../base/path-part.ts';
import { type Circumstance, spooled } from '../capture/envelope.ts';
import { encodeLine } from '../capture/spool.ts';
import { openHistory } from '../io/history.ts';
import { lineReader } from '../io/line-reader.ts';
import { parquet } from '../io/parquet.ts';
import { readHook } from '../runtime/claude-code/hook.ts';
import type { HistoryFile } from '../runtime/history.ts';
import { drain } from './drain.ts';
import { importHistory } from './import-history.ts';
import type { Manifest } from './manifest.ts';
import type { ObjectStore } from './objects.ts';
import { reconcileSession } from './reconcile-session.ts';

const folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
afterAll(() => rmSync(folder, { recursive: true }));
const claude = join(folder, '.claude');
const path = join(claude, 'projects', '-w', 's1.jsonl');
mkdirSync(join(path, '..'), { recursive: true });
const history = openHistory({ CLAUDE_CONFIG_DIR: claude });
const KEY = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
const RUNTIME = 'claude-code';

const circumstance = (origin?: 'imported' | 'reconciled'): Circumstance => ({
  runtime: RUNTIME,
  fleetId: 'acme',
  hostId: '0123456789abcdef',
  agents: { [RUNTIME]: 'cc-01' },
  checkout: undefined,
  injected: [],
  policy: { secret: () => Buffer.alloc(32, 1), deniedPaths: [] },
  ...(origin ? { origin } : {}),
});
const T = (n: number) => `2026-03-04T05:00:${String(n).padStart(2, '0')}.000Z`;

/** What happened: each step as a hook payload sees it, and as the transcript has it. */
const STEPS: readonly (readonly [event: string, payload: object, lines: readonly object[]])[] = [
  [
    'SessionStart',
    { source: 'startup' },
    [{ type: 'progress', data: { hookName: 'SessionStart:startup' } }],
  ],
  ['UserPromptSubmit', { prompt: 'Fix it' }, [{ type: 'user', message: { content: 'Fix it' } }]],
  [
    'PostToolUse',
    {
      tool_name: 'Bash',
      tool_use_id: 't1',
      tool_input: { command: 'ls' },
      tool_response: { stdout: 'a', stderr: '' },
    },
    [
      {
        type: 'assistant',
        message: {
          id: 'm1',
          model: 'm',
          usage: { output_tokens: 7 },
          content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }],
        },
      },
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a' }] },
        toolUseResult: { stdout: 'a', stderr: '' },
      },
    ],
  ],
  [
    'UserPromptSubmit',
    { prompt: `use ${KEY}` },
    [{ type: 'user', message: { content: `use ${KEY}` } }],
  ],
  ['UserPromptSubmit', { prompt: 'Fix it' }, [{ type: 'user', message: { content: 'Fix it' } }]],
  [
    'Stop',
    { last_assistant_message: 'Done.' },
    [
      { type: 'assistant', message: { id: 'm2', content: [{ type: 'text', text: 'Done.' }] } },
      { type: 'system', subtype: 'stop_hook_summary' },
    ],
  ],
  ['SessionEnd', { reason: 'clear' }, []],
];
function writeTranscript(): void {
  let n = 0;
  const lines = STEPS.flatMap(([, , all], i) =>
    all.map((fields) =>
      JSON.stringify({
        uuid: `u${n}`,
        parentUuid: n > 0 ? `u${n - 1}` : null,
        sessionId: 's1',
        cwd: '/w',
        timestamp: T(i),
        ...fields,
        n: n++,
      }),
    ),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
}

/** A store and a spool in which the hooks captured the steps that `sees` says. */
async function captured(sees: (i: number) => boolean) {
  writeTranscript();
  const spool = memorySpool();
  const store = openMemoryStore({ immutable: () => true });
  for (const [i, [event, payload]] of STEPS.entries()) {
    if (!sees(i)) continue;
    const reading = readHook(
      event,
      { session_id: 's1', cwd: '/w', transcript_path: path, ...payload },
      T(i),
    );
    spool.append(
      RUNTIME,
      's1',
      encodeLine({
        line_id: `l${i}`,
        recognised: true,
        transcript: path,
        ...spooled(reading.event, circumstance()),
      }),
    );
  }
  const [session] = spool.sessions();
  if (!session) throw new Error('nothing was captured');
  const { manifest } = await drain(session, {
    spool,
    store,
    codec: parquet,
    now: Date.parse(T(0)),
    idleMs: 0,
  });
  if (!manifest) throw new Error('no manifest');
  return { spool, store, manifest };
}
const reconcileParts = (store: ObjectStore) => ({
  store,
  codec: parquet,
  lines: lineReader(),
  history,
  circumstance: () => circumstance('reconciled'),
  relax: () => undefined,
});

describe('a captured session and its transcript', () => {
  test('all that hooks saw is captured; what only the transcript knows is added, marked', async () => {
    const { store, manifest } = await captured(() => true);
    const {
      manifest: after,
      coverage,
      tally,
    } = await reconcileSession(manifest, reconcileParts(store));
    expect(coverage).toEqual({ captured: 4, known: 4 });
    expect(tally).toMatchObject({ lines: 8, imported: 7, merged: 1 });
    expect(after.parts).toHaveLength(manifest.parts.length + 1);
    const events = await eventsIn(store, after);
    expect(
      events.map((event) => [
        event.event_type,
        event.content ?? event.tool?.result,
        event.reconciled,
      ]),
    ).toEqual([
      ['session_start', undefined, undefined],
      ['prompt', 'Fix it', undefined],
      ['tool_call', 'a', undefined],
      ['prompt', expect.stringContaining('withheld'), undefined],
      ['prompt', 'Fix it', undefined],
      ['assistant', 'Done.', true],
      ['turn_end', 'Done.', undefined],
      ['session_end', undefined, undefined],
    ]);
    // The transcript gives what hooks never see: who said what after what, and its cost.
    expect(events.map((event) => event.message_id)).toEqual([
      'u0',
      'u1',
      't1',
      'u4',
      'u5',
      'u6',
      'u7',
      undefined,
    ]);
    expect(events[2]?.usage).toMatchObject({ response_id: 'm1', output_tokens: 7 });
  });

  test.each<[string, number[], number, number]>([
    ['a prompt', [1], 3, 4],
    ['the call', [2], 3, 4],
    ['all but the end', [0, 1, 2, 3, 4, 5], 0, 4],
    ['nothing of these', [0, 5, 6], 4, 4],
  ])('where hooks missed %s', async (_what, missed, live, known) => {
    const { store, manifest } = await captured((i) => !missed.includes(i));
    const whole = await captured(() => true);
    const { manifest: after, coverage } = await reconcileSession(manifest, reconcileParts(store));
    const { manifest: expected } = await reconcileSession(
      whole.manifest,
      reconcileParts(whole.store),
    );
    expect(coverage).toEqual({ captured: live, known });
    const ids = async (of: ObjectStore, found: Manifest) =>
      (await eventsIn(of, found)).map((event) => event.event_id).sort();
    const lost = missed.includes(6) ? 1 : 0;
    expect((await ids(store, after)).length).toBe((await ids(whole.store, expected)).length - lost);
    expect(await ids(whole.store, expected)).toEqual(
      expect.arrayContaining(await ids(store, after)),
    );
  });

  test('long fields that are no text make further parts, not one that is too large', async () => {
    const { store, manifest } = await captured(() => true);
    const long = 'x'.repeat(4_090);
    const lines = Array.from({ length: 2_100 }, (_, n) =>
      JSON.stringify({
        type: 'assistant',
        uuid: `long${n}`,
        sessionId: 's1',
        timestamp: T(9),
        cwd: long,
        gitBranch: long,
        version: long,
        message: { model: long, content: `${n}`, usage: { output_tokens: 1 } },
      }),
    );
    writeFileSync(path, `${lines.join('\n')}\n`);
    const { manifest: after } = await reconcileSession(manifest, reconcileParts(store));
    const added = after.parts.slice(manifest.parts.length);
    expect(added.length).toBeGreaterThan(3);
    expect(added.reduce((sum, { events }) => sum + events, 0)).toBe(2_100);
  });

  test('a secret that only the transcript holds is withheld, and said so for review', async () => {
    const { store, manifest } = await captured((i) => i !== 3);
    const before = Object.keys(await objectsIn(store, 'withheld/'));
    await reconcileSession(manifest, reconcileParts(store));
    const all = await objectsIn(store);
    expect(Object.values(all).some((bytes) => Buffer.from(bytes, 'base64').includes(KEY))).toBe(
      false,
    );
    expect(before).toEqual([]);
    expect(Object.keys(await objectsIn(store, 'withheld/'))).toHaveLength(1);
  });

  test('a secret that hooks saw is not said twice', async () => {
    const { store, manifest } = await captured(() => true);
    const before = await objectsIn(store, 'withheld/');
    expect(Object.keys(before)).toHaveLength(1);
    await reconcileSession(manifest, reconcileParts(store));
    expect(await objectsIn(store, 'withheld/')).toEqual(before);
  });

  test('again adds nothing more', async () => {
    const { store, manifest } = await captured((i) => i !== 1);
    const { manifest: after } = await reconcileSession(manifest, reconcileParts(store));
    const { manifest: again, coverage } = await reconcileSession(after, reconcileParts(store));
    expect(again).toEqual(after);
    // What was added is not taken for captured.
    expect(coverage).toEqual({ captured: 3, known: 4 });
  });

  test('whatever operation of the store fails, the next run comes to the same', async () => {
    const base = await captured((i) => i !== 2);
    const seed = await objectsIn(base.store);
    let clean: object | undefined;
    let result: Manifest | undefined;
    await faultSweep(
      async (store) => {
        for (const [key, bytes] of Object.entries(seed))
          await base.store.put(key, Buffer.from(bytes, 'base64'));
        const both: ObjectStore = {
          name: 'both',
          get: async (key) => (await store.get(key)) ?? base.store.get(key),
          put: (key, bytes) => store.put(key, bytes),
          putIfAbsent: (key, bytes) => store.putIfAbsent(key, bytes),
          list: (prefix) => store.list(prefix),
          delete: (key) => store.delete(key),
          time: () => store.time(),
        };
        ({ manifest: result } = await reconcileSession(base.manifest, reconcileParts(both)));
      },
      () => openMemoryStore({ immutable: () => true }),
      async (store) => {
        clean ??= { objects: await objectsIn(store), result };
        expect({ objects: await objectsIn(store), result }).toEqual(clean);
      },
    );
  });
});

describe('a transcript that is not to be read', () => {
  const outside = join(folder, 'outside.jsonl');
  writeFileSync(outside, '{"type":"user","sessionId":"s1","message":{"content":"not ours"}}\n');
  symlinkSync(outside, join(claude, 'projects', '-w', 'link.jsonl'));
  test.each<[string, string | undefined]>([
    ['none is named', undefined],
    ['it is gone', join(claude, 'projects', '-w', 'gone.jsonl')],
    ['it is outside of the runtime’s folder', outside],
    ['the path climbs out', join(claude, 'projects', '-w', '..', '..', '..', 'outside.jsonl')],
    ['a link leads out', join(claude, 'projects', '-w', 'link.jsonl')],
    ['it is no transcript', '/etc/passwd'],
    ['it is a folder', join(claude, 'projects', '-w')],
    ['NUL', '\0'],
  ])('%s: the session keeps what it has, without a figure', async (_what, transcript) => {
    const { store, manifest } = await captured(() => true);
    const { transcript: _, ...rest } = manifest;
    const given: Manifest = transcript === undefined ? rest : { ...rest, transcript };
    const result = await reconcileSession(given, reconcileParts(store));
    expect(result).toEqual({
      manifest: given,
      tally: { lines: 0, imported: 0, merged: 0, skipped: {} },
    });
  });
});

describe('importing history', () => {
  const importNow = (
    store: ObjectStore,
    spool: ReturnType<typeof memorySpool>,
    files: readonly HistoryFile[],
  ) =>
    importHistory(
      files,
      {
        ...reconcileParts(store),
        spool,
        now: Date.parse(T(0)),
        stemOf: encodePathPart,
        relax: () => undefined,
        cursor: () => undefined,
        writeCursor: () => undefined,
        circumstance: (_event, origin) => circumstance(origin),
      },
      () => undefined,
    );

  test('a session that hooks captured is compared, not imported a second time', async () => {
    const { store, spool, manifest } = await captured((i) => i !== 1);
    const found = [...history.files()];
    expect(found.map((one) => one.source.session)).toEqual(['s1']);
    const { imported, troubles } = await importNow(store, spool, found);
    expect(troubles).toEqual([]);
    expect(imported).toMatchObject([{ isNew: true, tally: { lines: 8 } }]);
    const after = spool.manifest(RUNTIME, 's1');
    expect(after?.parts.length).toBe(manifest.parts.length + 1);
    const added = (await partsOf(store, after)).at(-1) ?? [];
    expect(added.every((event) => event.reconciled === true && event.imported === undefined)).toBe(
      true,
    );
    expect((await importNow(store, spool, found)).imported).toMatchObject([{ isNew: false }]);
  });

  test('a session that nobody captured is imported', async () => {
    writeTranscript();
    const spool = memorySpool();
    const store = openMemoryStore();
    await importNow(store, spool, [...history.files()]);
    expect(spool.manifest(RUNTIME, 's1')).toMatchObject({ imported: true });
    expect(
      (await eventsIn(store, spool.manifest(RUNTIME, 's1'))).every((event) => event.imported),
    ).toBe(true);
  });

  test('one file’s trouble is its own', async () => {
    const spool = memorySpool();
    writeTranscript();
    const [file] = history.files();
    if (!file) throw new Error('no transcript');
    const broken = { ...file, path: join(folder, 'gone.jsonl') };
    const { imported, troubles } = await importNow(openMemoryStore(), spool, [
      broken,
      ...history.files(),
    ]);
    expect(troubles).toEqual([expect.objectContaining({ id: broken.path, code: 'ENOENT' })]);
    expect(imported).toHaveLength(1);
  });
});
