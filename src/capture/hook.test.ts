import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MemoryFiles, memoryFiles } from '../../test/kit/memory-files.ts';
import { HOOK_EVENTS } from '../runtime/claude-code/hook.ts';
import { Envelope } from '../runtime/envelope.ts';
import { HOOKED } from '../runtime/hooked.ts';
import type { BriefFile } from './brief-file.ts';
import { type HookResult, handleHook } from './hook.ts';
import { briefPath, spoolPath } from './paths.ts';
import type { HookSettings } from './settings.ts';
import { parseSpool, type SpoolLine } from './spool.ts';

const NOW = 1_772_600_000_000;
const settings: HookSettings = {
  fleet_id: 'acme',
  host_id: '0123456789abcdef',
  agents: { 'claude-code': 'cc-01' },
  pause: false,
  exclude: [],
  denied_paths: [],
  refuse_denied: false,
  handoffs: true,
  sync_command: [],
  handoff_command: 'credence handoff',
};
const GIT = {
  '/w/.git/config': '[remote "origin"]\nurl = git@github.com:acme/web.git',
  '/w/.git/HEAD': 'ref: refs/heads/main',
  '/w/src/a.ts': '',
};
const item = { kind: 'digest' as const, id: 'd1', source: 's0', observed_by: 'cc-02' };
const brief: BriefFile = {
  version: 1,
  position: 1,
  rendered_at: '2026-03-04T05:06:07.890Z',
  lines: [{ text: '- one', bytes: 6, items: [item] }],
  triggers: [],
};
const BRIEF = { [briefPath('cc-01', 'github.com/acme/web')]: JSON.stringify(brief) };

let drawn = 0;
function hook(
  event: string,
  received: Uint8Array | string,
  files: MemoryFiles = memoryFiles(GIT),
  set: Partial<HookSettings> = {},
): HookResult {
  const runtime = HOOKED['claude-code'];
  if (!runtime) throw new Error('no runtime');
  const world = {
    now: () => NOW,
    random: (bytes: number) => Buffer.alloc(bytes, String(++drawn).padStart(8, '0')),
  };
  const parts = {
    files,
    world,
    settings: { ...settings, ...set },
    secret: () => Buffer.alloc(32, 1),
  };
  return handleHook(
    'claude-code',
    runtime,
    event,
    typeof received === 'string' ? Buffer.from(received) : received,
    parts,
  );
}
const payload = (event: string, fields: object = {}) =>
  JSON.stringify({
    hook_event_name: event,
    session_id: 's1',
    cwd: '/w',
    transcript_path: '/t/s1.jsonl',
    ...fields,
  });
