import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import {
  callHook,
  envOf,
  hookSettings,
  place,
  stillWorld,
  tempFolder,
  testHome,
} from '../../../test/kit/home.ts';
import { openMemoryStore } from '../../../test/kit/memory-store.ts';
import { setUp } from '../../home/set-up.ts';
import { openLocal } from '../../node/local.ts';
import { openHome } from '../../node/node.ts';
import { withParts } from '../../node/passes.ts';
import { sync } from '../../pipeline.ts';
import type { Context } from './context.ts';
import { statusCommand } from './status-commands.ts';

const NOON = Date.UTC(2026, 2, 5, 12);
const HOUR = 3_600_000;

/** A home with a hook, a sync, and `credence status`: its lines without colours, and its value. */
async function machine() {
  const folder = tempFolder('status');
  const world = stillWorld(NOON);
  const store = openMemoryStore();
  const made = testHome(folder, 'one', () => store, world);
  await setUp(made, { runtimes: ['claude-code'], agentIds: { 'claude-code': 'one' } });
  const home = { ...made, settings: openHome({}, envOf(folder)).settings };
  const settings = hookSettings(home, { 'claude-code': 'one' });
  const status = async () => {
    const lines: string[] = [];
    let value: unknown;
    const context: Partial<Context> = {
      out: {
        json: false,
        text: (line) => void lines.push(line),
        value: (result) => {
          value = JSON.parse(JSON.stringify(result));
        },
        row: () => {},
        note: () => {},
      },
      home: () => home,
      local: openLocal(home, envOf(folder)),
      liveAgents: () => [],
      tryRead: () => undefined,
    };
    const program = new Command();
    statusCommand(program, context as Context);
    await program.parseAsync(['status'], { from: 'user' });
    const colour = new RegExp(`${'\u001b'}\\[\\d+m`, 'g');
    return { lines: lines.map((line) => line.replaceAll(colour, '')), value };
  };
  return {
    home: home.folders.home,
    noteSync: home.writeLastSync,
    world,
    hook: (event: string, payload: object) => callHook(home, settings, event, payload),
    sync: async () => (await withParts(home, sync, envOf(folder)))?.value,
    status,
  };
}

test('what was odd is told after the sessions of it are over, and counted once', async () => {
  const { home, world, hook, sync, status } = await machine();
  const none = await status();
  expect(none.lines.filter((line) => line.startsWith('odd'))).toEqual([]);
  expect(none.value).toMatchObject({ queue: { torn: 0, unrecognised: 0, unreadable: [] } });

  place(join(home, 'spool', 'claude-code', 'torn.ndjson'), '\n{"line_id":"a","nat');
  hook('UserPromptSubmit', { session_id: 'c', cwd: '/x', prompt: 7 });
  hook('SessionEnd', { session_id: 'c', cwd: '/x', reason: 'exit' });
  for (const hours of [0, 1, 2]) {
    world.set(NOON + hours * HOUR);
    expect(await sync()).toMatchObject({ troubles: [], drained: hours === 0 ? 2 : 0 });
  }
  const { lines, value } = await status();
  expect(lines).toContain(
    'odd        1 torn line, 1 payload that did not fit, the last found 2 h ago',
  );
  expect(value).toMatchObject({
    queue: {
      sessions: 0,
      unsealed: 0,
      torn: 1,
      unrecognised: 1,
      oddAt: '2026-03-05T12:00:00.000Z',
    },
  });
});

test('files of the outbox that hold no note are named', async () => {
  const { home, sync, status } = await machine();
  place(join(home, 'outbox', '01.json'), '{"half');
  place(join(home, 'outbox', '02\u001b[31m.json'), '{}');
  expect(await sync()).toMatchObject({ handoffs: 0, troubles: [] });
  const { lines, value } = await status();
  const [line = ''] = lines.filter((one) => one.includes('no note'));
  expect(line).toContain('01.json, 02');
  expect(line).not.toContain('\u001b');
  expect(value).toMatchObject({
    outbox: 0,
    queue: { unreadable: ['01.json', '02\u001b[31m.json'] },
  });
});

test('what the last pass passed over is told', async () => {
  const { noteSync, status } = await machine();
  const of = (n: number) => ({ id: `s${n}`, code: 'part.missing', message: 'is not there' });
  const last = { at: '2026-03-05T11:00:00.000Z', ok: true, passed_over: 7 };
  noteSync({ ...last, troubles: [0, 1, 2, 3, 4, 5, 6].map(of) });
  const { lines, value } = await status();
  const [text = ''] = lines.filter((line) => line.startsWith('last sync'));
  const shown = text.split('\n').map((line) => line.trim());
  expect(shown[0]).toMatch(/^last sync +done 60 min ago, but/);
  expect(shown.slice(1, 6)).toEqual(
    [0, 1, 2, 3, 4].map((n) => `passed over s${n}: is not there (part.missing)`),
  );
  expect(shown.slice(6)).toEqual(['and 2 more; --json tells of more of them']);
  expect(value).toMatchObject({ lastSync: { passed_over: 7 } });
});
