import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { buildFleet, transcriptPath } from '../scripts/sample/fleet.ts';
import { readStories } from '../scripts/sample/read.ts';
import { headOf, readStory, type Story } from '../scripts/sample/story.ts';
import { play, sessionIdOf } from '../scripts/sample/transcript.ts';
import { isInstant } from '../src/base/time.ts';

const samples = fileURLToPath(new URL('../samples/', import.meta.url));
const read = (path: string): string => readFileSync(samples + path, 'utf8');
/** Every file of a folder in `samples`, as paths below it. */
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(samples + folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(samples.length));

const stories = readStories(`${samples}story`);
const sessions = stories.filter((story) => !story.head.has('parent'));

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly text?: string;
  readonly input?: { readonly command?: string; readonly file_path?: string };
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

/** The fields of a transcript line that these tests look at. */
interface Line {
  readonly type: string;
  readonly subtype?: string;
  readonly uuid?: string;
  readonly parentUuid?: string | null;
  readonly logicalParentUuid?: string;
  readonly leafUuid?: string;
  readonly messageId?: string;
  readonly sourceToolAssistantUUID?: string;
  readonly timestamp?: string;
  readonly sessionId?: string;
  readonly agentId?: string;
  readonly isSidechain?: boolean;
  readonly isMeta?: boolean;
  readonly isCompactSummary?: boolean;
  readonly cwd?: string;
  readonly message?: {
    readonly id?: string;
    readonly content: string | readonly Block[];
    readonly usage?: Readonly<Record<string, unknown>>;
  };
  readonly data?: { readonly type: string; readonly hookName?: string };
  readonly attachment?: { readonly type: string; readonly content: readonly string[] };
  readonly toolUseResult?: { readonly agentId?: string };
}

const texts = new Map(stories.map((story) => [story.name, read(transcriptPath(story))]));

/** The lines of a story's transcript that are whole. */
function linesOf(name: string): readonly Line[] {
  const whole = (texts.get(name) ?? '').split('\n').slice(0, -1);
  return whole.map((line) => JSON.parse(line) as Line);
}

function blocksOf(line: Line): readonly Block[] {
  const content = line.message?.content;
  return typeof content === 'string' || content === undefined ? [] : content;
}

interface Done {
  readonly line: number;
  readonly name: string;
  /** The command of a shell call, the path of a file tool. */
  readonly on: string;
  readonly failed: boolean;
  readonly output: string;
}

/** The tool calls of a session, each with its result, in order. */
function callsOf(name: string): readonly Done[] {
  const lines = linesOf(name);
  const results = new Map(
    lines.flatMap(blocksOf).map((block): [string, Block] => [block.tool_use_id ?? '', block]),
  );
  return lines.flatMap((line, at) =>
    blocksOf(line)
      .filter((block) => block.type === 'tool_use')
      .map((block) => ({
        line: at,
        name: block.name ?? '',
        on: block.input?.command ?? block.input?.file_path ?? '',
        failed: results.get(block.id ?? '')?.is_error === true,
        output: String(results.get(block.id ?? '')?.content),
      })),
  );
}

const commandsOf = (name: string): readonly Done[] =>
  callsOf(name).filter((call) => call.name === 'Bash');

/** What the agent said, and the prompts that people typed. */
const saidIn = (name: string): string =>
  linesOf(name)
    .filter((line) => line.type === 'assistant')
    .flatMap((line) => blocksOf(line).map((block) => block.text ?? ''))
    .join('\n');

const promptsOf = (name: string): readonly string[] =>
  linesOf(name)
    .filter(
      (line) => line.type === 'user' && line.isMeta !== true && line.isCompactSummary !== true,
    )
    .flatMap((line) => (typeof line.message?.content === 'string' ? [line.message.content] : []));

const agentOf = (name: string): string => {
  const story = stories.find((each) => each.name === name);
  return story === undefined ? '' : headOf(story, 'agent');
};

