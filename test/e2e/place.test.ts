import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { suiteFolder, tempFolder } from '../kit/home.ts';
import { machine, placeHistory } from './machine.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const configOf = (folder: string) =>
  readFileSync(join(folder, '.config', 'credence', 'config.toml'), 'utf8');
const pinOf = (folder: string) =>
  readFileSync(join(folder, '.config', 'credence', 'fleet.json'), 'utf8');

describe('where a store is named', () => {
  test.each([
    [['maint', '--once', '--store', 'file:///other']],
    [['--store', 'file:///other', 'status']],
    [['import', '--fleet', 'other']],
    [['sessions', '--store=file:///other']],
    [['config', '--store', 'file:///other']],
  ])('%j is refused: only what sets up takes it', (args) => {
    const { folder, run } = machine(tempFolder('place'));
    const done = run(...args);
    expect(done.status).toBe(2);
    expect(done.stderr).toContain('unknown option');
    expect(existsSync(join(folder, '.config'))).toBe(false);
  });

  test('up takes it as init does: where nothing is set up yet, and where nothing was captured', () => {
    const folder = tempFolder('place');
    const [one = '', other = ''] = ['one', 'other'].map((name) => `file://${join(folder, name)}`);
    const { run, json } = machine(folder);
    expect(run('up', '--once', '--store', one, '--fleet', 'team').status).toBe(0);
    expect(json('status')).toMatchObject({ fleet: 'team', store: one });
    const moved = run('up', '--once', '--store', other, '--fleet', 't9');
    expect(moved.stderr).toContain('founded fleet t9');
    expect(moved.status).toBe(0);
    expect(json('status')).toMatchObject({ fleet: 't9', store: other });
    placeHistory(folder);
    expect(run('up', '--once', '--store', other, '--fleet', 't9').status).toBe(0);
    const [config, pin] = [configOf(folder), pinOf(folder)];
    const wrong = run('up', '--once', '--fleet', 'wrong');
    expect(wrong.status).toBe(78);
    expect(wrong.stderr).toMatch(/holds fleet t9, not wrong .*fleet\.other/);
    const away = run('up', '--once', '--store', one, '--fleet', 'team');
    expect(away.status).toBe(78);
    expect(away.stderr).toContain('fleet.move');
    expect([configOf(folder), pinOf(folder)]).toEqual([config, pin]);
  });

  test('the variable holds for one call: it founds nothing elsewhere, and moves no home', () => {
    const folder = tempFolder('place');
    const { run } = machine(folder);
    run('init', '--agent-id', 'cc-01');
    const [config, pin] = [configOf(folder), pinOf(folder)];
    const other = machine(folder, { CREDENCE_STORE: `file://${join(folder, 'other')}` });
    for (const args of [['maint', '--once'], ['import'], ['sync', '--once'], ['up', '--once']]) {
      const done = other.run(...args);
      expect(done.status, args.join(' ')).toBe(1);
      expect(done.stderr).toContain('store.gone');
    }
    expect([configOf(folder), pinOf(folder)]).toEqual([config, pin]);
    expect(existsSync(join(folder, 'other'))).toBe(false);
    // A copy of the store holds the same fleet, wherever it is mounted.
    renameSync(join(folder, '.credence', 'lake'), join(folder, 'moved'));
    const copy = machine(folder, { CREDENCE_STORE: `file://${join(folder, 'moved')}` });
    expect(copy.run('maint', '--once').status).toBe(0);
    expect([configOf(folder), pinOf(folder)]).toEqual([config, pin]);
  });
});

describe.each(['empty', 'gone'])('a store that is %s', (what) => {
  // One home for all of them: none may change anything that the next one looks at.
  const folder = suiteFolder('place');
  const { run } = machine(folder);
  const lake = join(folder, '.credence', 'lake');
  let pin = '';
  beforeAll(() => {
    run('init', '--agent-id', 'cc-01');
    pin = pinOf(folder);
    rmSync(lake, { recursive: true });
    if (what === 'empty') mkdirSync(lake);
  });

  test.each([
    ['import', '--all'],
    ['maint', '--once'],
    ['up', '--once'],
    ['init', '--agent-id', 'cc-01'],
    ['init', '--agent-id', 'cc-02'],
    ['install', 'claude-code'],
    ['sync', '--once'],
    ['config', 'set', 'capture.exclude', '/x'],
    ['doctor'],
  ])('%s %s founds no second fleet there, and writes nothing', (...args) => {
    const done = run(...args);
    if (args[0] !== 'install') {
      expect(done.status).toBe(1);
      expect(done.stdout + done.stderr).toMatch(
        what === 'empty'
          ? /no longer holds fleet local[\s\S]*next: bring/
          : /lake is not there[\s\S]*next: Mount the volume, bring the folder back/,
      );
    }
    expect(pinOf(folder)).toBe(pin);
    expect(existsSync(lake) ? readdirSync(lake) : 'gone').toEqual(what === 'empty' ? [] : 'gone');
  });
});

describe('a store that is another', () => {
  test('one that another fleet took the place of is refused, by init too', () => {
    const folder = tempFolder('place');
    const store = join(folder, 'lake');
    const [one, two] = ['one', 'two'].map((name) => machine(join(folder, name)));
    one?.run('init', '--store', `file://${store}`);
    rmSync(store, { recursive: true });
    two?.run('init', '--store', `file://${store}`);
    for (const args of [['import'], ['init'], ['init', '--store', `file://${store}`]]) {
      const done = one?.run(...args);
      expect(done?.stderr).toMatch(/holds another fleet .*fleet\.pin[\s\S]*next: bring back/);
      expect(done?.status).toBe(78);
    }
  });
});

