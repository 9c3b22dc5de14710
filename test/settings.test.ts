import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CredenceError } from '../src/base/errors.ts';
import { BATCH_DEFAULTS, BATCH_SETTINGS } from '../src/home/batch-settings.ts';
import { formatDuration, type Setting } from '../src/home/setting-types.ts';
import {
  type Flags,
  Mode,
  modeParts,
  resolveSettings,
  SETTINGS,
  type SettingName,
  storeFolder,
  storeUrl,
} from '../src/home/settings.ts';

const defaults: Record<SettingName, unknown> = {
  store: 'file:///home/me/.credence/lake',
  fleet_id: 'local',
  'summarize.mode': 'agent',
  ...BATCH_DEFAULTS,
  'capture.pause': false,
  'capture.exclude': [],
  'capture.denied_paths': [],
  'capture.refuse_denied': false,
  'capture.idle_seal': '30m',
  'keys.passphrase_env': '',
};
const resolve = (
  from: {
    file?: Record<string, unknown>;
    env?: Record<string, string | undefined>;
    flags?: Flags;
  } = {},
) =>
  resolveSettings({
    defaults,
    file: from.file ?? {},
    env: from.env ?? {},
    flags: from.flags ?? {},
  });

describe('where a setting comes from', () => {
  test('the default, where nothing else says', () => {
    const { settings, sources } = resolve();
    expect(settings).toEqual({ ...defaults, 'capture.idle_seal': 1_800_000, agents: {} });
    expect(new Set(Object.values(sources))).toEqual(new Set(['default']));
    expect(Object.keys(sources).sort()).toEqual(Object.keys(SETTINGS).sort());
  });

  test.each<[Parameters<typeof resolve>[0], string, string]>([
    [{ file: { fleet_id: 'a' } }, 'a', 'file'],
    [{ file: { fleet_id: 'a' }, env: { CREDENCE_FLEET_ID: 'b' } }, 'b', 'environment'],
    [{ file: { fleet_id: 'a' }, env: { CREDENCE_FLEET_ID: '' } }, 'a', 'file'],
    [
      { file: { fleet_id: 'a' }, env: { CREDENCE_FLEET_ID: 'b' }, flags: { fleet_id: 'c' } },
      'c',
      'flag',
    ],
    [{ env: { CREDENCE_FLEET: 'b', FLEET_ID: 'b' } }, 'local', 'default'],
  ])('%j: %s from the %s', (from, value, source) => {
    const { settings, sources } = resolve(from);
    expect([settings.fleet_id, sources['fleet_id']]).toEqual([value, source]);
  });

  test('each has a variable of its own, but for those that say where transcripts go and what is spent', () => {
    const own = Object.keys(SETTINGS).filter((name) => !Object.hasOwn(BATCH_SETTINGS, name));
    const settings: Readonly<Record<string, Setting>> = SETTINGS;
    const names = own.map((name) => settings[name]?.env ?? '');
    expect(Object.values<Setting>(BATCH_SETTINGS).some(({ env }) => env)).toBe(false);
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => /^CREDENCE_[A-Z_]+$/.test(name))).toBe(true);
    expect(Object.values(SETTINGS).every(({ help }) => help.length > 10)).toBe(true);
  });

  test('a table in a table is a dotted name, too', () => {
    const { settings } = resolve({ file: { summarize: { mode: 'both', batch: { model: 'm' } } } });
    expect(settings).toMatchObject({ 'summarize.mode': 'both', 'summarize.batch.model': 'm' });
  });

  test('what may hold a secret is not repeated', () => {
    const wrong = { summarize: { batch: { api_key_env: 'sk-secret' } } };
    expect(() => resolve({ file: wrong })).toThrow(/^(?!.*sk-secret)/);
  });

  test('a table of the file is a dotted name; agents are by runtime', () => {
    const { settings, sources } = resolve({
      file: {
        capture: { pause: true, exclude: ['/x'] },
        agents: { 'claude-code': 'cc-01', cursor: 'cu.1_b' },
      },
    });
    expect(settings).toMatchObject({
      'capture.pause': true,
      'capture.exclude': ['/x'],
      agents: { 'claude-code': 'cc-01', cursor: 'cu.1_b' },
    });
    expect(sources).toMatchObject({ 'capture.pause': 'file', 'agents.cursor': 'file' });
  });
});

