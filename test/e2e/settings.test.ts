import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { filledFolder, place, tempFolder } from '../kit/home.ts';
import { machine } from './machine.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 120_000 });

const pathOf = (folder: string) => join(folder, '.config', 'credence', 'config.toml');

describe('an agent id', () => {
  test.each(['a b', '', 'agé', '../x', '.x', 'x'.repeat(65), 'x'.repeat(300), 'a/b', 'a\nb'])(
    '%j is refused before anything is written',
    (id) => {
      const { folder, run } = machine(tempFolder('settings'));
      const done = run('init', '--agent-id', id);
      expect(done.status).toBe(2);
      expect(done.stderr).toContain(`${JSON.stringify(id)} is no agent id`);
      expect(done.stderr).toContain('letters, digits');
      expect(existsSync(join(folder, '.config'))).toBe(false);
      expect(existsSync(join(folder, '.credence'))).toBe(false);
    },
  );

  test('that does not fit is refused by config set too, and the home goes on', () => {
    const { folder, run, json } = machine(tempFolder('settings'));
    run('init', '--agent-id', 'cc-01');
    const before = readFileSync(pathOf(folder), 'utf8');
    const done = run('config', 'set', 'agents.claude-code', 'a b');
    expect(done.status).toBe(2);
    expect(done.stderr).toContain('"a b" is no agent id');
    expect(run('config', 'set', 'agents.no-such', 'x').stderr).toContain('no runtime no-such');
    expect(readFileSync(pathOf(folder), 'utf8')).toBe(before);
    expect(run('config', 'set', 'agents.claude-code', 'cc-02').status).toBe(0);
    expect(json('status')).toMatchObject({ agents: { 'claude-code': 'cc-02' } });
  });

  test('that was set by config set is admitted: what it leaves is sent and shown', () => {
    const { folder, run, json, hook } = machine(tempFolder('settings'));
    run('init', '--agent-id', 'cc-01');
    run('config', 'set', 'agents.claude-code', 'cc-02');
    hook('UserPromptSubmit', { session_id: 's', prompt: 'go' });
    const { id } = json('handoff', '--session', 's', '--summary', 'half done');
    expect(json('sync')).toMatchObject({ handoffs: 1, waiting: [] });
    expect(json('handoffs', String(id))).toMatchObject([{ id, agent: 'cc-02', session: 's' }]);
    expect(existsSync(join(folder, '.credence', 'outbox'))).toBe(true);
  });
});