describe('moving to another store', () => {
  test('a home that captured nothing goes there, and knows nothing of the fleet that it left', () => {
    const folder = tempFolder('place');
    const shared = `file://${join(folder, 'shared')}`;
    const first = machine(join(folder, 'first'));
    placeHistory(first.folder);
    first.run('init', '--store', shared, '--fleet', 'team', '--agent-id', 'cc-01');
    first.run('import');
    // As README has it: first a look, on the samples, then the store of the others.
    const { folder: home, run, json } = machine(join(folder, 'home'));
    expect(run('up', '--once').stdout).toContain('github.com/example/tidepool');
    const moved = run('init', '--store', shared, '--fleet', 'team', '--agent-id', 'cc-02');
    expect(moved.stderr).toBe('');
    expect(moved.stdout).toContain('joined fleet team');
    expect(run('sync', '--once').status).toBe(0);
    expect(json('status')).toMatchObject({ fleet: 'team', store: shared, lastSync: { ok: true } });
    expect(json('sessions')).toHaveLength(3);
    expect(run('doctor').stdout).toMatch(/ok {2}fleet {8}joined team/);
    expect(configOf(home)).toContain(`store = "${shared}"`);
    const briefs = join(home, '.credence', 'brief', 'cc-02');
    run('repos', 'map', '/*/dev/src/tidepool', 'github.com/example/tidepool');
    expect(readdirSync(briefs)).toHaveLength(1);
    const again = run('init', '--store', `file://${join(folder, 'third')}`);
    expect(again.stdout).toContain('founded fleet team');
    // What the fleet that was left knows is put before nobody in the new one.
    expect(existsSync(briefs)).toBe(false);
    expect(run('sync', '--once').status).toBe(0);
    expect(json('status')).toMatchObject({ ledger: { sessions: 0 }, queue: { sessions: 0 } });
  });

  test('one that captured something stays, and is told how to do it; that way works', () => {
    const folder = tempFolder('place');
    const { run, json } = machine(folder);
    placeHistory(folder);
    run('up', '--once');
    const [config, pin] = [configOf(folder), pinOf(folder)];
    const shared = join(folder, 'shared');
    const init = ['init', '--store', `file://${shared}`, '--fleet', 'team'];
    const refused = run(...init);
    expect(refused.status).toBe(78);
    expect(refused.stderr).toMatch(
      /follows fleet local in file:.*\(fleet\.move\)\nnext: set CREDENCE_HOME.*Or begin anew/,
    );
    expect([configOf(folder), pinOf(folder)]).toEqual([config, pin]);
    expect(existsSync(join(shared, 'ledger'))).toBe(false);
    expect(json('sessions')).toHaveLength(3);
    const named = /move (\S+) and (\S+) away/.exec(refused.stderr) ?? [];
    expect(named.slice(1)).toEqual([
      join(folder, '.credence'),
      join(folder, '.config', 'credence', 'fleet.json'),
    ]);
    for (const path of named.slice(1)) renameSync(path, `${path}.before`);
    expect(run(...init).stdout).toContain('founded fleet team');
    expect(json('import')).toMatchObject({ newFiles: 3, thisRun: { lines: 104 } });
    expect(json('sessions')).toHaveLength(3);
    expect(json('status')).toMatchObject({ fleet: 'team' });
  });

  test('what a hook captured holds a home as an import does', () => {
    const folder = tempFolder('place');
    const { run, hook } = machine(folder);
    run('init', '--agent-id', 'cc-01');
    hook('UserPromptSubmit', { session_id: 's', prompt: 'go' });
    expect(run('init', '--store', `file://${join(folder, 'x')}`).stderr).toContain('fleet.move');
  });

  test('where the same fleet is found, the home follows its store', () => {
    const folder = tempFolder('place');
    const { run, json } = machine(folder);
    placeHistory(folder);
    run('up', '--once');
    const moved = join(folder, 'moved');
    renameSync(join(folder, '.credence', 'lake'), moved);
    expect(run('sync', '--once').stderr).toContain('store.gone');
    expect(run('init', '--store', `file://${moved}`).status).toBe(0);
    expect(run('sync', '--once').status).toBe(0);
    expect(json('sessions')).toHaveLength(3);
  });

  test('config set turns to no other fleet', () => {
    const folder = tempFolder('place');
    const { run } = machine(folder);
    run('init', '--agent-id', 'cc-01');
    const config = configOf(folder);
    for (const [name, value] of [
      ['store', `file://${join(folder, 'x')}`],
      ['fleet_id', 'zed'],
    ] as const) {
      const done = run('config', 'set', name, value);
      expect(done.status).toBe(78);
      expect(done.stderr).toMatch(/follows fleet local in file:.*fleet\.pin[\s\S]*credence init/);
    }
    expect(run('config', 'set', 'fleet_id', 'local').status).toBe(0);
    expect(configOf(folder)).toBe(config);
  });
});

test('what was set is said to be set, though the store is gone', () => {
  const folder = tempFolder('place');
  const { run, json } = machine(folder);
  run('init', '--agent-id', 'cc-01');
  rmSync(join(folder, '.credence', 'lake'), { recursive: true });
  const done = run('config', 'set', 'capture.pause', 'true');
  expect(done.status).toBe(1);
  expect(done.stderr).toMatch(/error capture\.pause is set, but the store .* is not there/);
  expect(json('status')).toMatchObject({ paused: true });
  expect(readFileSync(join(folder, '.credence', 'hook.json'), 'utf8')).toContain('"pause": true');
});
