import { describe, expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import { memoryFiles } from '../../test/kit/memory-files.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { nudge } from './nudge.ts';
import { nudgedPath, spoolPath } from './paths.ts';
import type { HookSettings } from './settings.ts';
import { encodeLine } from './spool.ts';

const settings: HookSettings = {
  fleet_id: 'acme',
  host_id: 'h',
  agents: {},
  pause: false,
  exclude: [],
  denied_paths: [],
  refuse_denied: false,
  handoffs: true,
  claims: false,
  sync_command: [],
  handoff_command: "'/opt/node' 'main.js' handoff",
};
const RUNTIME = 'claude-code';
const SPOOL = spoolPath(RUNTIME, 's1');

let lines = 0;
function lineOf(key: string, fields: Partial<Envelope>): string {
  const { event_id: _, ...rest } = envelope({ session_id: 's1', ...fields });
  return encodeLine({
    line_id: `l${lines++}`,
    recognised: true,
    native: { key, counted: false },
    envelope: rest,
  });
}
const call = (id: string, name: string) =>
  lineOf(`tool:${id}`, { event_type: 'tool_call', tool: { name, input: '{}' } });
const prompt = (content: string) => lineOf('prompt', { content });
const say = (files: ReturnType<typeof memoryFiles>, session = 's1') =>
  nudge(RUNTIME, session, settings, files).answer.kind;

describe('what a nudge asks for', () => {
  const reason = (handoff_tool?: string) => {
    const files = memoryFiles({ [SPOOL]: call('1', 'Edit') });
    const { answer } = nudge(RUNTIME, 's1', { ...settings, handoff_tool }, files);
    return answer.kind === 'continue' ? answer.reason : '';
  };

  test('the tool where one is registered, and no command beside it', () => {
    const said = reason('mcp__credence__fleet_handoff');
    expect(said).toContain('Call mcp__credence__fleet_handoff once');
    expect(said).not.toContain('--session');
  });

  test('else the command, with the session', () => {
    expect(reason()).toContain("'/opt/node' 'main.js' handoff --session s1 --status");
  });
});

describe('a nudge after real work', () => {
  test.each<[string, Record<string, string>, string]>([
    ['nothing yet', {}, 'none'],
    ['a prompt', { [SPOOL]: prompt('hi') }, 'none'],
    ['two calls', { [SPOOL]: call('1', 'Read') + call('2', 'Bash') }, 'none'],
    [
      'one call that is seen before and after',
      { [SPOOL]: call('1', 'Read') + call('1', 'Read') + call('1', 'Read') },
      'none',
    ],
    [
      'three calls',
      { [SPOOL]: call('1', 'Read') + call('2', 'Bash') + call('3', 'Grep') },
      'continue',
    ],
    ['one edit', { [SPOOL]: call('1', 'Edit') }, 'continue'],
    ['one edit of another runtime', { [SPOOL]: call('1', 'write_file') }, 'continue'],
    ['a written file', { [SPOOL]: call('1', 'Write') }, 'continue'],
    ['a tool whose name only begins so', { [SPOOL]: call('1', 'EditorOpen') }, 'none'],
    [
      'words about an edit',
      {
        [SPOOL]: prompt(
          '"event_type":"tool_call","tool":{"name":"Edit"} "native":{"key":"tool:1"}',
        ),
      },
      'none',
    ],
    [
      'calls over a file that was sent and the open one',
      {
        'spool/claude-code/s1.1.sent': call('1', 'Read') + call('2', 'Read'),
        [SPOOL]: call('3', 'Read'),
      },
      'continue',
    ],
    [
      'an edit in a file that is being sent',
      { 'spool/claude-code/s1.7.draining': call('1', 'Edit'), [SPOOL]: prompt('hi') },
      'continue',
    ],
    [
      'the work of a session whose id begins the same',
      {
        'spool/claude-code/s1.2.ndjson': call('1', 'Edit'),
        'spool/claude-code/s10.ndjson': call('1', 'Edit'),
        'spool/claude-code/s1%3Aa7.ndjson': call('1', 'Edit'),
      },
      'none',
    ],
    ['an edit long ago', { [SPOOL]: call('1', 'Edit') + prompt('x'.repeat(600_000)) }, 'none'],
  ])('%s', (_what, files, kind) => {
    expect(say(memoryFiles(files))).toBe(kind);
  });

  test('is given once a session', () => {
    const files = memoryFiles({ [SPOOL]: call('1', 'Edit') });
    expect([say(files), say(files), say(files)]).toEqual(['continue', 'none', 'none']);
    expect(files.files.has(nudgedPath('s1'))).toBe(true);
  });

  test('is not given where it could not be remembered', () => {
    const files = memoryFiles(
      { [SPOOL]: call('1', 'Edit') },
      { refuse: (what) => what === 'mark' },
    );
    expect(say(files)).toBe('none');
  });

  test('says what to run, with the session, quoted for a shell', () => {
    const files = memoryFiles({ [spoolPath(RUNTIME, 's 1;rm -rf /')]: call('1', 'Edit') });
    const { answer, injected } = nudge(RUNTIME, 's 1;rm -rf /', settings, files);
    expect(answer).toMatchObject({ kind: 'continue' });
    expect(answer.kind === 'continue' && answer.reason).toContain(
      "\n'/opt/node' 'main.js' handoff --session s?1?rm?-rf?? --status done|partial|blocked --summary",
    );
    expect(injected).toEqual([]);
  });

  // What grew by the square of the size would not end in the time that a test has.
  test.each(['"event_type":"tool_call"', '"native":{"key":"tool:', '"event_type":"tool_call"\n'])(
    'a spool of nothing but %j shows no work',
    (piece) => {
      expect(say(memoryFiles({ [SPOOL]: piece.repeat(30_000) }))).toBe('none');
    },
  );
});
