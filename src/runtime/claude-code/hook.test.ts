import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeShared } from '../../../test/kit/shared.ts';
import { HOOKED } from '../hooked.ts';
import { HOOK_EVENTS, readHook } from './hook.ts';

const NOW = '2026-03-04T05:06:07.890Z';
const common = {
  session_id: 's1',
  transcript_path: '/home/me/.claude/projects/-w/s1.jsonl',
  cwd: '/w',
};
const read = (event: string, payload: unknown) => readHook(event, payload, NOW);

describe('the nine events', () => {
  test('are those that a session meets', () => {
    expect(HOOK_EVENTS).toHaveLength(9);
    expect(Object.keys(HOOKED)).toEqual(['claude-code']);
  });

  type Row = readonly [event: string, payload: object, moment: string, event: object];
  const at = { emitted_at: NOW, session_id: 's1', cwd: '/w' };
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };
  const called = {
    ...at,
    event_type: 'tool_call',
    native: { key: 'tool:t1', counted: false },
    message_id: 't1',
  };
  const input = { name: 'Bash', input: '{"command":"ls"}' };

  test.each<Row>([
    [
      'SessionStart',
      { source: 'resume', model: 'claude-x' },
      'start',
      {
        ...at,
        event_type: 'session_start',
        native: { key: 'start:resume', counted: true },
        detail: 'resume',
        usage: { model: 'claude-x' },
      },
    ],
    [
      'UserPromptSubmit',
      { prompt: 'Fix it', prompt_id: 'p1', permission_mode: 'default' },
      'prompt',
      {
        ...at,
        event_type: 'prompt',
        native: { key: 'prompt', counted: true },
        role: 'user',
        content: 'Fix it',
        turn_id: 'p1',
      },
    ],
    ['PreToolUse', call, 'before_tool', { ...called, tool: input }],
    [
      'PostToolUse',
      {
        ...call,
        tool_response: { stdout: 'a', stderr: 'b', interrupted: false },
        duration_ms: 12.4,
      },
      'other',
      {
        ...called,
        tool: { ...input, result: 'a\nb', exit_code: 0, outcome: 'ok', duration_ms: 12 },
      },
    ],
    [
      'PostToolUseFailure',
      { ...call, error: 'Exit code 3\nno', is_interrupt: false },
      'other',
      { ...called, tool: { ...input, result: 'Exit code 3\nno', exit_code: 3, outcome: 'error' } },
    ],
    [
      'PostToolUseFailure',
      { ...call, error: 'stopped', is_interrupt: true },
      'other',
      { ...called, tool: { ...input, result: 'stopped', outcome: 'interrupted' } },
    ],
    [
      'PreCompact',
      { trigger: 'manual', custom_instructions: '' },
      'other',
      {
        ...at,
        event_type: 'compact',
        native: { key: 'compact:manual', counted: true },
        detail: 'manual',
      },
    ],
    [
      'Stop',
      { stop_hook_active: false, last_assistant_message: 'Done.' },
      'turn_end',
      {
        ...at,
        event_type: 'turn_end',
        native: { key: 'turn_end', counted: true },
        role: 'assistant',
        content: 'Done.',
      },
    ],
    [
      'SubagentStop',
      {
        agent_id: 'a7',
        agent_transcript_path: '/home/me/.claude/projects/-w/s1/subagents/agent-a7.jsonl',
      },
      'other',
      {
        emitted_at: NOW,
        session_id: 's1:a7',
        parent_session_id: 's1',
        cwd: '/w',
        event_type: 'turn_end',
        native: { key: 'turn_end', counted: true },
      },
    ],
    [
      'SessionEnd',
      { reason: 'prompt_input_exit' },
      'end',
      {
        ...at,
        event_type: 'session_end',
        native: { key: 'end:prompt_input_exit', counted: true },
        detail: 'prompt_input_exit',
      },
    ],
  ])('%s %j', (event, payload, moment, expected) => {
    const reading = read(event, { ...common, hook_event_name: event, ...payload });
    expect(reading.moment).toBe(moment);
    expect(reading.event).toEqual(expected);
    expect(reading.recognised).toBe(true);
    expect(Object.values(reading.event)).not.toContain(undefined);
  });

  test('all have a row above, and no name of a prototype is one', () => {
    for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty', '']) {
      expect(read(name, common)).toMatchObject({
        recognised: false,
        event: { event_type: 'other' },
      });
    }
  });
});

