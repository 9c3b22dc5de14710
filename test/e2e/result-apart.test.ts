import { appendFileSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toInstant } from '../../src/base/time.ts';
import { setUp } from '../../src/home/set-up.ts';
import { parquet } from '../../src/io/parquet.ts';
import { mergeEvents } from '../../src/lake/merge.ts';
import { withParts } from '../../src/node/passes.ts';
import { importAll, sync } from '../../src/pipeline.ts';
import type { Envelope } from '../../src/runtime/envelope.ts';
import {
  callHook,
  envOf,
  hookSettings,
  place,
  stillWorld,
  tempFolder,
  testHome,
} from '../kit/home.ts';
import { openMemoryStore } from '../kit/memory-store.ts';

/*
 * In a transcript a result stands apart from its call. What a hook withholds, because of what the call asked, an import
 * and a reconciliation withhold too.
 */

const NOON = Date.UTC(2026, 2, 5, 12);
const AGENTS = { 'claude-code': 'cc-01' };
const SECRET = 'opensesame';

interface Step {
  readonly id: string;
  readonly name: string;
  readonly input: object;
  readonly result: string;
  readonly structured?: object;
}
const DENIED: readonly Step[] = [
  {
    id: 't1',
    name: 'Read',
    input: { file_path: '/w/.env' },
    result: `     1→NAME=${SECRET}`,
    structured: { file: { content: `NAME=${SECRET}` } },
  },
  {
    id: 't2',
    name: 'Bash',
    input: { command: 'gh auth token' },
    result: SECRET,
    structured: { stdout: SECRET, stderr: '', interrupted: false },
  },
  // As a subagent's file has it: without the structured result, which would leave the text out.
  {
    id: 't3',
    name: 'Edit',
    input: { file_path: 'plans/a.md', old_string: 'a', new_string: SECRET },
    result: `The file has been updated. 1→${SECRET}`,
  },
  {
    id: 't4',
    name: 'Write',
    input: { file_path: '/w/.env', content: SECRET.repeat(20_000) },
    result: SECRET,
  },
];
const PLAIN: Step = { id: 't0', name: 'Bash', input: { command: 'ls' }, result: 'a.md' };

/** The lines of a step: its call, and its result. */
function linesOf(cwd: string, { id, name, input, result, structured }: Step, n: number): string[] {
  const common = { sessionId: 's1', cwd, timestamp: toInstant(NOON + n * 1_000) };
  const block = { type: 'tool_result', tool_use_id: id, content: result };
  return [
    {
      type: 'assistant',
      uuid: `${id}-a`,
      message: { id, content: [{ type: 'tool_use', id, name, input }] },
    },
    {
      type: 'user',
      uuid: `${id}-u`,
      message: { content: [block] },
      ...(structured && { toolUseResult: structured }),
    },
  ].map((line) => `${JSON.stringify({ ...common, ...line })}\n`);
}

async function newMachine() {
  const folder = tempFolder('apart');
  const world = stillWorld(NOON);
  const store = openMemoryStore();
  const home = testHome(folder, 'apart', () => store, world);
  await setUp(home, { runtimes: ['claude-code'], agentIds: AGENTS });
  const env = envOf(folder);
  const cwd = join(folder, 'w');
  place(join(cwd, 'credence.toml'), 'exclude = ["plans/**"]\n');
  const transcript = join(folder, '.claude', 'projects', '-w', 's1.jsonl');
  mkdirSync(dirname(transcript), { recursive: true });
  const write = (lines: readonly string[]) => {
    appendFileSync(transcript, lines.join(''));
    // Nobody writes to it any more, so that its last line counts.
    utimesSync(transcript, NOON / 1_000 - 3_600, NOON / 1_000 - 3_600);
  };
  const own = { ...home, settings: { ...home.settings, agents: AGENTS } };
  const importNow = () =>
    withParts(own, (parts) => importAll(parts, parts.history.files(), () => undefined), env);
  const events = async (): Promise<Envelope[]> => {
    const found: Envelope[] = [];
    for await (const key of store.list('sessions/')) {
      const bytes = key.endsWith('.parquet') ? await store.get(key) : undefined;
      if (bytes) found.push(...(await parquet.decode(bytes)));
    }
    return found;
  };
  return { home: own, env, cwd, world, transcript, write, importNow, events };
}

