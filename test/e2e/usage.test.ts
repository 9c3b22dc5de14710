import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { lockMachine } from '../../src/io/sqlite.ts';
import { filledFolder, tempFolder } from '../kit/home.ts';
import { HISTORY_FOLDER, MAIN, machine, placeHistory } from './machine.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 120_000 });

describe('words that mean nothing are a usage error, and nothing is done', () => {
  test.each([
    ...['x', '0', '-5', '', '9999999999', '1.5'].map((every) => ['sync', 'run', '--every', every]),
    ...['stop', 'status', 'bogus'].map((what) => ['sync', what]),
    ['sync', 'run', '--once'],
    ['sync', '--once', '--every', '5'],
    ...['0', 'x', '-1', '1e3'].map((limit) => ['sessions', '--limit', limit]),
    ['handoffs', '--limit', '0'],
    ['search', 'x', '--limit', 'y'],
    ...['nonsense', '', '2w', '2026-02-30'].map((since) => ['sessions', '--since', since]),
    ['import', '--since', 'nonsense'],
    ['handoff', '--summary', 'x', '--status', 'bogus'],
    ['nonsense'],
    ['sessions', '--bogus'],
    ['repos', 'map'],
    ['repos', 'map', '/x'],
    ['repos', 'map', '/x', 'nonsense'],
    ['repos', 'map', '', 'github.com/a/b'],
    ['repos', 'map', 'relative', 'github.com/a/b'],
    ['repos', 'map', '~/x', 'github.com/a/b'],
    ['repos', 'map', '/x', 'github.com/a/b', '--host', 'zzz'],
    ['init', '--runtime', 'bogus'],
    ['init', '--store', '/tmp/x'],
    ['init', '--store', 'file:///tmp/a?b#c'],
    ['up', '--fleet', 'a b'],
    ['config', 'set', 'capture.pause'],
  ])('%s %s %s %s %s %s', (...args) => {
    const { folder, run } = machine(tempFolder('usage'));
    const words = args.filter((word) => word !== undefined);
    const done = run(...words);
    expect(done.status).toBe(2);
    expect(done.stdout).toBe('');
    expect(done.stderr).toMatch(/error/);
    expect(existsSync(join(folder, '.credence', 'lake'))).toBe(false);
  });

  test.each([
    [['sync', 'run', '--every', 'x']],
    [['sync', 'run', '--once']],
    [['sessions', '--bogus']],
    [['nonsense']],
    [['repos', 'map']],
    [['handoff']],
  ])('%j is told to programs as one value', (args) => {
    const done = machine(tempFolder('usage')).run(...args, '--json');
    expect(done.status).toBe(2);
    expect(JSON.parse(done.stdout)).toMatchObject({ error: { category: 'usage' } });
  });

  test.each([
    ['[]', 'maps nothing'],
    ['{}', 'maps nothing'],
    ['{"/x": 1}', 'not a folder with its remote'],
    ['{"": "github.com/a/b"}', 'not a folder with its remote'],
    ['{"/x": "nonsense"}', 'not a remote'],
    ['{"src/x": "github.com/a/b"}', 'src/x fits no folder'],
    ['{', 'JSON'],
  ])('a file of maps with %s', (text, says) => {
    const { folder, run } = machine(tempFolder('usage'));
    writeFileSync(join(folder, 'map.json'), text);
    const done = run('repos', 'map', '--file', 'map.json');
    expect([done.status, done.stdout]).toEqual([2, '']);
    expect(done.stderr).toContain(says);
    expect(existsSync(join(folder, '.credence'))).toBe(false);
  });

  test('a folder beside a file of maps', () => {
    const { folder, run } = machine(tempFolder('usage'));
    writeFileSync(join(folder, 'map.json'), '{"/x": "github.com/a/b"}');
    const done = run('repos', 'map', '/y', 'github.com/a/b', '--file', 'map.json');
    expect(done.stderr).toContain('takes the place');
    expect(done.status).toBe(2);
  });
});

