import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeShared } from '../../../test/kit/shared.ts';
import { shortId } from '../../base/short-id.ts';
import type { Event } from '../envelope.ts';
import type { LineOutcome, TranscriptSource } from '../transcript.ts';
import { claudeTranscript } from './transcript.ts';

const T = (s: number) => `2026-03-04T05:06:${String(s).padStart(2, '0')}.000Z`;
const SOURCE: TranscriptSource = { session: 's1' };

/** A line of a transcript, `n` seconds in; its uuid is `u<n>`, its parent the line before. */
function line(n: number, fields: object): object {
  return {
    uuid: `u${n}`,
    parentUuid: n > 0 ? `u${n - 1}` : null,
    sessionId: 's1',
    cwd: '/w',
    version: '2.1.0',
    gitBranch: 'main',
    timestamp: T(n),
    ...fields,
  };
}
const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
});
const assistant = (content: unknown, more: object = {}) => ({
  type: 'assistant',
  message: {
    id: 'm1',
    model: 'claude-x',
    role: 'assistant',
    content,
    usage: { input_tokens: 3, output_tokens: 5 },
  },
  ...more,
});
const call = (id: string, name = 'Bash', input: unknown = { command: 'ls' }) => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const result = (id: string, content: unknown, is_error = false) =>
  user([{ type: 'tool_result', tool_use_id: id, content, is_error }]);

function readAll(lines: readonly (object | string)[], source = SOURCE): LineOutcome[] {
  const reader = claudeTranscript(source);
  return lines.map((one) => reader.line(typeof one === 'string' ? one : JSON.stringify(one)));
}
const eventsOf = (outcomes: readonly LineOutcome[]): Event[] =>
  outcomes.flatMap((outcome) => (outcome.kind === 'skipped' ? [] : outcome.events));
/** What a single line says, as `kind` or `skipped: reason`. */
const saidOf = (outcome: LineOutcome | undefined) =>
  outcome?.kind === 'skipped' ? `skipped: ${outcome.reason}` : outcome?.kind;
const one = (fields: object): Event => {
  const [event, ...more] = eventsOf(readAll([line(0, fields)]));
  expect(more).toEqual([]);
  expect(event).toBeDefined();
  return event as Event;
};

