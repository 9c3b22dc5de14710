import { describe, expect, test } from 'vitest';
import { memoryFiles } from '../../test/kit/memory-files.ts';
import { readHook } from '../runtime/claude-code/hook.ts';
import type { Checkout } from '../runtime/repo.ts';
import { answerTo, type Ground } from './answer-to.ts';
import type { BriefFile, LiveFile } from './brief-file.ts';
import { briefPath, LIVE_PATH, nudgedPath, spoolPath } from './paths.ts';
import type { HookSettings } from './settings.ts';

const NOW = 1_000_000;
const settings: HookSettings = {
  fleet_id: 'acme',
  host_id: 'h',
  agents: { 'claude-code': 'cc-01' },
  pause: false,
  exclude: [],
  denied_paths: [],
  refuse_denied: false,
  handoffs: true,
  claims: false,
  sync_command: [],
  handoff_command: 'credence handoff',
};
const checkout: Checkout = { repo: 'github.com/acme/web', root: '/w' };
const item = { kind: 'digest' as const, id: 'd1', source: 's0', observed_by: 'cc-02' };
const brief: BriefFile = {
  version: 1,
  position: 1,
  rendered_at: '2026-03-04T05:06:07.890Z',
  mode: 'agent',
  lines: [
    { text: '## Head', bytes: 8, items: [] },
    { text: '- one', bytes: 6, items: [item] },
  ],
  triggers: [{ text: '- two', bytes: 6, items: [item], terms: ['parser.ts'] }],
};
const live: LiveFile = {
  version: 1,
  intents: [{ agent: 'cc-02', session: 's0', repo: checkout.repo, path: 'src/a.ts', until: NOW }],
};
const WORK = '"event_type":"tool_call","tool":{"name":"Edit"}';
const FILES = {
  [briefPath('cc-01', checkout.repo)]: JSON.stringify(brief),
  [briefPath('unconfigured', checkout.repo)]: JSON.stringify({ ...brief, lines: [] }),
  [LIVE_PATH]: JSON.stringify(live),
  [spoolPath('claude-code', 's1')]: WORK,
};

function say(
  event: string,
  payload: object,
  ground: Partial<Omit<Ground, 'settings'>> & { settings?: Partial<HookSettings> } = {},
) {
  const reading = readHook(
    event,
    { session_id: 's1', cwd: '/w', ...payload },
    '2026-03-04T05:06:07.890Z',
  );
  return answerTo(reading, {
    runtimeName: 'claude-code',
    checkout,
    now: NOW,
    files: memoryFiles(FILES),
    exclude: [],
    ...ground,
    settings: { ...settings, ...ground.settings },
  });
}
const tool = (name: string, file_path: string) => ({
  tool_name: name,
  tool_use_id: 't',
  tool_input: { file_path },
});
const NOTHING = { answer: { kind: 'none' }, injected: [] };

describe('what each moment is answered with', () => {
  test('a start: the briefing, whose items are the lineage', () => {
    expect(say('SessionStart', { source: 'startup' })).toEqual({
      answer: { kind: 'context', text: expect.stringContaining('(this session: s1)\n- one') },
      injected: [item],
    });
  });

  test('a prompt: the lines that it calls up', () => {
    expect(say('UserPromptSubmit', { prompt: 'fix parser.ts' })).toEqual({
      answer: { kind: 'context', text: expect.stringContaining('- two') },
      injected: [item],
    });
    expect(say('UserPromptSubmit', { prompt: 'hello' })).toEqual(NOTHING);
  });

  test('a turn’s end after work: the nudge, never after a stop that a hook caused', () => {
    const files = memoryFiles(FILES);
    expect(say('Stop', { stop_hook_active: true }, { files })).toEqual(NOTHING);
    expect(files.files.has(nudgedPath('s1'))).toBe(false);
    expect(say('Stop', {}, { files }).answer.kind).toBe('continue');
    expect(say('Stop', {}, { files })).toEqual(NOTHING);
  });

  test.each<[string, object]>([
    ['SubagentStop', { agent_id: 'a7' }],
    ['PostToolUse', tool('Edit', '/w/src/a.ts')],
    ['PreCompact', { trigger: 'auto' }],
    ['SessionEnd', { reason: 'clear' }],
    ['Notification', {}],
    ['SessionStart', {}],
  ])('%s %j: nothing', (event, payload) => {
    expect(say(event, payload)).toEqual(NOTHING);
  });

  test.each<[string, string, object, Parameters<typeof say>[2]]>([
    ['no handoffs are wanted', 'Stop', {}, { settings: { handoffs: false } }],
    ['the folder is not known', 'SessionStart', { source: 'startup' }, { checkout: undefined }],
    [
      'another repo',
      'SessionStart',
      { source: 'startup' },
      { checkout: { ...checkout, repo: 'x/y' } },
    ],
    [
      'an agent without a briefing',
      'SessionStart',
      { source: 'startup' },
      { settings: { agents: { 'claude-code': 'cc-09' } } },
    ],
    [
      'an agent that nobody named',
      'SessionStart',
      { source: 'startup' },
      { settings: { agents: {} } },
    ],
  ])('%s: nothing', (_what, event, payload, ground) => {
    expect(say(event, payload, ground)).toEqual(NOTHING);
  });
});