describe('what a shell call came to', () => {
  const result = (tool_response: unknown) =>
    read('PostToolUse', {
      ...common,
      tool_name: 'Bash',
      tool_use_id: 't',
      tool_input: { command: 'x' },
      tool_response,
    }).event.tool;

  test.each<[string, unknown, object]>([
    ['no output', { stdout: '', stderr: '', interrupted: false }, { outcome: 'ok', exit_code: 0 }],
    [
      'a code that was read as a finding',
      { stdout: '', stderr: '', returnCodeInterpretation: 'No matches found' },
      { outcome: 'ok' },
    ],
    ['in the background', { stdout: '', stderr: '', backgroundTaskId: 'b1' }, { outcome: 'ok' }],
    [
      'interrupted',
      { stdout: 'half', stderr: '', interrupted: true },
      { outcome: 'interrupted', result: 'half' },
    ],
    ['a plain text', 'out', { outcome: 'ok', exit_code: 0, result: 'out' }],
    ['nothing at all', undefined, { outcome: 'ok', exit_code: 0 }],
  ])('%s', (_what, response, expected) => {
    expect(result(response)).toEqual({ name: 'Bash', input: '{"command":"x"}', ...expected });
  });

  test('a tool that is no shell has no exit code, and its files are named', () => {
    const { event } = read('PostToolUse', {
      ...common,
      tool_name: 'Edit',
      tool_use_id: 't',
      tool_input: { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' },
      tool_response: { filePath: '/w/a.ts', originalFile: 'whole file', structuredPatch: [] },
    });
    expect(event.tool).toEqual({
      name: 'Edit',
      input: '{"file_path":"/w/a.ts","old_string":"a","new_string":"b"}',
      paths: ['/w/a.ts'],
      outcome: 'ok',
    });
  });

  test.each<[string, object, object]>([
    ['no error', {}, { result: '"failed"', outcome: 'error' }],
    [
      'an error that is no text',
      { error: { code: 1 } },
      { result: '{"code":1}', outcome: 'error' },
    ],
    [
      'under its other name',
      { error_message: 'Exit code 2' },
      { result: 'Exit code 2', exit_code: 2, outcome: 'error' },
    ],
    [
      'a person refused it',
      { error: "The user doesn't want to proceed with this tool use." },
      { outcome: 'denied' },
    ],
    [
      'a permission rule refused it',
      { error: 'Permission to use Bash with command x has been denied.' },
      { outcome: 'denied' },
    ],
  ])('failed with %s', (_what, payload, expected) => {
    const { event } = read('PostToolUseFailure', {
      ...common,
      tool_name: 'Bash',
      tool_use_id: 't',
      ...payload,
    });
    expect(event.tool).toMatchObject({ name: 'Bash', ...expected });
    if (!('exit_code' in expected)) expect(event.tool).not.toHaveProperty('exit_code');
  });
});

describe('subagents', () => {
  const agent = { ...common, agent_id: 'a7', agent_type: 'Explore' };
  test('are sessions of their own, below the one whose id they carry', () => {
    const reading = read('PreToolUse', {
      ...agent,
      tool_name: 'Read',
      tool_use_id: 't',
      tool_input: {},
    });
    expect(reading.event).toMatchObject({ session_id: 's1:a7', parent_session_id: 's1' });
    // The path in the payload is the parent's transcript.
    expect(reading).not.toHaveProperty('transcript');
  });

  test('name their own transcript when they stop', () => {
    const path = '/home/me/.claude/projects/-w/s1/subagents/agent-a7.jsonl';
    expect(read('SubagentStop', { ...agent, agent_transcript_path: path }).transcript).toBe(path);
  });

  test('a stop that says of none is not understood', () => {
    expect(read('SubagentStop', common)).toMatchObject({
      recognised: false,
      moment: 'other',
      event: { event_type: 'other', session_id: 's1', detail: 'SubagentStop' },
    });
  });
});

describe('a stop that a hook caused', () => {
  test.each<[unknown, boolean]>([
    [true, true],
    [false, false],
    ['true', false],
    [undefined, false],
  ])('stop_hook_active %j', (stop_hook_active, repeated) => {
    const reading = read('Stop', { ...common, stop_hook_active });
    expect(reading.repeated ?? false).toBe(repeated);
  });
});

describe('what does not fit is kept as `other`, with what could be read, and said', () => {
  const bash = { tool_name: 'Bash', tool_input: { command: 'ls' } };
  const input = { name: 'Bash', input: '{"command":"ls"}' };
  test.each<[string, string, object, object]>([
    ['a start without its source', 'SessionStart', {}, {}],
    ['a prompt without its text', 'UserPromptSubmit', { user_input: 'x' }, {}],
    ['a prompt that is no text', 'UserPromptSubmit', { prompt: 7 }, {}],
    [
      'a prompt in blocks',
      'UserPromptSubmit',
      { prompt: [{ type: 'text', text: 'Fix it' }] },
      { content: 'Fix it' },
    ],
    ['a call without its id', 'PreToolUse', bash, { tool: input }],
    [
      'a result without its id',
      'PostToolUse',
      { ...bash, tool_response: { stdout: 'a', stderr: '' } },
      { tool: { ...input, result: 'a', exit_code: 0, outcome: 'ok' } },
    ],
    [
      'a result without its tool',
      'PostToolUse',
      { tool_use_id: 't', tool_response: { a: 1 } },
      { message_id: 't', tool: { result: '{"a":1}', outcome: 'ok' }, asked: 'unknown' },
    ],
    [
      'a failure without its id',
      'PostToolUseFailure',
      { ...bash, error: 'no' },
      { tool: { ...input, result: 'no', outcome: 'error' } },
    ],
    ['a call that says nothing', 'PreToolUse', {}, {}],
    [
      'a subagent’s stop without the subagent',
      'SubagentStop',
      { last_assistant_message: 'Done.' },
      { content: 'Done.' },
    ],
    ['a compaction without its trigger', 'PreCompact', {}, {}],
    ['an event of a later version', 'Notification', { message: 'x' }, {}],
  ])('%s', (_what, event, payload, kept) => {
    const reading = read(event, { ...common, ...payload });
    expect(reading).toEqual({
      moment: 'other',
      recognised: false,
      transcript: common.transcript_path,
      event: {
        event_type: 'other',
        native: { key: `other:${event}`, counted: true },
        detail: event,
        emitted_at: NOW,
        session_id: 's1',
        cwd: '/w',
        ...kept,
      },
    });
  });

  test('a call whose payload does not say what came of it has no outcome', () => {
    const payload = { ...common, ...bash, tool_use_id: 't', duration_ms: 3 };
    expect(read('PostToolUse', payload).event.tool).toEqual({ ...input, duration_ms: 3 });
  });

  test('a result whose call asked what cannot be read is not judged by it', () => {
    const payload = { ...common, tool_name: 'X', tool_use_id: 't', tool_response: { a: 1 } };
    expect(read('PostToolUse', payload).event).toMatchObject({ asked: 'unknown' });
    const known = read('PostToolUse', { ...payload, tool_input: {} });
    expect(known.event).not.toHaveProperty('asked');
  });

  test('without a session the rest is still read', () => {
    expect(read('UserPromptSubmit', { prompt: 'x' })).toMatchObject({
      recognised: false,
      moment: 'prompt',
      event: { session_id: 'unknown', content: 'x' },
    });
  });

  test('an empty prompt is a prompt', () => {
    expect(read('UserPromptSubmit', { ...common, prompt: '' })).toMatchObject({
      recognised: true,
      event: { content: '' },
    });
  });

  test('an end without a reason is an end', () => {
    expect(read('SessionEnd', common)).toMatchObject({ moment: 'end', event: { detail: 'other' } });
  });

  test('any value at all gives an event', () => {
    const names = fc.oneof(fc.constantFrom<string>(...HOOK_EVENTS), fc.string());
    const fields = fc.constantFrom(
      ...'session_id agent_id cwd prompt source tool_name tool_use_id tool_input tool_response error trigger reason'.split(
        ' ',
      ),
    );
    const payload = fc.oneof(fc.anything(), fc.dictionary(fields, fc.anything()));
    fc.assert(
      fc.property(names, payload, (name, value) => {
        const { event } = read(name, value);
        expect(event.session_id).not.toBe('');
        expect(event.emitted_at).toBe(NOW);
        expect(event.native.key).not.toBe('');
      }),
      { numRuns: 500 },
    );
  });

  test('values nested deeper than any stack are passed over', () => {
    const deep = (): unknown => JSON.parse('['.repeat(200_000) + ']'.repeat(200_000));
    const payload = { ...common, tool_name: 'X', tool_use_id: 't' };
    const pre = read('PreToolUse', { ...payload, tool_input: deep() });
    const post = read('PostToolUse', { ...payload, tool_input: {}, tool_response: { a: deep() } });
    const failure = read('PostToolUseFailure', { ...payload, error: deep() });
    expect(pre.event.tool).toEqual({ name: 'X' });
    expect(post.event.tool).toEqual({ name: 'X', input: '{}', outcome: 'ok' });
    expect(failure.event.tool).toMatchObject({ name: 'X', outcome: 'error' });
  });

  test('ids of any length give a session id that a record holds, each its own', () => {
    const long = 'x'.repeat(1_000_000);
    const sessions = ['a', 'b'].map((end) =>
      read('Stop', { session_id: long + end, agent_id: long + end }),
    );
    for (const { event } of sessions) {
      expect(event.session_id.length).toBeLessThanOrEqual(256);
      expect(event.session_id.startsWith(`${event.parent_session_id}:`)).toBe(true);
    }
    expect(new Set(sessions.map(({ event }) => event.session_id)).size).toBe(2);
  });

  test('ids, folders and names are texts that UTF-8 can say, without NUL', () => {
    const { event, transcript } = read('PreToolUse', {
      session_id: 'a\ud800b\0',
      cwd: '/w/\udfff',
      transcript_path: '/t\0',
      tool_name: 'X\ud800',
      tool_use_id: 'i\0d',
      tool_input: { file_path: '/w/\ud83d' },
    });
    const texts = [event.session_id, event.cwd, event.message_id, event.tool?.name, transcript];
    for (const text of [...texts, ...(event.tool?.paths ?? [])]) {
      expect(text?.isWellFormed()).toBe(true);
      expect(text).not.toContain('\0');
    }
  });
});

describeShared('payloads captured from real runs', (shared) => {
  const folder = join(shared, 'fixtures/hooks/claude-code');
  test.each(readdirSync(folder))('%s is understood', (name) => {
    const payload = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, string>;
    const event = name.replace('.json', '');
    const reading = read(event, payload);
    expect(reading.recognised).toBe(true);
    expect(reading.transcript).toBe(payload['transcript_path']);
    expect(reading.event).toMatchObject({
      session_id: payload['session_id'],
      cwd: payload['cwd'],
      event_type: event === 'SessionStart' ? 'session_start' : 'prompt',
    });
    if (event === 'UserPromptSubmit') {
      expect(reading.event).toMatchObject({ content: 'say hi', turn_id: payload['prompt_id'] });
    }
  });
});