describe('each type of line', () => {
  const usage = { response_id: 'm1', model: 'claude-x', input_tokens: 3, output_tokens: 5 };
  test.each<[string, object, object]>([
    [
      'a prompt',
      user('Fix it'),
      {
        event_type: 'prompt',
        role: 'user',
        content: 'Fix it',
        native: { key: 'prompt', counted: true },
        message_id: 'u0',
      },
    ],
    [
      'a prompt in blocks',
      user([{ type: 'text', text: 'a' }, { type: 'image' }], { promptId: 'p' }),
      { event_type: 'prompt', content: 'a\n[image]', turn_id: 'p' },
    ],
    [
      'a text',
      assistant([{ type: 'text', text: ' Done. ' }]),
      {
        event_type: 'assistant',
        role: 'assistant',
        content: 'Done.',
        usage,
        native: { key: 'assistant:u0', counted: false },
      },
    ],
    ['a text that is no list', assistant('Done.'), { event_type: 'assistant', content: 'Done.' }],
    [
      'a thought',
      assistant([{ type: 'thinking', thinking: 'Hm.' }]),
      { event_type: 'assistant', role: 'thinking', content: 'Hm.' },
    ],
    [
      'a call',
      assistant([call('t1')]),
      {
        event_type: 'tool_call',
        message_id: 't1',
        native: { key: 'tool:t1', counted: false },
        usage,
        tool: { name: 'Bash', input: '{"command":"ls"}' },
      },
    ],
    [
      'an error of the runtime',
      assistant([{ type: 'text', text: 'API Error' }], { isApiErrorMessage: true }),
      { event_type: 'assistant', detail: 'api_error' },
    ],
    [
      'a hook summary',
      { type: 'system', subtype: 'stop_hook_summary' },
      { event_type: 'turn_end', native: { key: 'turn_end', counted: true } },
    ],
    [
      'a duration',
      { type: 'system', subtype: 'turn_duration', durationMs: 5 },
      { event_type: 'turn_end' },
    ],
    [
      'a compaction',
      { type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'manual' } },
      { event_type: 'compact', detail: 'manual', native: { key: 'compact:manual', counted: true } },
    ],
    [
      'a compaction that does not say why',
      { type: 'system', subtype: 'compact_boundary' },
      { event_type: 'compact', detail: 'auto' },
    ],
    [
      'an error',
      { type: 'system', subtype: 'api_error', content: 'busy' },
      { event_type: 'other', detail: 'api_error', role: 'system', content: 'busy' },
    ],
    [
      'a local command',
      { type: 'system', subtype: 'local_command', content: 'x' },
      { event_type: 'other', detail: 'local_command' },
    ],
    [
      'a start',
      { type: 'progress', data: { type: 'hook_progress', hookName: 'SessionStart:startup' } },
      {
        event_type: 'session_start',
        detail: 'startup',
        native: { key: 'start:startup', counted: true },
      },
    ],
    [
      'added context',
      {
        type: 'attachment',
        attachment: { type: 'hook_additional_context', content: [{ type: 'text', text: 'told' }] },
      },
      { event_type: 'other', detail: 'hook_additional_context', content: 'told' },
    ],
    [
      'a queued command',
      { type: 'attachment', attachment: { type: 'queued_command', prompt: 'later' } },
      { event_type: 'other', detail: 'queued_command', content: 'later' },
    ],
    [
      'a meta line',
      user('Caveat', { isMeta: true }),
      { event_type: 'other', detail: 'meta', role: 'user' },
    ],
    [
      'a summary of what was compacted',
      user('This session continues', { isCompactSummary: true }),
      { event_type: 'other', detail: 'compact_summary' },
    ],
    ['a caveat', user('<local-command-caveat>x'), { event_type: 'other', detail: 'meta' }],
    [
      'a command',
      user('<command-name>/clear</command-name>'),
      { event_type: 'other', detail: 'command' },
    ],
    [
      'output of a command',
      user('<local-command-stdout>x'),
      { event_type: 'other', detail: 'command_output' },
    ],
    [
      'a shell line typed by a person',
      user('<bash-input>ls</bash-input>'),
      { event_type: 'other', detail: 'shell_input' },
    ],
    [
      'its output',
      user('<bash-stdout>x</bash-stdout>'),
      { event_type: 'other', detail: 'shell_output' },
    ],
    [
      'a notice',
      user('<task-notification>x'),
      { event_type: 'other', detail: 'task_notification' },
    ],
    ['a reminder', user('<system-reminder>x'), { event_type: 'other', detail: 'meta' }],
    [
      'an interruption',
      user([{ type: 'text', text: '[Request interrupted by user]' }]),
      { event_type: 'other', detail: 'interrupted' },
    ],
  ])('%s', (_what, fields, expected) => {
    const event = one(fields);
    expect(event).toMatchObject({
      session_id: 's1',
      emitted_at: T(0),
      cwd: '/w',
      branch: 'main',
      runtime_version: '2.1.0',
      ...expected,
    });
    expect(Object.values(event)).not.toContain(undefined);
  });

  test.each<[object | string, string]>([
    ['', 'blank'],
    [' \t\r', 'blank'],
    ['{"type":"user","mess', 'malformed'],
    ['\0\0\0', 'malformed'],
    ['null', 'type:none'],
    ['[1]', 'type:none'],
    ['7', 'type:none'],
    [{ type: 'summary', summary: 'x' }, 'type:summary'],
    [{ type: 'file-history-snapshot' }, 'type:file-history-snapshot'],
    [{ type: 'a b; rm -rf /' }, 'type:unknown'],
    [{ type: 'x'.repeat(41) }, 'type:unknown'],
    [{ type: 7 }, 'type:none'],
    [{ type: 'system', subtype: 'informational' }, 'system:informational'],
    [{ type: 'system' }, 'system:none'],
    [{ type: 'progress', data: { type: 'bash_progress' } }, 'progress:bash_progress'],
    [{ type: 'progress', data: { hookName: 'SessionStart:<b>' } }, 'progress:none'],
    [{ type: 'attachment', attachment: { type: 'todo' } }, 'attachment:todo'],
    [{ type: 'attachment' }, 'attachment:none'],
    [user(''), 'user:empty'],
    [user([]), 'user:empty'],
    [{ type: 'user' }, 'user:empty'],
    [user([{ type: 'tool_result', content: 'no id' }]), 'user:empty'],
  ])('%j is skipped as %s', (text, reason) => {
    expect(saidOf(readAll([text])[0])).toBe(`skipped: ${reason}`);
  });
});