describe('the files', () => {
  test('are what the generator makes of the stories, byte for byte', () => {
    const made = buildFleet(stories);
    expect([...filesBelow('fleet')].sort()).toEqual([...made.keys()].sort());
    for (const [path, text] of made) expect(read(path), path).toBe(text);
  });

  test('stay below 400 KB, with 14 sessions of 15 to 60 lines by 5 agents', () => {
    const sizes = filesBelow('').map((path) => Buffer.byteLength(read(path)));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(400_000);
    expect(sessions).toHaveLength(14);
    for (const { name } of sessions) {
      expect(linesOf(name).length, name).toBeGreaterThanOrEqual(15);
      expect(linesOf(name).length, name).toBeLessThanOrEqual(60);
    }
    expect(new Set(sessions.map((story) => agentOf(story.name))).size).toBe(5);
  });

  test('index every folder, every home and every handoff', () => {
    const repos = JSON.parse(read('fleet/repos.json')) as Record<string, string>;
    expect(Object.keys(repos)).toEqual([...new Set(sessions.map((s) => headOf(s, 'cwd')))].sort());
    expect([...new Set(Object.values(repos))]).toEqual(['github.com/example/tidepool']);
    expect(JSON.parse(read('fleet/agents.json'))).toEqual({
      'east-1': 'cc-03',
      'east-2': 'cc-04',
      'north-1': 'cc-01',
      'north-2': 'cc-02',
      'west-1': 'cc-05',
    });
    const handoffs = JSON.parse(read('fleet/handoffs.json')) as Record<string, string>[];
    expect(handoffs.map(({ agent, session, status }) => [agent, session, status])).toEqual([
      ['cc-01', sessionIdOf('01-first-look'), 'done'],
      ['cc-02', sessionIdOf('02-upload-limit'), 'partial'],
      ['cc-04', sessionIdOf('10-release-blocked'), 'blocked'],
    ]);
    for (const handoff of handoffs) {
      expect(Object.keys(handoff)).toEqual(['agent', 'session', 'at', 'status', 'summary', 'next']);
      const story = sessions.find((each) => sessionIdOf(each.name) === handoff['session']);
      expect(handoff['at']).toBe(linesOf(story?.name ?? '').at(-1)?.timestamp);
    }
  });

  test('are explained in the README, session by session', () => {
    const page = read('README.md');
    for (const { name } of sessions) {
      expect(page, name).toContain(name.slice(3));
      expect(page, name).toContain(sessionIdOf(name).slice(0, 8));
    }
  });
});