test('the folder of a store is that of its URL, whatever its name', () => {
  const folders = fc.string({ unit: 'binary', minLength: 1 }).map((text) => `/${text}`);
  fc.assert(
    fc.property(folders, (folder) => {
      const { settings } = resolve({ flags: { store: storeUrl(folder) } });
      expect(storeFolder(settings.store)).toBe(folder);
    }),
    { examples: [['/a?b#c'], ['/100%/x'], ['/%3F'], ['/Größe 1']] },
  );
});

describe('what a value may be', () => {
  test.each<[SettingName, string, unknown]>([
    ['capture.pause', 'true', true],
    ['capture.pause', 'false', false],
    ['capture.exclude', '/a, /b/** ,', ['/a', '/b/**']],
    ['capture.exclude', ' , ', []],
    ['capture.exclude', '~/a,~,**/b', ['~/a', '~', '**/b']],
    ['capture.idle_seal', '90s', 90_000],
    ['capture.idle_seal', '30m', 1_800_000],
    ['capture.idle_seal', '24h', 86_400_000],
    ['capture.idle_seal', '7d', 604_800_000],
    ['store', 'file:///x', 'file:///x'],
    ['summarize.mode', 'live', 'live'],
    ['summarize.batch.use_batch_api', 'false', false],
    ['summarize.batch.max_sessions_per_run', '50', 50],
    ['summarize.batch.spend_cap_usd_per_day', '0.25', 0.25],
    ['summarize.batch.input_usd_per_million_tokens', '0', 0],
    ['summarize.batch.base_url', 'http://[::1]:11434/v1', 'http://[::1]:11434/v1'],
    ['summarize.batch.api_key_env', 'MY_KEY', 'MY_KEY'],
    ['summarize.batch.command', 'mine, -p', ['mine', '-p']],
    ['fleet_id', 'a-b.c_d', 'a-b.c_d'],
  ])('%s %j is %j', (name, text, value) => {
    expect(resolve({ flags: { [name]: text } }).settings[name]).toEqual(value);
  });

  test.each<[SettingName, string]>([
    ['capture.pause', 'yes'],
    ['capture.pause', 'TRUE'],
    ['capture.exclude', 'proj'],
    ['capture.exclude', './proj'],
    ['capture.exclude', '*/proj'],
    ['capture.exclude', '~other/proj'],
    ['capture.exclude', '/a,b'],
    ['capture.idle_seal', '30'],
    ['capture.idle_seal', '30 m'],
    ['capture.idle_seal', '1.5h'],
    ['capture.idle_seal', '-1m'],
    ['capture.idle_seal', '1234567s'],
    ['store', 'file://relative'],
    ['store', '/x'],
    ['store', 'file:///x/%zz'],
    ['store', 'file:///x/%ff'],
    ['store', 'file:///tmp/a?b'],
    ['store', 'file:///tmp/a#c'],
    ['store', 's3://bucket'],
    ['store', 'https://evil.example'],
    ['summarize.mode', 'LIVE'],
    ['summarize.batch.provider', 'openai'],
    ['summarize.batch.api_key_env', 'sk-ant-x'],
    ['summarize.batch.base_url', 'https://me:secret@host/v1'],
    ['summarize.batch.base_url', 'https://host/v1?key=x'],
    ['summarize.batch.base_url', 'file:///x'],
    ['summarize.batch.max_sessions_per_run', '0'],
    ['summarize.batch.max_sessions_per_run', '1.5'],
    ['summarize.batch.spend_cap_usd_per_day', '-1'],
    ['summarize.batch.spend_cap_usd_per_day', 'Infinity'],
    ['summarize.batch.base_url', 'https://host:port/'],
    ['summarize.batch.base_url', 'https://-/'],
    ['fleet_id', ''],
    ['fleet_id', '../x'],
    ['fleet_id', 'a b'],
    ['fleet_id', 'x'.repeat(65)],
  ])('%s %j is refused, with where it stands and what to do', (name, text) => {
    const refusal = expect.objectContaining({
      code: 'settings.invalid',
      category: 'usage',
      message: expect.stringMatching(new RegExp(`^setting ${name} \\(flag\\)`)),
      next: 'correct the option',
    });
    expect(() => resolve({ flags: { [name]: text } })).toThrow(refusal);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['a name that is none', { stor: 'x' }, 'settings.unknown'],
    ['a name of a table that is none', { capture: { paus: true } }, 'settings.unknown'],
    ['a table that is none', { s3: { key: 'x' } }, 'settings.unknown'],
    ['a secret', { api_key: 'x' }, 'settings.unknown'],
    ['a table in a table', { capture: { exclude: { a: 1 } } }, 'settings.invalid'],
    ['a setting where its table stands', { capture: true }, 'settings.unknown'],
    ['an agent that is no name', { agents: { cursor: '../x' } }, 'settings.invalid'],
    ['an agent that is a table', { agents: { cursor: { id: 'x' } } }, 'settings.invalid'],
    ['a list of numbers', { capture: { exclude: [1] } }, 'settings.invalid'],
    ['a number', { fleet_id: 7 }, 'settings.invalid'],
    ['a name of every object', { constructor: 'x' }, 'settings.unknown'],
  ])('%s in the file is refused', (_what, file, code) => {
    expect(() => resolve({ file })).toThrow(
      expect.objectContaining({ code, category: 'configuration', next: expect.any(String) }),
    );
  });

  test('any file gives settings or our error', () => {
    const names = fc.constantFrom(...Object.keys(SETTINGS), 'capture', 'summarize', 'agents');
    const value = fc.oneof(
      fc.anything(),
      fc.dictionary(fc.constantFrom('pause', 'exclude', 'mode', 'cursor'), fc.anything()),
    );
    fc.assert(
      fc.property(fc.dictionary(names, value), (file) => {
        try {
          expect(resolve({ file }).settings.fleet_id).toEqual(expect.any(String));
        } catch (error) {
          expect(error).toBeInstanceOf(CredenceError);
        }
      }),
    );
  });
});