describe('one response', () => {
  test('in one line: thought, text and each call are one event each, the text after the thought', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'I look.' },
      call('t1'),
      call('t2', 'Read', { file_path: '/w/a' }),
    ];
    const events = eventsOf(readAll([line(0, assistant(content))]));
    expect(
      events.map((event) => [
        event.role ?? event.event_type,
        event.message_id,
        event.content,
        event.parent_message_id,
      ]),
    ).toEqual([
      ['thinking', 'u0:thinking', 'Hm.', undefined],
      ['assistant', 'u0', 'I look.', 'u0:thinking'],
      ['tool_call', 't1', undefined, undefined],
      ['tool_call', 't2', undefined, undefined],
    ]);
    expect(events.map((event) => event.native.key)).toEqual([
      'assistant:u0:thinking',
      'assistant:u0',
      'tool:t1',
      'tool:t2',
    ]);
    expect(new Set(events.map((event) => event.usage?.response_id))).toEqual(new Set(['m1']));
  });

  test('without an id reports its usage once', () => {
    const message = {
      content: [{ type: 'text', text: 'a' }, call('t1'), call('t2')],
      usage: { output_tokens: 5 },
    };
    const events = eventsOf(readAll([line(0, { type: 'assistant', message })]));
    expect(events.flatMap((event) => event.usage ?? [])).toEqual([{ output_tokens: 5 }]);
  });

  test('a made-up one has no usage, nor has one that reports none', () => {
    const synthetic = {
      model: '<synthetic>',
      content: [{ type: 'text', text: 'x' }],
      usage: { output_tokens: 0 },
    };
    expect(one({ type: 'assistant', message: synthetic })).not.toHaveProperty('usage');
    expect(one({ type: 'assistant', message: { content: [], model: 'm' } })).not.toHaveProperty(
      'usage',
    );
  });

  test('a call without an id is passed over', () => {
    expect(
      one(
        assistant([
          { type: 'tool_use', name: 'X' },
          { type: 'text', text: 'a' },
        ]),
      ),
    ).toMatchObject({ content: 'a' });
  });
});

describe('a call and its result are one event', () => {
  const done = {
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'seen' }] },
  };
  test.each<[string, object, object]>([
    ['in text', result('t1', 'seen'), { result: 'seen', outcome: 'ok' }],
    [
      'in blocks',
      result('t1', [{ type: 'text', text: 'seen' }]),
      { result: 'seen', outcome: 'ok' },
    ],
    [
      'as a structure, which says more',
      { ...done, toolUseResult: { stdout: 'o', stderr: '', interrupted: false } },
      { result: 'o', outcome: 'ok', exit_code: 0 },
    ],
    [
      'as a structure that is only a text',
      { ...done, toolUseResult: 'Error: x' },
      { result: 'seen', outcome: 'ok' },
    ],
    [
      'as a failure',
      result('t1', 'Exit code 2\nno', true),
      { result: 'Exit code 2\nno', outcome: 'error', exit_code: 2 },
    ],
    ['as a failure without words', result('t1', undefined, true), { result: '', outcome: 'error' }],
    ['as a refusal', result('t1', "The user doesn't want to proceed", true), { outcome: 'denied' }],
    [
      'as an interruption',
      result('t1', '[Request interrupted by user for tool use]', true),
      { outcome: 'interrupted' },
    ],
  ])('%s', (_what, fields, tool) => {
    const outcomes = readAll([line(0, assistant([call('t1')])), line(1, fields)]);
    expect(outcomes.map(saidOf)).toEqual(['imported', 'merged']);
    const [first, second] = eventsOf(outcomes);
    expect(second?.native).toEqual(first?.native);
    expect(second).toMatchObject({ event_type: 'tool_call', message_id: 't1', tool });
    expect(second?.tool).not.toHaveProperty('name');
  });

  test('a result whose call stood before the reader began is an event of its own', () => {
    expect(readAll([line(5, result('t9', 'x'))]).map(saidOf)).toEqual(['imported']);
  });

  test('a result is known after the state was saved and read again', () => {
    const before = claudeTranscript(SOURCE);
    before.line(JSON.stringify(line(0, assistant([call('t1')]))));
    const after = claudeTranscript(SOURCE, JSON.parse(JSON.stringify(before.state())));
    expect(saidOf(after.line(JSON.stringify(line(1, result('t1', 'x')))))).toBe('merged');
  });

  test('several results in one line, one of them new', () => {
    const both = user([
      { type: 'tool_result', tool_use_id: 't1', content: 'a' },
      { type: 'tool_result', tool_use_id: 't2', content: 'b' },
    ]);
    const outcomes = readAll([line(0, assistant([call('t1')])), line(1, both)]);
    expect(outcomes.map(saidOf)).toEqual(['imported', 'imported']);
    expect(eventsOf(outcomes).map((event) => event.message_id)).toEqual(['t1', 't1', 't2']);
  });
});