describe('before a tool runs', () => {
  const collides = {
    answer: { kind: 'context', text: expect.stringContaining('cc-02 is editing') },
    injected: [],
  };
  const refuses = {
    answer: { kind: 'refuse', reason: expect.stringMatching(/denied/) },
    injected: [],
  };
  test.each<[string, object, Parameters<typeof say>[2], object]>([
    ['an edit where another is at work', tool('Edit', '/w/src/a.ts'), {}, collides],
    ['a write there', tool('Write', '/w/src/a.ts'), {}, collides],
    ['one of another runtime', tool('edit_file', '/w/src/a.ts'), {}, collides],
    ['a read there', tool('Read', '/w/src/a.ts'), {}, NOTHING],
    ['an edit elsewhere', tool('Edit', '/w/src/b.ts'), {}, NOTHING],
    ['an edit outside of the checkout', tool('Edit', '/x/src/a.ts'), {}, NOTHING],
    [
      'an edit in a folder that is not known',
      tool('Edit', '/w/src/a.ts'),
      { checkout: undefined },
      NOTHING,
    ],
    [
      'an edit of the other session',
      { ...tool('Edit', '/w/src/a.ts'), session_id: 's0' },
      {},
      NOTHING,
    ],
    ['a read of a denied file', tool('Read', '/w/.env'), {}, NOTHING],
    ['the same, refused', tool('Read', '/w/.env'), { settings: { refuse_denied: true } }, refuses],
    [
      'an edit of a denied file, refused',
      tool('Edit', '/w/.env'),
      { settings: { refuse_denied: true } },
      refuses,
    ],
    [
      'a file that the user denied',
      tool('Read', '/w/plan.md'),
      { settings: { refuse_denied: true, denied_paths: ['/w/plan.md'] } },
      refuses,
    ],
    [
      'a file that the project excluded',
      tool('Read', '/w/plan.md'),
      { settings: { refuse_denied: true }, exclude: ['/w/*.md'] },
      refuses,
    ],
    [
      'a command that prints a denied file',
      { tool_name: 'Bash', tool_use_id: 't', tool_input: { command: 'cd /w && cat .env' } },
      { settings: { refuse_denied: true } },
      refuses,
    ],
    [
      'a search in a denied file',
      { tool_name: 'Grep', tool_use_id: 't', tool_input: { pattern: 'KEY', path: '/w/.env' } },
      { settings: { refuse_denied: true } },
      refuses,
    ],
    ['any other file', tool('Read', '/w/a.ts'), { settings: { refuse_denied: true } }, NOTHING],
    [
      'a call that names no file',
      { tool_name: 'Bash', tool_use_id: 't', tool_input: { command: 'ls' } },
      { settings: { refuse_denied: true } },
      NOTHING,
    ],
  ])('%s', (_what, payload, ground, expected) => {
    expect(say('PreToolUse', payload, ground)).toEqual(expected);
  });
});

describe('a rendered file that is damaged is as none', () => {
  test.each([
    '',
    '{',
    'null',
    '7',
    '[]',
    '{"version":2}',
    JSON.stringify({ ...brief, version: 2 }),
  ])('%#', (text) => {
    const files = memoryFiles({
      ...FILES,
      [briefPath('cc-01', checkout.repo)]: text,
      [LIVE_PATH]: text,
    });
    expect(say('SessionStart', { source: 'startup' }, { files })).toEqual(NOTHING);
    expect(say('UserPromptSubmit', { prompt: 'parser.ts' }, { files })).toEqual(NOTHING);
    expect(say('PreToolUse', tool('Edit', '/w/src/a.ts'), { files })).toEqual(NOTHING);
  });
});
