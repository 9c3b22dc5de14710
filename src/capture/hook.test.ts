import { describe, expect, test } from 'vitest';
import {
  BRIEF,
  BRIEF_PATH,
  GIT,
  hook,
  ITEM,
  NOW,
  payload,
  RUNTIME,
  spooledIn,
} from '../../test/kit/hook-call.ts';
import { type MemoryFiles, memoryFiles } from '../../test/kit/memory-files.ts';
import { parseSpool } from '../lake/read-spool.ts';
import { HOOK_EVENTS } from '../runtime/claude-code/hook.ts';
import type { HookedRuntime } from '../runtime/hooked.ts';
import { FAULT_PATH, pausedPath, spoolPath } from './paths.ts';
import type { HookSettings } from './settings.ts';

describe('one event', () => {
  test('is one line in its session’s file, with who, where and when', () => {
    const files = memoryFiles(GIT);
    const result = hook(
      'UserPromptSubmit',
      payload('UserPromptSubmit', { prompt: 'Fix it' }),
      files,
    );
    expect(result).toEqual({ output: '{}', sync: false });
    const [line, ...more] = parseSpool(files.files.get(spoolPath('claude-code', 's1')) ?? '').lines;
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      line_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      recognised: true,
      transcript: '/t/s1.jsonl',
      native: { key: expect.stringMatching(/^prompt:/), counted: true },
      envelope: {
        event_type: 'prompt',
        content: 'Fix it',
        agent_id: 'cc-01',
        fleet_id: 'acme',
        host_id: '0123456789abcdef',
        repo: 'github.com/acme/web',
        branch: 'main',
        emitted_at: '2026-03-04T04:53:20.000Z',
      },
    });
  });

  test('two events have two line ids', () => {
    const files = memoryFiles(GIT);
    hook('Stop', payload('Stop'), files);
    hook('Stop', payload('Stop'), files);
    expect(new Set(spooledIn(files).map((line) => line.line_id)).size).toBe(2);
  });

  test('a subagent’s has a file of its own', () => {
    const files = memoryFiles(GIT);
    hook(
      'PreToolUse',
      payload('PreToolUse', { agent_id: 'a7', tool_name: 'Read', tool_use_id: 't' }),
      files,
    );
    expect([...files.files.keys()].filter((path) => path.startsWith('spool/'))).toEqual([
      'spool/claude-code/s1%3Aa7.ndjson',
    ]);
  });

  test('a session whose id climbs stays in the spool', () => {
    const files = memoryFiles(GIT);
    hook('Stop', payload('Stop', { session_id: '../../../etc/cron.d/x' }), files);
    const [path = ''] = [...files.files.keys()].filter((name) => name.endsWith('.ndjson'));
    expect(path).toMatch(/^spool\/claude-code\/[A-Za-z0-9%][A-Za-z0-9%._-]*\.ndjson$/);
  });
});

