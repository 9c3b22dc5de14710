import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { eventsIn } from '../../test/kit/lake.ts';
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
import type { Cursor } from './import.ts';
import { importHistory } from './import-history.ts';

const folder = mkdtempSync(join(tmpdir(), 'import-shared-'));
afterAll(() => rmSync(folder, { recursive: true }));
const history = openHistory({ CLAUDE_CONFIG_DIR: folder });
const RUNTIME = 'claude-code';
const NOON = Date.UTC(2026, 2, 4, 12);
const at = (minute: number) => toInstant(NOON + minute * 60_000);
const pathOf = (name: string) => join(folder, 'projects', '-w', `${name}.jsonl`);
mkdirSync(join(pathOf('a'), '..'), { recursive: true });

/** A prompt of session s4, as a transcript has it. */
interface Said {
  readonly minute: number;
  readonly text: string;
  readonly cwd?: string;
  readonly session?: string;
}
const line = ({ minute, text, cwd = '/w', session = 's4' }: Said, time = at(minute)) =>
  JSON.stringify({
    type: 'user',
    uuid: `u${minute}`,
    sessionId: session,
    cwd,
    timestamp: time,
    message: { content: text },
  });
const write = (name: string, lines: readonly string[]) =>
  writeFileSync(pathOf(name), lines.map((one) => `${one}\n`).join(''));

function machine() {
  const spool = memorySpool();
  const store = openMemoryStore({ immutable: () => true });
  const cursors = new Map<string, Cursor>();
  let made = 0;
  const circumstance = (_event?: Event, origin?: 'imported' | 'reconciled') => ({
    runtime: RUNTIME,
    fleetId: 'acme',
    hostId: '0123456789abcdef',
    agents: { [RUNTIME]: 'cc-01' },
    checkout: undefined,
    injected: [],
    policy: { secret: () => Buffer.alloc(32, 1), deniedPaths: [] },
    ...(origin ? { origin } : {}),
  });
  const manifest = (session = 's4') => spool.manifest(RUNTIME, encodePathPart(session));
  return {
    manifest,
    cursors,
    async hook(prompts: readonly Said[]) {
      for (const { minute, text } of prompts) {
        const payload = { session_id: 's4', cwd: '/w', prompt: text };
        const { event } = readHook('UserPromptSubmit', payload, at(minute));
        const about = { line_id: `l${made++}`, recognised: true, transcript: pathOf('s4') };
        spool.append(RUNTIME, 's4', encodeLine({ ...about, ...spooled(event, circumstance()) }));
      }
      for (const session of spool.sessions())
        await drain(session, { spool, store, codec: parquet, now: NOON, idleMs: 0 });
    },
    async import(names: readonly string[], isExcluded = (_: Event) => false) {
      const files = [...history.files()];
      const { troubles } = await importHistory(
        names.flatMap((name) => files.filter(({ path }) => path === pathOf(name))),
        {
          store,
          spool,
          history,
          isExcluded,
          circumstance,
          codec: parquet,
          lines: lineReader(),
          now: NOON,
          relax: () => undefined,
          stemOf: encodePathPart,
          cursor: (path) => cursors.get(path),
          writeCursor: (cursor) => void cursors.set(cursor.path, structuredClone(cursor)),
        },
        () => undefined,
      );
      expect(troubles).toEqual([]);
    },
    /** Time, message and text of each event. */
    async events(session = 's4') {
      const events = await eventsIn(store, manifest(session));
      return events.map((one) => [one.emitted_at.slice(11, 16), one.message_id, one.content]);
    },
  };
}

const go = (minute: number, more: Partial<Said> = {}): Said => ({ minute, text: 'go on', ...more });
const isExcluded = ({ cwd }: Event) => cwd === '/secret';