describe('a text beside a result', () => {
  const done = { type: 'tool_result', tool_use_id: 't1', content: 'seen' };
  test.each<[string, string, object]>([
    ['that a person typed', 'and then b', { event_type: 'prompt', content: 'and then b' }],
    [
      'that the runtime put there',
      '[Request interrupted by user for tool use]',
      { event_type: 'other', detail: 'interrupted' },
    ],
  ])('%s is an event of its own, after it', (_what, text, expected) => {
    const lines = [
      line(0, assistant([call('t1')])),
      line(1, user([{ type: 'text', text }, done])),
      line(2, assistant([{ type: 'text', text: 'b' }])),
    ];
    const outcomes = readAll(lines);
    expect(outcomes.map(saidOf)).toEqual(['imported', 'imported', 'imported']);
    const [, result, beside, next] = eventsOf(outcomes);
    expect(result).toMatchObject({ message_id: 't1', tool: { result: 'seen' } });
    expect(beside).toMatchObject({ ...expected, message_id: 'u1', parent_message_id: 't1' });
    expect(next).toMatchObject({ message_id: 'u2', parent_message_id: 'u1' });
  });

  test('that is empty is none', () => {
    const [outcome] = readAll([line(0, user([done, { type: 'text', text: '' }]))]);
    expect(eventsOf(outcome ? [outcome] : []).map((event) => event.event_type)).toEqual([
      'tool_call',
    ]);
  });
});

describe('parents', () => {
  const parents = (lines: readonly (object | string)[]) =>
    eventsOf(readAll(lines)).map((event) => [event.message_id, event.parent_message_id]);

  test('are resolved through lines that give no event', () => {
    expect(
      parents([
        line(0, user('a')),
        line(1, { type: 'progress', data: { type: 'bash_progress' } }),
        line(2, { type: 'system', subtype: 'informational' }),
        line(3, assistant([{ type: 'text', text: 'b' }])),
      ]),
    ).toEqual([
      ['u0', undefined],
      ['u3', 'u0'],
    ]);
  });

  test('are the tool call where the line above is one, and never the event itself', () => {
    expect(
      parents([
        line(0, user('a')),
        line(1, assistant([call('t1')])),
        line(2, result('t1', 'x')),
        line(3, assistant([{ type: 'text', text: 'b' }])),
      ]),
    ).toEqual([
      ['u0', undefined],
      ['t1', 'u0'],
      ['t1', undefined],
      ['u3', 't1'],
    ]);
  });

  test('that are not in the file are named as the line names them', () => {
    expect(parents([line(7, user('a'))])).toEqual([['u7', 'u6']]);
  });

  test('of the last 2,000 lines are remembered, and no more', () => {
    const reader = claudeTranscript(SOURCE);
    for (let n = 0; n < 2_500; n++) {
      reader.line(
        JSON.stringify(line(n, { type: 'system', subtype: 'informational', parentUuid: 'top' })),
      );
      reader.line(JSON.stringify(line(n, assistant([call(`t${n}`)], { uuid: undefined }))));
    }
    const state = reader.state() as { messages: unknown[]; calls: unknown[] };
    expect(state.messages).toHaveLength(2_000);
    expect(state.calls).toHaveLength(2_000);
  });
});