/** What became of each call's result, in the copies of the event and in what they make together. */
async function expectWithheld(events: readonly Envelope[], steps: readonly Step[]): Promise<void> {
  expect(JSON.stringify(events)).not.toContain(SECRET);
  const merged = new Map(mergeEvents(events).map((event) => [event.message_id, event]));
  for (const { id, name } of steps) {
    expect(merged.get(id)?.tool, id).toMatchObject({
      name,
      result: expect.stringMatching(
        /^\[withheld:(?:denied-path|secret-command) \d+B [0-9a-f]{8}\]$/,
      ),
      outcome: 'ok',
    });
  }
  expect(merged.get(PLAIN.id)?.tool).toMatchObject({ name: 'Bash', result: 'a.md' });
}

/** All that this home keeps beside its keys. */
function textsIn(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true });
  return paths
    .filter((path) => path.isFile() && !path.name.includes('.sqlite'))
    .map((path) => readFileSync(join(path.parentPath, path.name), 'utf8'))
    .join('');
}

describe('a result that stands apart from its call', () => {
  const steps = [PLAIN, ...DENIED];

  test('is imported as its call says', async () => {
    const machine = await newMachine();
    machine.write(steps.flatMap((step, n) => linesOf(machine.cwd, step, n)));
    expect((await machine.importNow())?.value.troubles).toEqual([]);
    await expectWithheld(await machine.events(), DENIED);
  });

  test('also where several calls were made before the first result came', async () => {
    const machine = await newMachine();
    const pairs = steps.map((step, n) => linesOf(machine.cwd, step, n));
    machine.write([...pairs.map(([call = '']) => call), ...pairs.map(([, result = '']) => result)]);
    await machine.importNow();
    await expectWithheld(await machine.events(), DENIED);
  });

  test('also where the import stopped between the two, and kept no secret of the call', async () => {
    const machine = await newMachine();
    const key = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
    const step = {
      id: 't9',
      name: 'Bash',
      input: { command: `KEY=${key} cat .env` },
      result: SECRET,
    };
    for (const one of [PLAIN, ...DENIED, step]) {
      for (const line of linesOf(machine.cwd, one, 0)) {
        machine.write([line]);
        expect((await machine.importNow())?.value.troubles).toEqual([]);
        expect(textsIn(machine.home.folders.home)).not.toMatch(new RegExp(`${key}|${SECRET}`));
      }
    }
    await expectWithheld(await machine.events(), [...DENIED, step]);
  });

  test('whose call nobody knows is withheld', async () => {
    const machine = await newMachine();
    const [, result = ''] = linesOf(machine.cwd, { ...PLAIN, id: 't8', result: SECRET }, 0);
    machine.write([result]);
    await machine.importNow();
    expect((await machine.events()).map((event) => event.tool)).toEqual([
      { result: expect.stringMatching(/^\[withheld:unknown-call 10B \w{8}\]$/), outcome: 'ok' },
    ]);
  });

  test('is reconciled as its call says, where hooks saw the call alone or nothing', async () => {
    const machine = await newMachine();
    const { home, cwd, transcript, world } = machine;
    machine.write(steps.flatMap((step, n) => linesOf(cwd, step, n)));
    const settings = hookSettings(home, AGENTS);
    const common = { session_id: 's1', cwd, transcript_path: transcript };
    const [, read, bash] = steps;
    for (const step of [read, bash]) {
      const call = { tool_name: step?.name, tool_use_id: step?.id, tool_input: step?.input };
      callHook(home, settings, 'PreToolUse', { ...common, ...call });
    }
    callHook(home, settings, 'SessionEnd', { ...common, reason: 'clear' });
    world.set(NOON + 3_600_000);
    const done = await withParts(home, sync, machine.env);
    expect(done?.value).toMatchObject({ sealed: 1, troubles: [] });
    const events = await machine.events();
    expect(events.some((event) => event.reconciled)).toBe(true);
    await expectWithheld(events, DENIED);
  });
});
