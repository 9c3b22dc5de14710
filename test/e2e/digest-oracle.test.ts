import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { setUp } from '../../src/home/set-up.ts';
import { withParts } from '../../src/node/passes.ts';
import { importAll } from '../../src/pipeline.ts';
import type { Digest } from '../../src/record/digest.ts';
import { envOf, stillWorld, testHome } from '../kit/home.ts';
import { openMemoryStore } from '../kit/memory-store.ts';
import { describeShared } from '../kit/shared.ts';

/*
 * The oracle: what a session was, counted straight from the lines of its transcript by code that shares nothing with
 * the product. It knows less (no versions, no subagents), and only what these 36 files hold.
 */
interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly text?: string;
  readonly input?: { readonly command?: string; readonly file_path?: string };
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly Block[];
}
interface Line {
  readonly type?: string;
  readonly subtype?: string;
  readonly uuid?: string;
  readonly parentUuid?: string;
  readonly timestamp?: string;
  readonly cwd?: string;
  readonly isMeta?: boolean;
  readonly isCompactSummary?: boolean;
  readonly message?: {
    readonly id?: string;
    readonly model?: string;
    readonly content?: string | readonly Block[];
    readonly usage?: Readonly<Record<string, unknown>>;
  };
  readonly data?: { readonly hookName?: string };
}
interface Counted {
  readonly prompts: number;
  readonly calls: number;
  readonly errors: number;
  readonly responses: number;
  readonly models: readonly string[];
  readonly tokens: Readonly<Record<'input' | 'output' | 'cache_read' | 'cache_write', number>>;
  readonly files: Readonly<Record<string, string>>;
  readonly commands: Readonly<Record<string, string>>;
  readonly commits: readonly string[];
  readonly duration: number;
}

const asText = (content: string | readonly Block[] | undefined): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((block) => block.text ?? '').join('\n');
const blocksIn = (line: Line, type: string): readonly Block[] => {
  const content = line.message?.content;
  return Array.isArray(content)
    ? (content as readonly Block[]).filter((block) => block.type === type)
    : [];
};
const NOT_TYPED = [
  '<local-command',
  '<command-name>',
  '<bash-',
  '<task-notification>',
  '<system-reminder>',
  '[Request interrupted by user',
];
const NOT_FAILED = [
  "The user doesn't want to",
  'User rejected',
  'Permission to use',
  '[Request interrupted',
];

function isPrompt(line: Line): boolean {
  if (
    line.type !== 'user' ||
    line.isMeta ||
    line.isCompactSummary ||
    blocksIn(line, 'tool_result').length > 0
  )
    return false;
  const text = asText(line.message?.content);
  return text !== '' && !NOT_TYPED.some((start) => text.startsWith(start));
}

/** A command as people would compare it: one line, and of a long one only its beginning. */
function shorten(command: string): string {
  const flat = command
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ');
  if (Buffer.byteLength(flat) <= 160) return flat;
  let short = '';
  for (const char of flat) {
    if (Buffer.byteLength(short + char) > 157) break;
    short += char;
  }
  return `${short}…`;
}