describe('lines that report one event together', () => {
  const summary = { type: 'system', subtype: 'stop_hook_summary' };
  const duration = { type: 'system', subtype: 'turn_duration' };
  const kinds = (lines: readonly object[]) => readAll(lines).map(saidOf);

  test('the hook summary and the duration of a turn', () => {
    expect(kinds([line(0, user('a')), line(1, summary), line(2, duration)])).toEqual([
      'imported',
      'imported',
      'merged',
    ]);
  });

  test('all lines that follow from the first', () => {
    const lines = [line(0, user('a')), line(1, summary), line(2, duration), line(3, duration)];
    expect(kinds(lines)).toEqual(['imported', 'imported', 'merged', 'merged']);
  });

  test('not those of two turns', () => {
    expect(
      kinds([
        line(0, user('a')),
        line(1, summary),
        line(2, duration),
        line(3, user('b')),
        line(4, summary),
        line(5, duration),
      ]),
    ).toEqual(['imported', 'imported', 'merged', 'imported', 'imported', 'merged']);
    expect(
      kinds([line(0, user('a')), line(1, duration), line(2, user('b')), line(3, duration)]),
    ).toEqual(Array(4).fill('imported'));
  });

  test('the hooks of one start, by the run that they name', () => {
    const start = (run: string | undefined) => ({
      type: 'progress',
      parentToolUseID: run,
      data: { hookName: 'SessionStart:resume' },
    });
    expect(
      kinds([
        line(0, start('r1')),
        line(1, start('r1')),
        line(2, start('r2')),
        line(3, start('r2')),
      ]),
    ).toEqual(['imported', 'merged', 'imported', 'merged']);
    expect(kinds([line(0, start(undefined)), line(1, start(undefined))])).toEqual([
      'imported',
      'imported',
    ]);
  });
});

describe('custom commands', () => {
  const command = (name: string, rest: string) =>
    user(
      `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>${rest}`,
    );
  test.each<[string, object, string]>([
    ['without arguments', command('review', ''), '/review'],
    [
      'with arguments',
      command('review', '\n<command-args>the parser</command-args>'),
      '/review the parser',
    ],
    [
      'with arguments that hold markup',
      command('review', '\n<command-args>why <div> fails</command-args>'),
      '/review why <div> fails',
    ],
    ['with empty arguments', command('x', '<command-args></command-args>'), '/x'],
  ])('%s are what was typed', (_what, fields, content) => {
    expect(one(fields)).toMatchObject({ event_type: 'prompt', content });
  });
});

describe('whose session a line is', () => {
  const session = (fields: object, source: TranscriptSource = SOURCE) => {
    const [event] = eventsOf(readAll([line(0, { ...user('a'), ...fields })], source));
    return [event?.session_id, event?.parent_session_id];
  };
  const sub: TranscriptSource = { session: 's1:a7', parent: 's1' };
  test.each<[string, object, TranscriptSource, (string | undefined)[]]>([
    ['its own', {}, SOURCE, ['s1', undefined]],
    ['the file says, where the line does not', { sessionId: undefined }, SOURCE, ['s1', undefined]],
    [
      'another, copied into the file of a resumed one',
      { sessionId: 's0' },
      SOURCE,
      ['s0', undefined],
    ],
    ['a subagent in a file of its own', { agentId: 'a7', isSidechain: true }, sub, ['s1:a7', 's1']],
    ['the same without the mark', { agentId: 'a7' }, sub, ['s1:a7', 's1']],
    ['the same without a session', { agentId: 'a7', sessionId: undefined }, sub, ['s1:a7', 's1']],
    [
      'a side chain in the file of its parent',
      { agentId: 'a7', isSidechain: true },
      SOURCE,
      ['s1:a7', 's1'],
    ],
    ['a side chain without a name', { isSidechain: true }, SOURCE, ['s1:sidechain', 's1']],
    ['a main line that only names an agent', { agentId: 'a7' }, SOURCE, ['s1', undefined]],
  ])('%s', (_what, fields, source, expected) => {
    expect(session(fields, source)).toEqual(expected);
  });
});

describe('times', () => {
  test('a line without one has that of the line before', () => {
    const events = eventsOf(
      readAll([
        line(3, user('a')),
        line(4, user('b', { timestamp: undefined })),
        line(5, user('c')),
      ]),
    );
    expect(events.map((event) => event.emitted_at)).toEqual([T(3), T(3), T(5)]);
  });

  test.each(['2026-03-04 05:06:07', '2026-03-04T05:06:07', 'yesterday', 17, null])(
    '%j is none, since it has no offset',
    (timestamp) => {
      expect(one(user('a', { timestamp })).emitted_at).toBe('1970-01-01T00:00:00.000Z');
    },
  );

  test('any offset is read', () => {
    expect(one(user('a', { timestamp: '2026-03-04T10:51:07+05:45' })).emitted_at).toBe(
      '2026-03-04T05:06:07.000Z',
    );
  });
});