describe('the lineage is on disk before the answer', () => {
  const start = payload('SessionStart', { source: 'startup' });
  test('a start with a briefing: the line that is appended names what is shown', () => {
    const files = memoryFiles({ ...GIT, ...BRIEF });
    const result = hook('SessionStart', start, files);
    expect(result.output).toContain('- one');
    expect(spooledIn(files)[0]?.envelope.injected_context).toEqual([ITEM]);
    expect(result.started).toEqual({ session_id: 's1', transcript_path: '/t/s1.jsonl' });
  });

  test('an append that throws leaves no answer', () => {
    const files = memoryFiles({ ...GIT, ...BRIEF }, { refuse: (what) => what === 'append' });
    expect(() => hook('SessionStart', start, files)).toThrow('no space');
  });

  test('the line is on disk before the answer is made into what is printed', () => {
    const files = memoryFiles({ ...GIT, ...BRIEF });
    const made: [answer: string, shown: unknown][] = [];
    const watched: HookedRuntime = {
      ...RUNTIME,
      formatAnswer(eventName, answer) {
        made.push([answer.kind, spooledIn(files)[0]?.envelope.injected_context]);
        return RUNTIME.formatAnswer(eventName, answer);
      },
    };
    expect(hook('SessionStart', start, files, {}, { runtime: watched }).output).toContain(
      'digest:d1',
    );
    expect(made).toEqual([['context', [ITEM]]]);
  });

  test.each<[string, string, Record<string, string>, string, object]>([
    ['a briefing', 'SessionStart', { [BRIEF_PATH]: '{"version":1}' }, '{}', { source: 'startup' }],
    [
      'a briefing',
      'UserPromptSubmit',
      { [BRIEF_PATH]: '{"version":1,"triggers":[7]}' },
      '{}',
      { prompt: 'x' },
    ],
    [
      'a roster',
      'PreToolUse',
      { 'live.json': '{"version":1,"intents":7}' },
      '{}',
      { tool_name: 'Edit', tool_use_id: 't', tool_input: { file_path: '/w/src/a.ts' } },
    ],
  ])(
    '%s in the wrong shape costs %s its answer, never the event',
    (_what, event, more, output, fields) => {
      const files = memoryFiles({ ...GIT, ...more });
      expect(hook(event, payload(event, fields), files).output).toBe(output);
      expect(spooledIn(files)).toHaveLength(1);
    },
  );

  test('whatever is wrong with what an answer rests on, the event is kept', () => {
    const files = memoryFiles(GIT);
    const broken: MemoryFiles = {
      ...files,
      read(path) {
        if (path.startsWith('brief/')) throw new Error('no');
        return files.read(path);
      },
    };
    expect(hook('SessionStart', start, broken).output).toBe('{}');
    expect(spooledIn(files)).toHaveLength(1);
  });
});