function countedIn(text: string): Counted {
  const lines = text.split('\n').flatMap((one): Line[] => {
    try {
      return [JSON.parse(one) as Line];
    } catch {
      return [];
    }
  });
  const results = new Map(
    lines
      .flatMap((line) => blocksIn(line, 'tool_result'))
      .map((block) => [block.tool_use_id, block]),
  );
  const uses = new Map(
    lines.flatMap((line) => blocksIn(line, 'tool_use')).map((block) => [block.id, block]),
  );
  const failed = (id: string | undefined) => {
    const result = results.get(id);
    return (
      result?.is_error === true &&
      !NOT_FAILED.some((start) => asText(result.content).replace('Error: ', '').startsWith(start))
    );
  };
  const root = lines.find((line) => line.cwd !== undefined)?.cwd ?? '';
  const files: Record<string, number[]> = {};
  const commands: Record<string, number[]> = {};
  const commits = new Set<string>();
  for (const { id, name = '', input } of uses.values()) {
    const isEdit = ['Edit', 'MultiEdit', 'Write'].includes(name);
    if (
      (isEdit || name === 'Read') &&
      input?.file_path !== undefined &&
      results.get(id)?.is_error !== true
    ) {
      const path = input.file_path.startsWith(`${root}/`)
        ? input.file_path.slice(root.length + 1)
        : input.file_path;
      const [reads = 0, edits = 0] = files[path] ?? [];
      files[path] = isEdit ? [reads, edits + 1] : [reads + 1, edits];
    }
    if (name === 'Bash' && input?.command !== undefined) {
      const command = shorten(input.command);
      const [runs = 0, failures = 0] = commands[command] ?? [];
      commands[command] = [runs + 1, failures + (failed(id) ? 1 : 0)];
      if (!/\bgit\b/.test(input.command)) continue;
      for (const line of asText(results.get(id)?.content).split('\n')) {
        const [, sha, subject] = /^\[.* ([0-9a-f]{7,40})\] (.+)$/.exec(line) ?? [];
        if (sha !== undefined) commits.add(`${sha} ${subject}`);
      }
    }
  }
  const said = lines.filter((line) => line.type === 'assistant');
  const largest = new Map<string, number[]>();
  for (const { message } of said.filter((line) => line.message?.model !== '<synthetic>')) {
    const usage = message?.usage ?? {};
    const figures = [
      'input_tokens',
      'output_tokens',
      'cache_read_input_tokens',
      'cache_creation_input_tokens',
    ].map((name) => Number(usage[name] ?? 0));
    const known = largest.get(message?.id ?? '') ?? [0, 0, 0, 0];
    largest.set(
      message?.id ?? '',
      figures.map((figure, i) => Math.max(figure, known[i] ?? 0)),
    );
  }
  const sum = (i: number) =>
    [...largest.values()].reduce((total, figures) => total + (figures[i] ?? 0), 0);
  const times = timesOf(lines);
  const strings = (counts: Record<string, number[]>) =>
    Object.fromEntries(Object.entries(counts).map(([name, pair]) => [name, pair.join('/')]));
  return {
    prompts: lines.filter(isPrompt).length,
    calls: new Set([...uses.keys(), ...results.keys()]).size,
    errors: [...results.keys()].filter(failed).length,
    responses: largest.size + said.filter((line) => line.message?.model === '<synthetic>').length,
    models: [...new Set(said.flatMap((line) => line.message?.model ?? []))]
      .filter((model) => model !== '<synthetic>')
      .sort(),
    tokens: { input: sum(0), output: sum(1), cache_read: sum(2), cache_write: sum(3) },
    files: strings(files),
    commands: strings(commands),
    commits: [...commits],
    duration: Math.max(...times) - Math.min(...times),
  };
}

/** When something happened: a result belongs to its call, the duration of a turn to its end, and noise to nothing. */
function timesOf(lines: readonly Line[]): number[] {
  const summaries = new Set(
    lines.filter((line) => line.subtype === 'stop_hook_summary').map((line) => line.uuid),
  );
  const counts = (line: Line) => {
    if (line.type === 'assistant') return true;
    if (line.type === 'user')
      return blocksIn(line, 'tool_result').length === 0 && asText(line.message?.content) !== '';
    if (line.type === 'progress') return line.data?.hookName?.startsWith('SessionStart:') === true;
    return (
      line.subtype === 'stop_hook_summary' ||
      (line.subtype === 'turn_duration' && !summaries.has(line.parentUuid ?? ''))
    );
  };
  return lines.filter(counts).map((line) => Date.parse(line.timestamp ?? ''));
}