/** The lines of all spool files. */
const spooledIn = (files: MemoryFiles): SpoolLine[] =>
  [...files.files]
    .filter(([path]) => path.startsWith('spool/'))
    .flatMap(([, text]) => {
      const { lines, torn } = parseSpool(text);
      expect(torn).toBe(0);
      return lines;
    });

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
    expect(spooledIn(files)[0]?.envelope.injected_context).toEqual([item]);
    expect(result.started).toEqual({ session_id: 's1', transcript_path: '/t/s1.jsonl' });
  });

  test('an append that throws leaves no answer', () => {
    const files = memoryFiles({ ...GIT, ...BRIEF }, { refuse: (what) => what === 'append' });
    expect(() => hook('SessionStart', start, files)).toThrow('no space');
  });

  test('the append comes before anything is returned, and after nothing else is written', () => {
    const log: string[] = [];
    const files = memoryFiles({ ...GIT, ...BRIEF });
    const watched: MemoryFiles = {
      ...files,
      append(path, text) {
        log.push(`append ${text.includes('"id":"d1"')}`);
        files.append(path, text);
      },
    };
    const { output } = hook('SessionStart', start, watched);
    log.push(`answer ${output.includes('digest:d1')}`);
    expect(log).toEqual(['append true', 'answer true']);
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
      // Times alone, so that the transcript does not bring it in later.
      expect(files.log.filter((line) => line.includes('spool/'))).toEqual([]);
      expect(JSON.stringify(files.log)).not.toContain('prompt');
    }
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

describe('whatever arrives, there is a valid answer and one line', () => {
  const MB = 1024 * 1024;
  const whole = payload('UserPromptSubmit', { prompt: 'x'.repeat(200) });
  const deep = `{"hook_event_name":"PreToolUse","session_id":"s1","tool_name":"X","tool_use_id":"t","tool_input":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  type Row = readonly [
    what: string,
    event: string,
    received: Uint8Array | string,
    recognised: boolean,
    session: string,
  ];
  test.each<Row>([
    ['a payload that fits', 'UserPromptSubmit', whole, true, 's1'],
    ['truncated JSON', 'UserPromptSubmit', whole.slice(0, -50), false, 's1'],
    ['JSON that ends in its first field', 'UserPromptSubmit', whole.slice(0, 30), false, 'unknown'],
    ['no JSON', 'Stop', 'hello', false, 'unknown'],
    ['nothing', 'Stop', '', false, 'unknown'],
    ['a list', 'Stop', '[1,2]', false, 'unknown'],
    ['null', 'Stop', 'null', false, 'unknown'],
    ['a number', 'Stop', '7', false, 'unknown'],
    [
      '10 MB',
      'UserPromptSubmit',
      payload('UserPromptSubmit', { prompt: 'x'.repeat(10 * MB) }),
      true,
      's1',
    ],
    [
      '20 MB',
      'UserPromptSubmit',
      payload('UserPromptSubmit', { prompt: 'x'.repeat(20 * MB) }),
      false,
      's1',
    ],
    ['20 MB of no JSON', 'Stop', Buffer.alloc(20 * MB, 0xff), false, 'unknown'],
    ['NUL bytes between the fields', 'Stop', payload('Stop').replaceAll(',', '\0,'), true, 's1'],
    ['NUL alone', 'Stop', Buffer.alloc(1_000), false, 'unknown'],
    [
      'bad UTF-8',
      'Stop',
      Buffer.concat([
        Buffer.from(payload('Stop').slice(0, -1)),
        Buffer.from(',"a":"'),
        Buffer.from([0xff, 0xc0, 0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]),
      true,
      's1',
    ],
    [
      'lone surrogates',
      'UserPromptSubmit',
      payload('UserPromptSubmit', { prompt: 'a\ud800b\udc00' }),
      true,
      's1',
    ],
    [
      'lone surrogates in an id',
      'Stop',
      payload('Stop', { session_id: 's\ud800' }),
      true,
      's\ufffd',
    ],
    [
      'an event of a later version',
      'Notification',
      payload('Notification', { message: 'x' }),
      false,
      's1',
    ],
    ['an event without a name', '', payload(''), false, 's1'],
    ['a name that the payload does not repeat', 'Stop', '{"session_id":"s1"}', false, 's1'],
    ['nesting beyond any stack', 'PreToolUse', deep, true, 's1'],
    [
      'a session that is no text',
      'Stop',
      payload('Stop', { session_id: { a: 1 } }),
      false,
      'unknown',
    ],
    ['a folder that is no text', 'Stop', payload('Stop', { cwd: 7 }), true, 's1'],
    ['a folder that is not there', 'Stop', payload('Stop', { cwd: '/gone' }), true, 's1'],
    ['a folder with NUL', 'Stop', payload('Stop', { cwd: '/w\0/../etc' }), true, 's1'],
    [
      'a session of a megabyte',
      'Stop',
      payload('Stop', { session_id: 'x'.repeat(MB) }),
      true,
      'x'.repeat(79),
    ],
  ])('%s', (_what, event, received, recognised, session) => {
    const files = memoryFiles(GIT);
    const { output } = hook(event, received, files);
    expect(JSON.parse(output)).toEqual({});
    const [line, ...more] = spooledIn(files);
    expect(more).toEqual([]);
    expect(line?.recognised).toBe(recognised);
    expect(line?.envelope.session_id.startsWith(session)).toBe(true);
    expect(Envelope.safeParse({ ...line?.envelope, event_id: 'x' }).error).toBeUndefined();
    expect(JSON.stringify(line).length).toBeLessThan(1.2 * MB);
  });

  test('what is salvaged from a payload that is too large is its session, agent and folder', () => {
    const files = memoryFiles(GIT);
    hook(
      'PostToolUse',
      payload('PostToolUse', { agent_id: 'a7', tool_response: 'x'.repeat(17 * MB) }),
      files,
    );
    expect(spooledIn(files)[0]).toMatchObject({
      recognised: false,
      envelope: {
        session_id: 's1:a7',
        parent_session_id: 's1',
        cwd: '/w',
        repo: 'github.com/acme/web',
        event_type: 'other',
      },
    });
  });

  test('a secret in an unreadable payload does not reach the disk', () => {
    const key = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
    const files = memoryFiles(GIT);
    hook(
      'UserPromptSubmit',
      payload('UserPromptSubmit', { prompt: key, session_id: 's1' }).slice(0, -3),
      files,
    );
    hook('UserPromptSubmit', payload('UserPromptSubmit', { prompt: key }), files);
    expect([...files.files.values()].join('')).not.toContain(key);
  });

  test('any bytes, any event', () => {
    const text = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.json().map((json) => payload('Stop', { a: json }).slice(1)),
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      text.map((one) => Buffer.from(one)),
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom<string>(...HOOK_EVENTS), fc.string()),
        bytes,
        (event, received) => {
          const files = memoryFiles({ ...GIT, ...BRIEF });
          JSON.parse(hook(event, received, files).output);
          expect(spooledIn(files)).toHaveLength(1);
        },
      ),
      { numRuns: 300 },
    );
  });
});