describe('hostile lines', () => {
  test('a line of 50 MB', () => {
    const text = JSON.stringify(
      line(0, assistant([{ type: 'text', text: 'x'.repeat(50 * 1024 * 1024) }])),
    );
    const [event] = eventsOf(readAll([text]));
    expect(event?.content).toHaveLength(50 * 1024 * 1024);
  });

  test('a torn one does not hide the next', () => {
    const whole = JSON.stringify(line(0, user('a')));
    expect(readAll([whole.slice(0, 40), whole]).map(saidOf)).toEqual([
      'skipped: malformed',
      'imported',
    ]);
  });

  test('lone surrogates and NUL never reach an id or a folder', () => {
    const event = one(
      user('a\ud800', {
        uuid: 'u\ud800\0',
        cwd: '/w\udfff',
        sessionId: 's\ud800',
        gitBranch: '\ud800b',
        version: '\0',
      }),
    );
    for (const text of [event.session_id, event.message_id, event.cwd, event.branch])
      expect(text?.isWellFormed()).toBe(true);
    expect(event).not.toHaveProperty('runtime_version');
  });

  test('nesting beyond any stack', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const text = JSON.stringify(line(0, assistant([call('t1', 'X', 'DEEP')]))).replace(
      '"DEEP"',
      deep,
    );
    expect(eventsOf(readAll([text]))[0]?.tool).toEqual({ name: 'X' });
    const done = JSON.stringify(
      line(1, { ...result('t1', 'x'), toolUseResult: { a: 'DEEP' } }),
    ).replace('"DEEP"', deep);
    expect(eventsOf(readAll([done]))[0]?.tool).toEqual({ outcome: 'ok' });
    expect(saidOf(readAll([deep])[0])).toBe('skipped: type:none');
  });

  test('a line without a uuid is named by its bytes', () => {
    const bare = { ...line(0, assistant([{ type: 'text', text: 'a' }])), uuid: undefined };
    const [first, second, other] = eventsOf(readAll([bare, bare, { ...bare, timestamp: T(9) }]));
    expect(first?.native.key).toMatch(/^assistant:[0-9a-f]{32}$/);
    expect(second?.native).toEqual(first?.native);
    expect(other?.native.key).not.toBe(first?.native.key);
  });

  test('anything at all has one outcome, and every event of it a session', () => {
    const types = fc.constantFrom(
      'assistant',
      'user',
      'system',
      'progress',
      'attachment',
      'summary',
    );
    const anyLine = fc.record(
      {
        type: types,
        subtype: fc.constantFrom(
          'stop_hook_summary',
          'turn_duration',
          'compact_boundary',
          'api_error',
        ),
        uuid: fc.anything(),
        parentUuid: fc.anything(),
        sessionId: fc.anything(),
        agentId: fc.anything(),
        isSidechain: fc.anything(),
        timestamp: fc.anything(),
        message: fc.oneof(
          fc.anything(),
          fc.record({ content: fc.anything(), usage: fc.anything() }),
        ),
        toolUseResult: fc.anything(),
        data: fc.anything(),
        attachment: fc.anything(),
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(anyLine, fc.anything()), { maxLength: 6 }), (lines) => {
        const texts = lines.map(
          (value) =>
            JSON.stringify(value, (_k, v: unknown) => (typeof v === 'bigint' ? `${v}` : v)) ?? '',
        );
        for (const event of eventsOf(readAll(texts))) expect(event.session_id).not.toBe('');
      }),
      { numRuns: 300 },
    );
  });

  test('a saved state that is not one is an empty one', () => {
    for (const saved of [null, 7, [], { messages: 7, calls: [[1]], time: 3 }]) {
      const reader = claudeTranscript(SOURCE, saved);
      expect(saidOf(reader.line(JSON.stringify(line(0, user('a')))))).toBe('imported');
    }
  });
});

/** Every line of a file as the outcomes of one reading. */
function outcomesOf(texts: readonly string[], session: string): LineOutcome[] {
  const reader = claudeTranscript({ session });
  return texts.map((text) => reader.line(text));
}