describe('a file with lines of a session that hooks captured', () => {
  test('adds what it tells, and takes no prompt for another', async () => {
    write('s4', [line(go(0)), line(go(10))]);
    write('s5', [line(go(20)), line(go(21, { session: 's5' }))]);
    for (const order of [['s4', 's5'], ['s5', 's4'], ['s5']]) {
      const one = machine();
      await one.hook([go(0), go(10)]);
      await one.import(order);
      expect(await one.events()).toEqual([
        ['12:00', 'u0', 'go on'],
        ['12:10', 'u10', 'go on'],
        ['12:20', 'u20', 'go on'],
      ]);
      expect(await one.events('s5')).toEqual([['12:21', 'u21', 'go on']]);
      expect(one.manifest()).toMatchObject({ imported: false });
    }
  });

  test('does not say that it is over', async () => {
    write('s4', []);
    write('s5', [line(go(20), '9999-12-31T00:00:00.000Z'), line(go(21, { session: 's5' }))]);
    const one = machine();
    await one.hook([go(0)]);
    const before = one.manifest();
    await one.import(['s5']);
    const { last_at, ended } = one.manifest() ?? {};
    expect({ last_at, ended }).toEqual({ last_at: before?.last_at, ended: before?.ended });
  });
});

describe('an exclusion that is lifted', () => {
  test('brings in what it kept out, and nothing twice', async () => {
    write('s4', [line(go(0, { cwd: '/secret' })), line(go(10))]);
    const one = machine();
    await one.import(['s4'], isExcluded);
    expect(await one.events()).toEqual([['12:10', 'u10', 'go on']]);
    await one.import(['s4']);
    const all = [
      ['12:00', 'u0', 'go on'],
      ['12:10', 'u10', 'go on'],
    ];
    expect(await one.events()).toEqual(all);
    const done = structuredClone([one.manifest(), ...one.cursors.values()]);
    await one.import(['s4']);
    expect([one.manifest(), ...one.cursors.values()]).toEqual(done);
    // And it goes on so.
    write('s4', [line(go(0, { cwd: '/secret' })), line(go(10)), line(go(20))]);
    await one.import(['s4']);
    expect(await one.events()).toEqual([...all, ['12:20', 'u20', 'go on']]);
  });
});

test('of very many small prompts only some are held at once, and little of each is kept', async () => {
  const count = 13_000;
  write(
    's4',
    Array.from({ length: count }, (_, n) => line({ minute: n, text: `${n}` })),
  );
  const one = machine();
  await one.import(['s4']);
  const { parts = [], ordinals, once } = one.manifest() ?? {};
  expect(parts.map(({ events }) => events)).toEqual([6_000, 6_000, 1_000]);
  expect([ordinals, once?.length]).toEqual([{}, 8 * count]);
});

test('however many files tell of a session, in whatever order: each prompt once, by its own message', async () => {
  const anyPrompts = fc.array(
    fc.record({
      text: fc.constantFrom('go on', 'why?'),
      file: fc.constantFrom('s4', 's5', 's6'),
      cwd: fc.constantFrom('/w', '/w', '/secret'),
      hooked: fc.boolean(),
    }),
    { minLength: 1, maxLength: 9 },
  );
  const anySteps = fc.array(
    fc.record({
      names: fc.shuffledSubarray(['s4', 's5', 's6'], { minLength: 1 }),
      share: fc.integer({ min: 0, max: 9 }),
      excludes: fc.boolean(),
      loses: fc.boolean(),
    }),
    { maxLength: 4 },
  );
  const anyOrder = fc.shuffledSubarray(['s4', 's5', 's6'], { minLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      anyPrompts,
      anySteps,
      anyOrder,
      fc.boolean(),
      async (made, steps, order, live) => {
        const prompts = made.map((one, minute) => ({ ...one, minute }));
        const writeUpTo = (end: number) => {
          for (const name of ['s4', 's5', 's6']) {
            const own = prompts.filter(({ file, minute }) => file === name && minute < end);
            write(
              name,
              own.map((one) => line(one)),
            );
          }
        };
        const one = machine();
        writeUpTo(prompts.length);
        // Hooks hear of a session what its own transcript has, not all of it, and nothing excluded.
        if (live)
          await one.hook(
            prompts.filter(({ file, hooked, cwd }) => hooked && file === 's4' && cwd === '/w'),
          );
        let end = live ? prompts.length : 0;
        for (const { names, share, excludes, loses } of steps) {
          end = Math.max(end, Math.min(share, prompts.length));
          writeUpTo(end);
          if (loses) one.cursors.clear();
          await one.import(names, excludes ? isExcluded : undefined);
        }
        writeUpTo(prompts.length);
        await one.import(order);
        const told = prompts.map(({ minute, text }) => [
          at(minute).slice(11, 16),
          `u${minute}`,
          text,
        ]);
        expect(await one.events()).toEqual(told);
      },
    ),
    { numRuns: 60 },
  );
});