describe('--json', () => {
  test('gives one value, wherever it stands', () => {
    const { run } = machine(tempFolder('usage'));
    for (const args of [
      ['--json', 'status'],
      ['status', '--json'],
    ])
      expect(JSON.parse(run(...args).stdout)).toMatchObject({ setUp: false });
    expect(JSON.parse(run('--json').stdout)).toMatchObject({ error: { code: 'usage' } });
    expect(JSON.parse(run('repos', 'map', '--json').stdout)).toMatchObject({
      error: { code: 'repos.map' },
    });
  });

  test('is a word like others where an option or a search takes it', () => {
    const { folder, run } = machine(tempFolder('usage'));
    placeHistory(folder);
    run('up', '--once');
    const found = run('search', '--', '--json');
    expect([found.status, found.stdout]).toEqual([0, 'nothing fits “json”\n']);
    expect(JSON.parse(run('search', '--json', '--', 'just').stdout)).toHaveLength(3);
    run('init');
    const [session] = JSON.parse(run('sessions', '--json').stdout) as { session: string }[];
    const left = run('handoff', '--summary', '--json', '--session', session?.session ?? '');
    expect(left.stderr).toBe('');
    expect(left.stdout).toMatch(/^handoff [0-9a-f]{12} of session/);
  });

  test('of up is one value: with samples, with history, and where the folders are gone', () => {
    const bare = machine(tempFolder('usage'));
    expect(bare.json('up', '--once')).toMatchObject({
      samples: true,
      imported: { files: 0 },
      briefing: { repo: 'github.com/example/tidepool' },
    });
    const { folder, json } = machine(tempFolder('usage'));
    placeHistory(folder);
    expect(json('up', '--once')).toMatchObject({
      samples: false,
      imported: { newFiles: 3 },
      briefing: null,
    });
    json('repos', 'map', HISTORY_FOLDER, 'github.com/example/tidepool');
    expect(json('up', '--once')).toMatchObject({
      imported: { newFiles: 0 },
      briefing: { text: expect.stringContaining('Fleet context') },
    });
  });

  test('of sync run is one line a pass, also for one that fails', async () => {
    const { folder, run, env } = machine(tempFolder('usage'));
    run('init');
    const child = spawn(process.execPath, [MAIN, 'sync', 'run', '--every', '1', '--json'], {
      cwd: folder,
      env,
    });
    let text = '';
    await new Promise<void>((done) => {
      child.stdout.on('data', (chunk) => {
        text += chunk;
        const lines = text.split('\n').length - 1;
        if (lines === 1) writeFileSync(join(folder, '.credence', 'lake', 'fleet.json'), '{}');
        if (lines >= 3) done();
      });
    });
    child.kill('SIGINT');
    expect(await new Promise((done) => child.on('exit', done))).toBe(0);
    const passes = text.trim().split('\n');
    const values = passes.map((line) => JSON.parse(line) as object);
    expect(values[0]).toMatchObject({ sealed: 0 });
    expect(values.at(-1)).toMatchObject({ error: { code: 'fleet.malformed' } });
  });
});

describe('where another process is at work', () => {
  const begun = filledFolder('busy', (folder) => {
    placeHistory(folder);
    machine(folder).run('init');
    mkdirSync(join(folder, '.credence'), { recursive: true });
  });
  const busy = async () => {
    const one = machine(await begun());
    const lock = lockMachine(join(one.folder, '.credence', 'machine.sqlite'));
    return { ...one, release: () => lock?.release() };
  };

  test.each([['import'], ['maint'], ['up --once'], ['repos map /x github.com/a/b']])(
    '%s says that it was not done, and when to come back',
    async (words) => {
      const { run, release } = await busy();
      const args = words.split(' ');
      const done = run(...args);
      const value = JSON.parse(run(...args, '--json').stdout) as object;
      release();
      expect(done.status).toBe(1);
      expect(done.stderr).toMatch(/was not done \(machine\.busy\)\nnext: run it again/);
      expect(value).toMatchObject({ error: { code: 'machine.busy' } });
    },
  );

  test('a sync leaves it to that one', async () => {
    const { run, json, release } = await busy();
    const done = run('sync', '--once');
    const value = json('sync', '--once');
    release();
    expect([done.status, value]).toEqual([0, { busy: true }]);
    expect(done.stdout).toContain('it will do this too');
  });
});

describe('hook', () => {
  const payload = JSON.stringify({
    session_id: 's',
    hook_event_name: 'UserPromptSubmit',
    prompt: 'go',
  });

  test.each([[[]], [['--json']]])('with %j before it reads its payload', (before) => {
    const { folder, run, env } = machine(tempFolder('hook'));
    run('init');
    const args = [MAIN, ...before, 'hook', 'UserPromptSubmit', 'claude-code'];
    const done = spawnSync(process.execPath, args, {
      cwd: folder,
      env,
      input: payload,
      encoding: 'utf8',
    });
    expect([done.status, done.stdout]).toEqual([0, '{}']);
    const spool = join(folder, '.credence', 'spool', 'claude-code', 's.ndjson');
    expect(readFileSync(spool, 'utf8')).toContain('"content":"go"');
  });

  test.each([['hook --help'], ['repos --help'], ['config set --help'], ['sync --help']])(
    '%s shows an example',
    (words) => {
      const done = machine(tempFolder('hook')).run(...words.split(' '));
      expect(done.status).toBe(0);
      expect(done.stdout).toContain('Example:');
    },
  );
});

test('the version is that of the package', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  expect(machine(tempFolder('usage')).run('--version').stdout.trim()).toBe(version);
});