/** The same of a digest. */
function toldBy(digest: Digest): Counted {
  const commands = [...digest.commands, ...digest.tests];
  return {
    prompts: digest.prompts,
    calls: digest.tool_calls,
    errors: digest.tool_errors,
    responses: digest.responses,
    models: digest.models,
    tokens: digest.tokens,
    files: Object.fromEntries(
      digest.files.map(({ path, reads, edits }) => [path, `${reads}/${edits}`]),
    ),
    commands: Object.fromEntries(
      commands.map(({ command, runs, failed }) => [command, `${runs}/${failed}`]),
    ),
    commits: digest.commits.map(({ sha, subject }) => `${sha} ${subject}`),
    duration: digest.duration_ms,
  };
}

describeShared('digests of a real fleet', (shared) => {
  const fleet = join(shared, 'fixtures/fleet');
  const root = mkdtempSync(join(tmpdir(), 'oracle-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const machines = readdirSync(fleet).filter((name) => name.startsWith('dev'));

  /** Imports the history of a machine as `credence import` does; session → its whole digest, as the store has it. */
  async function digestsOf(machine: string): Promise<Map<string, Digest>> {
    const folder = join(root, machine);
    const store = openMemoryStore();
    const home = testHome(folder, machine, () => store, stillWorld(Date.UTC(2026, 5, 1)));
    const env = { ...envOf(folder), CLAUDE_CONFIG_DIR: join(fleet, machine, '.claude') };
    await setUp(home, { runtimes: ['claude-code'], agentIds: { 'claude-code': 'cc-01' } });
    const done = await withParts(
      { ...home, settings: { ...home.settings, agents: { 'claude-code': 'cc-01' } } },
      (parts) => importAll(parts, parts.history.files(), () => undefined),
      env,
    );
    expect([done?.value.troubles, done?.value.sync.troubles]).toEqual([[], []]);
    const digests = new Map<string, Digest>();
    for await (const key of store.list('sessions/')) {
      const session = /\/session=([^/]+)\/digest-000001\.json$/.exec(key)?.[1];
      if (session !== undefined)
        digests.set(
          session,
          JSON.parse(Buffer.from((await store.get(key)) ?? []).toString()) as Digest,
        );
    }
    return digests;
  }

  test('there are 36 sessions of five machines, in which all that is compared happened', () => {
    const paths = readdirSync(fleet, { recursive: true, encoding: 'utf8' });
    const sessions = paths.filter((path) => path.endsWith('.jsonl'));
    expect([sessions.length, machines.length]).toEqual([36, 5]);
    const all = sessions.map((path) => countedIn(readFileSync(join(fleet, path), 'utf8')));
    const sum = (of: (one: Counted) => number) => all.reduce((total, one) => total + of(one), 0);
    const failures = (one: Counted) =>
      Object.values(one.commands).filter((counts) => !counts.endsWith('/0')).length;
    expect({
      prompts: sum((one) => one.prompts),
      calls: sum((one) => one.calls),
      errors: sum((one) => one.errors),
      commits: sum((one) => one.commits.length),
      files: sum((one) => Object.keys(one.files).length),
      failing: sum(failures),
    }).toEqual({ prompts: 91, calls: 714, errors: 38, commits: 7, files: 121, failing: 25 });
  });

  test.each(machines)(
    '%s: each says what the transcript says, counted by other code',
    { timeout: 60_000 },
    async (machine) => {
      const digests = await digestsOf(machine);
      const paths = readdirSync(join(fleet, machine), { recursive: true, encoding: 'utf8' }).filter(
        (path) => path.endsWith('.jsonl'),
      );
      expect([...digests.keys()].sort()).toEqual(paths.map((path) => path.slice(-42, -6)).sort());
      for (const path of paths) {
        const counted = countedIn(readFileSync(join(fleet, machine, path), 'utf8'));
        const digest = digests.get(path.slice(-42, -6));
        if (!digest) throw new Error(`no digest of ${path}`);
        expect(toldBy(digest), path).toEqual(counted);
      }
    },
  );
});