describe('an agent that a flag names', () => {
  const flags = { 'agents.claude-code': 'cc-02' };

  test('stands over the file, whatever is there', () => {
    for (const id of ['cc-01', 'a b', '', 7]) {
      const { settings, sources } = resolve({ file: { agents: { 'claude-code': id } }, flags });
      expect(settings.agents).toEqual({ 'claude-code': 'cc-02' });
      expect(sources['agents.claude-code']).toBe('flag');
    }
  });

  test('is of the file where that says the same', () => {
    const { sources } = resolve({ file: { agents: { 'claude-code': 'cc-02' } }, flags });
    expect(sources['agents.claude-code']).toBe('file');
  });

  test('is checked as the file is', () => {
    expect(() => resolve({ flags: { 'agents.claude-code': 'a b' } })).toThrow(
      'setting agents.claude-code (flag) is "a b"',
    );
  });
});

test.each([
  [0, '0s'],
  [1_000, '1s'],
  [90_000, '90s'],
  [1_800_000, '30m'],
  [5_400_000, '90m'],
  [86_400_000, '1d'],
  [90_000_000, '25h'],
])('%i ms are written as %s, and read back', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
  expect(resolve({ flags: { 'capture.idle_seal': text } }).settings['capture.idle_seal']).toBe(ms);
});

test.each<[Mode, boolean, string, boolean]>([
  ['none', false, 'rules', false],
  ['agent', true, 'rules', false],
  ['batch', false, 'model', false],
  ['both', true, 'model', false],
  ['shadow', true, 'model', false],
  ['live', true, 'model', true],
])(
  'mode %s: handoffs %j, extraction by %s, agents read %j',
  (mode, handoffs, extraction, reads) => {
    expect(modeParts(mode)).toEqual({ handoffs, extraction, reads });
  },
);

test('every mode has a row above', () => {
  expect(Mode.options).toHaveLength(6);
});