describeShared('real transcripts', (shared) => {
  const fleet = join(shared, 'fixtures/fleet');
  const files = [
    ...readdirSync(fleet, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.jsonl'))
      .map((path) => join(fleet, path)),
    ...['claude-code-with-plan.jsonl', 'claude-code-with-thinking.jsonl'].map((name) =>
      join(shared, 'fixtures/transcripts', name),
    ),
  ].map((path) => ({ name: path.slice(-24), texts: readFileSync(path, 'utf8').split('\n') }));

  test('are 36 of a fleet and two of other versions', () => {
    expect(files).toHaveLength(38);
  });

  test('each line has one outcome; few are malformed, and no event lacks a session', () => {
    const tally = new Map<string, number>();
    for (const { name, texts } of files) {
      for (const outcome of outcomesOf(texts, name)) {
        const said = saidOf(outcome) ?? '';
        tally.set(said, (tally.get(said) ?? 0) + 1);
        for (const event of eventsOf([outcome]))
          expect(event.session_id, name).toMatch(/^(?:[0-9a-f-]{36}|test-session-\w+)$/);
      }
    }
    const lines = files.reduce((sum, { texts }) => sum + texts.length, 0);
    expect([...tally.values()].reduce((sum, count) => sum + count, 0)).toBe(lines);
    expect(tally.get('skipped: malformed')).toBe(1);
    expect([...tally.keys()].filter((said) => said.endsWith(':unknown'))).toEqual([]);
  });

  test('only the copies of a tool call are one event', () => {
    for (const { name, texts } of files) {
      const seen = new Map<string, string[]>();
      for (const event of eventsOf(outcomesOf(texts, name)).filter(
        ({ native }) => !native.counted,
      )) {
        const key = `${event.session_id} ${event.native.key}`;
        seen.set(key, [...(seen.get(key) ?? []), event.event_type]);
      }
      const repeated = [...seen.values()].filter((types) => types.length > 1).flat();
      expect(new Set(repeated), name).toEqual(new Set(repeated.length > 0 ? ['tool_call'] : []));
    }
  });

  test('a parent is a message that is there, or of a line that is not', () => {
    for (const { name, texts } of files) {
      const outcomes = outcomesOf(texts, name);
      const whole = texts.filter((_, i) => !saidOf(outcomes[i])?.match(/malformed|blank/));
      const uuids = new Set(whole.map((text) => (JSON.parse(text) as { uuid?: string }).uuid));
      const events = eventsOf(outcomes);
      const messages = new Set(events.map((event) => event.message_id));
      const parents = events.flatMap((event) => event.parent_message_id ?? []);
      const lost = parents.filter((parent) => uuids.has(parent) && !messages.has(parent));
      expect(lost, name).toEqual([]);
      expect(parents.length, name).toBeGreaterThan(0);
    }
  });

  test('reading in two halves is reading at once, wherever it is cut', () => {
    const smallest = Math.min(...files.map(({ texts }) => texts.length));
    for (const { name, texts } of files) {
      const whole = outcomesOf(texts, name);
      const cuts =
        texts.length === smallest
          ? texts.map((_, i) => i)
          : [1, 2, 3].map((quarter) => (texts.length * quarter) >> 2);
      for (const cut of cuts) {
        const first = claudeTranscript({ session: name });
        for (const text of texts.slice(0, cut)) first.line(text);
        const second = claudeTranscript(
          { session: name },
          JSON.parse(JSON.stringify(first.state())),
        );
        expect(texts.slice(cut).map((text) => second.line(text))).toEqual(whole.slice(cut));
      }
    }
  });
});

test('ids of any length are remembered short, and still say whose child a line is', () => {
  const long = (n: number) => `${n}${'x'.repeat(100_000)}`;
  const reader = claudeTranscript(SOURCE);
  const use = (n: number) => ({ type: 'tool_use', id: long(n), name: 'Bash', input: {} });
  const outcomes = Array.from({ length: 50 }, (_, n) => {
    const ids = { uuid: long(n), parentUuid: n > 0 ? long(n - 1) : null };
    const content = [{ type: 'text', text: `${n}` }, use(n)];
    return reader.line(JSON.stringify(line(n, assistant(content, ids))));
  });
  expect(JSON.stringify(reader.state()).length).toBeLessThan(100_000);
  const [, second] = outcomes.map((outcome) => ('events' in outcome ? outcome.events : []));
  expect(second?.[0]?.parent_message_id).toBe(shortId(long(0), 256));
  const result = user([{ type: 'tool_result', tool_use_id: long(7), content: 'done' }]);
  expect(reader.line(JSON.stringify(line(51, result)))).toMatchObject({
    kind: 'merged',
    events: [{ asked: { input: '{}' } }],
  });
});