describe('the lines', () => {
  test('are JSON, but for one that is torn at the end of a file', () => {
    const torn = [...texts].filter(([, text]) => !text.endsWith('\n'));
    expect(torn.map(([name]) => name)).toEqual(['05-health-check']);
    const tail = torn[0]?.[1].split('\n').at(-1) ?? '';
    expect(tail.length).toBeGreaterThan(50);
    expect(() => JSON.parse(tail)).toThrow(SyntaxError);
    for (const name of texts.keys()) expect(linesOf(name).length, name).toBeGreaterThan(0);
  });

  test('have uuids that no other line has', () => {
    const uuids = stories.flatMap(({ name }) => linesOf(name).flatMap((line) => line.uuid ?? []));
    expect(uuids.length).toBeGreaterThan(350);
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  test.each(stories.map((story) => story.name))('of %s hang together', (name) => {
    const lines = linesOf(name);
    const uuids = new Set(lines.map((line) => line.uuid));
    const roots = lines.filter((line) => line.parentUuid === null);
    expect(roots).toHaveLength(1 + lines.filter((l) => l.subtype === 'compact_boundary').length);
    for (const line of lines) {
      const others = [line.logicalParentUuid, line.leafUuid, line.sourceToolAssistantUUID];
      for (const to of [line.parentUuid, line.messageId, ...others]) {
        if (typeof to === 'string') expect(uuids.has(to), `${name}: ${to}`).toBe(true);
      }
    }
  });

  test.each(stories.map((story) => story.name))('of %s go forward in time', (name) => {
    const times = linesOf(name).flatMap((line) => line.timestamp ?? []);
    expect(times.every(isInstant)).toBe(true);
    expect(times).toEqual([...times].sort());
    expect(times[0]?.slice(0, 10) ?? '').toMatch(/^2026-03-(0[2-9]|1[0-2])$/);
    expect(times.at(-1)?.slice(0, 10) ?? '').toMatch(/^2026-03-(0[2-9]|1[0-2])$/);
  });

  test.each(stories)('of $name say whose they are', (story) => {
    const id = sessionIdOf(story.head.get('parent') ?? story.name);
    const chained = linesOf(story.name).filter((line) => line.uuid !== undefined);
    expect(new Set(chained.map((line) => line.sessionId))).toEqual(new Set([id]));
    expect(new Set(chained.map((line) => line.cwd))).toEqual(new Set([headOf(story, 'cwd')]));
  });

  test.each(stories.map((story) => story.name))('of %s answer every tool call once', (name) => {
    const blocks = linesOf(name).flatMap(blocksOf);
    const asked = blocks.filter((block) => block.type === 'tool_use').map((block) => block.id);
    const answered = blocks.flatMap((block) => block.tool_use_id ?? []);
    expect(answered).toEqual(asked);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test('of one response report one usage, in plausible numbers', () => {
    const seen = new Map<string, string>();
    for (const { name } of stories) {
      for (const { message } of linesOf(name)) {
        if (message?.id === undefined) continue;
        const usage = JSON.stringify(message.usage);
        expect(seen.get(message.id) ?? usage).toBe(usage);
        seen.set(message.id, usage);
        const output = Number(message.usage?.['output_tokens']);
        const read = Number(message.usage?.['cache_read_input_tokens']);
        expect(output > 5 && output < 1_500, `${name}: ${output}`).toBe(true);
        expect(read >= 0 && read < 60_000, `${name}: ${read}`).toBe(true);
      }
    }
    expect(seen.size).toBeGreaterThan(100);
  });
});

describe('the anchors of the story', () => {
  test('friction: one command fails four times in a row, and the session is abandoned', () => {
    const last = callsOf('06-e2e-refused').slice(-4);
    expect(last.map((call) => [call.on, call.failed])).toEqual(Array(4).fill(['just e2e', true]));
    expect(linesOf('06-e2e-refused').at(-1)?.type).toBe('user');
  });

  test('friction: one file is edited six times, and the session ends well', () => {
    const calls = callsOf('08-config-limits');
    const edits = calls.filter(
      (call) => call.name === 'Edit' && call.on.endsWith('/src/config.ts'),
    );
    expect(edits).toHaveLength(6);
    expect(calls.at(-1)?.failed).toBe(false);
  });

  test('an error: the last tool call of a session failed, and nowhere else but where it was abandoned', () => {
    const failing = sessions.filter(({ name }) => callsOf(name).at(-1)?.failed === true);
    expect(failing.map(({ name }) => name)).toEqual(['06-e2e-refused', '14-dependency-bump']);
    expect(saidIn('14-dependency-bump')).toContain('I stopped here');
  });

  test('a handoff: the partial one is put before a later session, which does the work', () => {
    const handoffs = JSON.parse(read('fleet/handoffs.json')) as Record<string, string>[];
    const note = handoffs.find((each) => each['status'] === 'partial');
    const lines = linesOf('12-chunked-limit');
    const at = lines.findIndex((line) => line.isMeta === true && line.type === 'user');
    const context = String(lines[at]?.message?.content);
    expect(context).toContain(note?.['summary']);
    const mark = note?.['session']?.replaceAll('-', '').slice(0, 12);
    expect(context).toContain(`<credence-context ids="${mark}">`);
    expect(at).toBeLessThan(callsOf('12-chunked-limit')[0]?.line ?? 0);
    expect(callsOf('12-chunked-limit').some((call) => call.name === 'Edit')).toBe(true);
  });

  test('a handoff: which sessions had one put before them is said for the replay, as a hook would record it', () => {
    expect(JSON.parse(read('fleet/shown.json'))).toEqual({
      [sessionIdOf('12-chunked-limit')]: [sessionIdOf('02-upload-limit')],
    });
  });

  test('a handoff: the blocked one is in no later context', () => {
    const mark = sessionIdOf('10-release-blocked').replaceAll('-', '').slice(0, 12);
    for (const [name, text] of texts) expect(text.includes(mark), name).toBe(false);
  });

  test('a contradiction: two agents, two days, two ports, each with a command that shows it', () => {
    const port = (name: string, number: number): boolean =>
      commandsOf(name).some(
        (c) => !c.failed && c.output.includes(`port ${number} [tcp/*] succeeded`),
      );
    expect([port('04-staging-logs', 2222), port('04-staging-logs', 2200)]).toEqual([true, false]);
    expect([port('10-release-blocked', 2222), port('10-release-blocked', 2200)]).toEqual([
      false,
      true,
    ]);
    expect(saidIn('04-staging-logs')).toContain('SSH on staging answers on port 2222');
    expect(saidIn('10-release-blocked')).toContain('SSH on staging answers on port 2200');
    expect(agentOf('04-staging-logs')).not.toBe(agentOf('10-release-blocked'));
  });

  const FINDING =
    '`just migrate` must run before `just test` in a fresh clone, or the store tests fail with "no such table: uploads".';
  const tried = (name: string): boolean => {
    const ran = commandsOf(name).filter((call) => /^just (test|migrate)$/.test(call.on));
    return (
      ran[0]?.output.includes('no such table: uploads') === true && ran[1]?.on === 'just migrate'
    );
  };

  test('an echo: what cc-01 found is put before cc-03, who repeats it and runs nothing', () => {
    expect([agentOf('01-first-look'), tried('01-first-look')]).toEqual(['cc-01', true]);
    expect(saidIn('01-first-look')).toContain(FINDING);
    const lines = linesOf('07-contributing');
    const attached = lines.findIndex((l) => l.attachment?.type === 'hook_additional_context');
    const block = lines[attached]?.attachment?.content.join('\n') ?? '';
    expect(block).toMatch(/^<credence-context ids="[0-9a-f]{12}">\n[\s\S]*\n<\/credence-context>$/);
    expect(block).toContain(FINDING);
    expect(attached).toBeLessThan(lines.findIndex((line) => line.type === 'assistant'));
    expect(saidIn('07-contributing')).toContain(FINDING);
    expect(commandsOf('07-contributing').some((c) => /^just (test|migrate)/.test(c.on))).toBe(
      false,
    );
    expect(agentOf('07-contributing')).toBe('cc-03');
  });

  test('independence: cc-05 finds the same by running it, and was shown nothing of it', () => {
    expect([agentOf('09-sweep'), tried('09-sweep')]).toEqual(['cc-05', true]);
    expect(saidIn('09-sweep')).toContain(
      'fail with "no such table: uploads" until `just migrate` has run',
    );
    const text = texts.get('09-sweep') ?? '';
    expect(text).not.toContain('credence-context');
    expect(text).not.toMatch(/README\.md|contributing\.md/);
  });

  test('a hypothesis with a date, and an outcome of another agent that settles it before', () => {
    const guess = saidIn('03-flaky-upload');
    expect(guess).toContain('Hypothesis: the flaky upload test is a clock problem.');
    expect(guess).toContain('To be checked by 2026-03-11');
    const runs = commandsOf('13-clock-fix').filter((call) => call.on === 'just repeat upload 50');
    expect(runs.map((run) => run.output.match(/\d+ of 50/)?.[0])).toEqual(['45 of 50', '50 of 50']);
    expect(saidIn('13-clock-fix')).toContain('The flaky upload test is a clock problem');
    expect(linesOf('13-clock-fix').at(-1)?.timestamp?.slice(0, 10)).toBe('2026-03-10');
    expect(agentOf('03-flaky-upload')).not.toBe(agentOf('13-clock-fix'));
  });

  test('hypotheses that settle nothing: one that its own session answers, one whose date passes', () => {
    expect(saidIn('11-slow-sweep')).toContain('Hypothesis: the slow sweep is a missing index');
    expect(saidIn('10-release-blocked')).toMatch(/Hypothesis: the port [\s\S]*by 2026-03-11/);
  });

  test('a preference that a person states in a prompt', () => {
    expect(promptsOf('01-first-look')[0]).toContain(
      'Please keep answers short, and no emoji in commit messages.',
    );
  });

  test('a convention that two agents see for themselves', () => {
    for (const name of ['01-first-look', '03-flaky-upload']) {
      const [npm, just] = [/^npm (run )?test/, /^(just|cat justfile)/].map((pattern) =>
        commandsOf(name).find((call) => pattern.test(call.on)),
      );
      expect(npm?.failed, name).toBe(true);
      expect(just?.line, name).toBeGreaterThan(npm?.line ?? Number.NaN);
      expect(saidIn(name), name).toContain('This repo uses just, not npm scripts');
      expect(texts.get(name), name).not.toContain('credence-context');
    }
    expect(agentOf('01-first-look')).not.toBe(agentOf('03-flaky-upload'));
  });

  test('outcomes: a green test run prints its commit, and commits print their line', () => {
    const green = sessions.flatMap(({ name }) =>
      commandsOf(name).flatMap((call) =>
        /just test$/.test(call.on) && !call.failed ? [call.output] : [],
      ),
    );
    expect(green.length).toBeGreaterThanOrEqual(10);
    for (const output of green)
      expect(output).toMatch(/tidepool [0-9a-f]{7}\n[\s\S]*Tests {2}\d+ passed/);
    const commits = sessions.flatMap(({ name }) =>
      commandsOf(name).flatMap((call) =>
        call.on.includes('git commit') ? [call.output.match(/^\[\S+ ([0-9a-f]{7})\] \S/)?.[1]] : [],
      ),
    );
    expect(commits).toHaveLength(11);
    expect(new Set(commits).size).toBe(11);
    expect(commits).not.toContain(undefined);
    expect(green.some((output) => output.startsWith('tidepool e6b0c37\n'))).toBe(true);
  });

  test('a change of the world: the limit is 25 MB, and 40 MB from 10 March on', () => {
    const limit = (name: string): string | undefined =>
      commandsOf(name)
        .findLast((call) => call.on === 'just config')
        ?.output.match(/upload\.max_mb = (\d+)/)?.[1];
    expect([limit('02-upload-limit'), limit('12-chunked-limit')]).toEqual(['25', '40']);
    expect(promptsOf('12-chunked-limit').join()).toContain('from today on the limit is 40 MB');
  });

  test('a subagent: a sidechain in a file of its own, inside the call that started it', () => {
    const story = stories.find((each) => each.head.has('parent')) as Story;
    const parent = linesOf('02-upload-limit');
    const id = story.head.get('subagent');
    expect(transcriptPath(story)).toMatch(
      new RegExp(`/${sessionIdOf('02-upload-limit')}/subagents/agent-${id}\\.jsonl$`),
    );
    const side = linesOf(story.name);
    expect(side.every((line) => line.isSidechain === true && line.agentId === id)).toBe(true);
    const call = callsOf('02-upload-limit').find((each) => each.name === 'Task');
    const result = parent.find((line) => line.toolUseResult?.agentId === id);
    const start = parent[call?.line ?? -1]?.timestamp ?? '';
    expect(start < (side[0]?.timestamp ?? '')).toBe(true);
    expect((side.at(-1)?.timestamp ?? '~') < (result?.timestamp ?? '')).toBe(true);
    expect(parent.some((line) => line.data?.type === 'agent_progress')).toBe(true);
  });

  test('a secret in one session only, and in no source of it', () => {
    const secret = ['postgres:', '', 'app:not-a-real-password@db.internal', 'tide'].join('/');
    expect([...texts].filter(([, text]) => text.includes(secret)).map(([name]) => name)).toEqual([
      '11-slow-sweep',
    ]);
    for (const { name } of stories) expect(read(`story/${name}.txt`)).not.toContain('not-a-real');
  });

  test('a private block in one prompt', () => {
    const all = sessions.filter(({ name }) => promptsOf(name).join().includes('<private>'));
    expect(all.map(({ name }) => name)).toEqual(['11-slow-sweep']);
    expect(promptsOf('11-slow-sweep')[0]).toMatch(/<private>\n[\s\S]+\n<\/private>/);
  });

  test('a compaction: a boundary, then the summary that replaces what came before', () => {
    const lines = linesOf('11-slow-sweep');
    const at = lines.findIndex((line) => line.subtype === 'compact_boundary');
    expect(lines[at]?.logicalParentUuid).toBe(lines[at - 1]?.uuid);
    expect(lines[at + 1]?.isCompactSummary).toBe(true);
    expect(lines[at + 1]?.parentUuid).toBe(lines[at]?.uuid);
  });

  test('a session that is taken up again two days later, in the same file', () => {
    const lines = linesOf('09-sweep');
    const at = lines.findIndex((line) => line.data?.hookName === 'SessionStart:resume');
    const days = [lines[at - 1], lines[at]].map((line) => line?.timestamp?.slice(0, 10));
    expect(days).toEqual(['2026-03-07', '2026-03-09']);
    expect(lines[0]).toMatchObject({ type: 'summary', leafUuid: lines[at - 1]?.uuid });
  });

  test('a prompt in Chinese, with a Latin word glued to it', () => {
    expect(promptsOf('05-health-check')[0]).toMatch(/\p{Script=Han}just test\p{Script=Han}/u);
    expect(saidIn('05-health-check')).toMatch(/\p{Script=Han}{4}/u);
  });
});

describe('a story', () => {
  const HEAD = 'cwd: /x\nversion: 2.1.63\nmodel: m\nbranch: main\nat: 2026-03-02T09:00:00Z\n';

  test.each([
    ['has a head line without a colon', 'agent cc-01\n\n== prompt\nhi\n', "'agent cc-01'"],
    ['has no step', `${HEAD}\nhi\n`, 'it has no step'],
    ['lacks a head value', 'cwd: /x\n\n== prompt\nhi\n', "lacks 'version'"],
    [
      'gives a time without a zone',
      `${HEAD.replace('0Z', '0')}\n== prompt\nhi\n`,
      'not an instant',
    ],
    ['has a step of no known kind', `${HEAD}\n== dance\n`, "'dance'"],
  ])('that %s is refused', (_what, text, reason) => {
    expect(() => play(readStory('x', text))).toThrow(reason);
  });

  test('keeps indentation and inner empty lines, and drops the outer ones', () => {
    const story = readStory('x', `${HEAD}\n== bash ls -l\n\n  a\n\n  b\n\n-- exit 3\n`);
    expect(story.steps[0]).toMatchObject({ kind: 'bash', arg: 'ls -l', text: '  a\n\n  b' });
    expect(story.steps[0]?.options.get('exit')).toBe('3');
  });
});