describe('a settings file that is broken', () => {
  const broken = (text: string) => {
    const one = machine(tempFolder('settings'));
    place(pathOf(one.folder), text);
    return one;
  };

  test.each([
    ['[agents]\nclaude-code = "a b"\n', 'agents.claude-code', '"a b"'],
    ['store = "ftp://x"\n', 'store', '"ftp://x"'],
    ['[capture]\npause = "maybe"\n', 'capture.pause', '"maybe"'],
    ['[capture]\nidle_seal = 30\n', 'capture.idle_seal', '30'],
  ])('%j is said with the file, the value and the next step', (text, name, value) => {
    const { folder, run } = broken(text);
    const done = run('status');
    expect(done.status).toBe(78);
    expect(done.stderr).toContain(`setting ${name} (${pathOf(folder)}) is ${value}`);
    expect(done.stderr).toContain(`credence config set ${name} <value>`);
  });

  test.each([
    ['[agents]\nclaude-code = "a b"\n', ['config', 'set', 'agents.claude-code', 'cc-01']],
    ['[agents]\nclaude-code = "a b"\n', ['init', '--agent-id', 'cc-01']],
    ['store = "ftp://x"\n', ['init', '--store', 'file:///HERE/lake', '--agent-id', 'cc-01']],
    ['store = "ftp://x"\n', ['config', 'set', 'store', 'file:///HERE/lake']],
    ['fleet_id = "a b"\n', ['init', '--fleet', 'team']],
    ['[capture]\npause = "maybe"\n', ['config', 'set', 'capture.pause', 'false']],
  ])('%j is put right by %j', (text, args) => {
    const { folder, run, json } = broken(text);
    const done = run(...args.map((word) => word.replace('/HERE', folder)));
    expect(done.stderr).toBe('');
    expect(done.status).toBe(0);
    expect(run('init').status).toBe(0);
    expect(json('status')).toMatchObject({ setUp: true });
  });

  test('in two places is put right one after the other', () => {
    const { run } = broken('store = "ftp://x"\n[capture]\npause = "maybe"\n');
    const first = run('config', 'set', 'capture.pause', 'true');
    expect(first.status).toBe(78);
    expect(first.stderr).toMatch(/capture.pause is set, but .*setting store .*config set store/s);
    expect(run('config', 'set', 'store', 'file:///tmp/x').status).toBe(0);
  });

  test('a variable that is wrong is named', () => {
    const done = machine(tempFolder('settings'), { CREDENCE_PAUSE: 'maybe' }).run('status');
    expect(done.stderr).toMatch(/capture.pause \(CREDENCE_PAUSE\) is "maybe"[\s\S]*unset it/);
  });

  test('a store that is no URL is named, and nothing is looked for elsewhere', () => {
    for (const store of ['file:///x/%zz', 'file:///tmp/a?b#c']) {
      const done = machine(tempFolder('settings'), { CREDENCE_STORE: store }).run('sync', '--once');
      expect(done.status).toBe(78);
      expect(done.stderr).toMatch(/store \(CREDENCE_STORE\) is "file:.*, and has to be file:/);
      expect(done.stderr).toContain('next: correct the variable CREDENCE_STORE, or unset it');
    }
    const flag = machine(tempFolder('settings')).run('init', '--store', '/tmp/x');
    expect(flag.status).toBe(2);
    expect(flag.stderr).toContain('next: correct the option');
  });

  test('one that can not be parsed is left alone, with its place', () => {
    const { folder, run } = broken('store = \n');
    for (const args of [['init'], ['config', 'set', 'capture.pause', 'true']]) {
      const done = run(...args);
      expect(done.status).toBe(78);
      expect(done.stderr).toContain(pathOf(folder));
    }
    expect(readFileSync(pathOf(folder), 'utf8')).toBe('store = \n');
  });
});

describe('config', () => {
  test('shows values as they are written, and gives programs plain ones', () => {
    const { run, json } = machine(tempFolder('settings'));
    const { settings } = json('config') as { settings: { name: string; value: unknown }[] };
    const value = (name: string) => settings.find((row) => row.name === name)?.value;
    expect(value('capture.idle_seal')).toBe('30m');
    expect(value('capture.pause')).toBe(false);
    expect(value('capture.exclude')).toEqual([]);
    expect(value('fleet_id')).toBe('local');
    run('config', 'set', 'capture.idle_seal', '90s');
    expect(run('config').stdout).toMatch(/capture\.idle_seal +90s +file/);
  });

  test('a value that does not fit is refused with the words that do', () => {
    const { run } = machine(tempFolder('settings'));
    const done = run('config', 'set', 'capture.pause', 'maybe');
    expect(done.status).toBe(78);
    expect(done.stderr).toContain(`capture.pause can't be "maybe": it has to be true or false`);
    const mode = run('config', 'set', 'summarize.mode', 'loud');
    expect(mode.stderr).toContain('one of none, agent, batch');
  });
});

test('a home that is relative is refused: it would be another one in every folder', () => {
  const folder = tempFolder('settings');
  for (const env of [{ HOME: 'here' }, { CREDENCE_HOME: './here' }]) {
    const done = machine(folder, env).run('status');
    expect(done.status).toBe(78);
    expect(done.stderr).toMatch(/not an absolute path.*home\.relative/);
  }
  expect(existsSync(join(folder, 'here'))).toBe(false);
});

describe('a small file of ours that is damaged', () => {
  const synced = filledFolder('synced', (folder) => {
    const { run } = machine(folder);
    run('init', '--agent-id', 'cc-01');
    run('sync', '--once');
  });

  test.each([
    [join('.config', 'credence', 'fleet.json'), ['sync', '--once']],
    [join('.credence', 'roster.json'), ['brief', '--repo', 'x/y']],
  ])('%s: %j says which, and what to do', async (path, args) => {
    const { folder, run } = machine(await synced());
    writeFileSync(join(folder, path), '{');
    const done = run(...args);
    expect(done.status).toBe(78);
    expect(done.stderr).toContain(join(folder, path));
    expect(done.stderr).toMatch(/file\.malformed[\s\S]*next: (?:restore|remove)/);
  });

  test.each<[string, string, number, string, string]>([
    [join('.config', 'credence', 'fleet.json'), 'fleet', 78, 'file.malformed', 'next: restore'],
    [join('.config', 'credence', 'keys', 'host.json'), 'fleet', 78, 'key.mode', 'next: run: chmod'],
    [join('.credence', 'last-sync.json'), 'last sync', 78, 'file.malformed', 'next: remove'],
    [join('.credence', 'roster.json'), 'live', 78, 'file.malformed', 'next: remove'],
    [join('.credence', 'state.sqlite'), 'members', 1, 'sqlite_notadb', 'next: run `credence sync'],
    [join('.claude', 'settings.json'), 'capture', 1, 'settings.malformed', 'next: '],
  ])('%s spoils one line of status, the line %s', async (path, name, exit, code, next) => {
    const { folder, run, json } = machine(await synced());
    if (code === 'key.mode') chmodSync(join(folder, path), 0o644);
    else place(join(folder, path), '{'.repeat(9_000));
    const done = run('status');
    expect(done.status).toBe(exit);
    expect(done.stderr).toBe('');
    const lines = done.stdout.split('\n');
    const at = lines.findIndex((line) => line.startsWith(name));
    expect(lines[at]).toContain(join(folder, path));
    expect(lines[at]).toContain(code);
    expect(lines[at + 1]?.trim().startsWith(next)).toBe(true);
    for (const other of ['agents', 'queue', 'dropped', 'last sync'].filter((one) => one !== name))
      expect(lines.filter((line) => line.startsWith(other))).toHaveLength(1);
    expect(lines.filter((line) => line.includes(code))).toHaveLength(1);
    expect(json('status')).toMatchObject({
      queue: { sessions: 0 },
      dropped: { count: 0 },
      errors: expect.any(Object),
    });
  });
});

describe('a malformed settings file of the runtime', () => {
  const crowded = () => {
    const one = machine(tempFolder('settings'));
    const path = join(one.folder, '.claude', 'settings.json');
    place(path, '{"hooks": [}');
    return { ...one, path };
  };

  test('does not keep up from its work, and is named with its place', () => {
    const { run, path } = crowded();
    const done = run('up', '--once');
    expect(done.status).toBe(0);
    expect(done.stdout).toContain('Fleet context');
    expect(done.stderr).toContain(path);
    expect(done.stderr).toMatch(/line 1, column 12[\s\S]*next: /);
  });

  test('is what doctor says, with the next step that helps', () => {
    const { json, path } = crowded();
    const { checks } = json('doctor') as {
      checks: { name: string; ok: boolean; says: string; next?: string }[];
    };
    const check = checks.find(({ name }) => name === 'installed');
    expect(check).toMatchObject({ ok: false, says: expect.stringContaining(path) });
    expect(check?.next).toContain('Then run the command again');
  });

  test('is refused by install before a fleet is founded', () => {
    const { folder, run, path } = crowded();
    const done = run('install', 'claude-code');
    expect(done.stderr).toContain(path);
    expect(existsSync(join(folder, '.credence', 'lake'))).toBe(false);
    expect(existsSync(pathOf(folder))).toBe(false);
  });
});