describe('where nothing is to be captured', () => {
  test.each<[string, Record<string, string>, Partial<HookSettings>]>([
    ['a pause', {}, { pause: true }],
    ['an excluded folder', {}, { exclude: ['/w'] }],
    ['a project that says so', { '/w/credence.toml': 'pause = true' }, {}],
    ['a project file that can’t be read', { '/w/credence.toml': '[store]' }, {}],
    ['a project of another fleet', { '/w/credence.toml': 'fleet_id = "other"' }, {}],
  ])('%s: nothing is written, nothing is said', (_what, more, set) => {
    for (const event of HOOK_EVENTS) {
      const files = memoryFiles({ ...GIT, ...BRIEF, ...more });
      expect(hook(event, payload(event, { source: 'startup', prompt: 'x' }), files, set)).toEqual({
        output: '{}',
        sync: false,
      });
      expect(files.log.filter((line) => line.includes('spool/'))).toEqual([]);
      // Times alone, so that the transcript does not bring it in later; and of a project's file where it was.
      const written = [...files.files].filter(([path]) =>
        files.log.some((line) => line.endsWith(` ${path}`)),
      );
      for (const [path, text] of written)
        expect(text, path).toMatch(
          path === FAULT_PATH ? /^\{"at":\d+,"cwd":"\/w","root":"\/w","fault":"/ : /^paused \d+\n$/,
        );
      expect(written.length).toBeGreaterThan(0);
    }
  });

  test('a pause that is over is noted with the next event', () => {
    const files = memoryFiles(GIT);
    hook('Stop', payload('Stop'), files, { pause: true });
    hook('Stop', payload('Stop'), files, { pause: true });
    hook('Stop', payload('Stop'), files);
    expect(files.files.get(pausedPath('claude-code', 's1'))).toBe(
      `paused ${NOW}\nresumed ${NOW}\n`,
    );
    expect(spooledIn(files)).toHaveLength(1);
  });

  test('a log that takes nothing more does not cost the event', () => {
    const log = pausedPath('claude-code', 's1');
    const files = memoryFiles(
      { ...GIT, [log]: `paused ${NOW}\n` },
      { refuse: (_what, path) => path === log },
    );
    expect(hook('Stop', payload('Stop'), files).output).toBe('{}');
    expect(spooledIn(files)).toHaveLength(1);
  });

  test.each<[string, Record<string, string>, number]>([
    ['where the session was paused last', { [pausedPath('claude-code', 's1')]: 'paused 1\n' }, 0],
    ['where it went on since', { [pausedPath('claude-code', 's1')]: 'paused 1\nresumed 2\n' }, 1],
    ['of which nothing is known', {}, 1],
  ])('an event without a folder, %s', (_what, more, lines) => {
    const files = memoryFiles({ ...GIT, ...more });
    hook('Stop', payload('Stop', { cwd: undefined }), files);
    expect(spooledIn(files)).toHaveLength(lines);
  });

  test('an event without a folder is taken for one in the folder of the session’s last', () => {
    const files = memoryFiles(GIT);
    const text = 'a "cwd":"/elsewhere" \\"cwd\\":\\"/elsewhere\\"';
    hook('UserPromptSubmit', payload('UserPromptSubmit', { prompt: text }), files);
    const read = {
      cwd: undefined,
      tool_name: 'Read',
      tool_use_id: 't',
      tool_input: { file_path: '/w/src/a.ts' },
      tool_response: { file: { content: 'the plan' } },
    };
    files.files.set('/w/credence.toml', 'exclude = ["src/**"]');
    hook('PostToolUse', payload('PostToolUse', read), files);
    const last = spooledIn(files).at(-1)?.envelope;
    expect(last).toMatchObject({ repo: 'github.com/acme/web', tool: { name: 'Read' } });
    expect(last).not.toHaveProperty('cwd');
    expect(JSON.stringify(last)).not.toContain('the plan');
    files.files.set('/w/credence.toml', 'pause = true');
    hook('PostToolUse', payload('PostToolUse', read), files);
    expect(spooledIn(files)).toHaveLength(2);
  });

  test('an excluded path is captured without its content', () => {
    const files = memoryFiles({ ...GIT, '/w/credence.toml': 'exclude = ["src/**"]' });
    const read = {
      tool_name: 'Read',
      tool_use_id: 't',
      tool_input: { file_path: '/w/src/a.ts' },
      tool_response: { file: { content: 'the plan' } },
    };
    hook('PostToolUse', payload('PostToolUse', read), files);
    expect(JSON.stringify(spooledIn(files))).not.toContain('the plan');
    expect(spooledIn(files)[0]?.envelope.tool?.paths).toEqual(['/w/src/a.ts']);
  });
});

describe('a sync is asked for', () => {
  const stamp = 'run/sync.stamp';
  test.each<[string, object, number | undefined, boolean]>([
    ['SessionEnd', { reason: 'x' }, undefined, true],
    ['SessionEnd', { reason: 'x' }, 0, true],
    ['Stop', {}, undefined, true],
    ['Stop', {}, 59_999, false],
    ['Stop', {}, 60_000, true],
    ['Stop', {}, -5_000, true],
    ['SubagentStop', { agent_id: 'a' }, undefined, false],
    ['UserPromptSubmit', { prompt: 'x' }, undefined, false],
  ])('%s %j, %s ms after the last: %j', (event, fields, age, sync) => {
    const files = memoryFiles(
      age === undefined ? GIT : { ...GIT, [stamp]: '' },
      age === undefined ? {} : { ages: { [stamp]: age } },
    );
    expect(hook(event, payload(event, fields), files).sync).toBe(sync);
  });

  test('at most once a minute, and not while the agent is sent on', () => {
    const files = memoryFiles(GIT);
    expect([
      hook('Stop', payload('Stop'), files).sync,
      hook('Stop', payload('Stop'), files).sync,
    ]).toEqual([true, false]);
    const working = memoryFiles(GIT);
    hook('PreToolUse', payload('PreToolUse', { tool_name: 'Edit', tool_use_id: 't' }), working);
    const nudged = hook('Stop', payload('Stop'), working);
    expect(JSON.parse(nudged.output)).toMatchObject({ decision: 'block' });
    expect(nudged.sync).toBe(false);
    expect(hook('Stop', payload('Stop', { stop_hook_active: true }), working).sync).toBe(true);
  });

  test('not where the stamp could not be written', () => {
    const files = memoryFiles(GIT, { refuse: (what) => what === 'mark' });
    expect(hook('Stop', payload('Stop'), files).sync).toBe(false);
  });
});
