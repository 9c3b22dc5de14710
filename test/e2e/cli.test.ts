import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOOK_EVENTS } from '../../src/runtime/claude-code/hook.ts';
import { settle } from '../kit/detached.ts';
import { place, tempFolder } from '../kit/home.ts';
import { describeShared } from '../kit/shared.ts';
import { MAIN, machine } from './machine.ts';

describe('exit codes', () => {
  test.each([
    [['status'], 0],
    [['--help'], 0],
    [['brief', '--help'], 0],
    [['nonsense'], 2],
    [['install', 'no-such-runtime'], 2],
    [['handoff', '--summary', 'x'], 2],
    [['config', 'set', 'no.such', '1'], 78],
    [['sessions', 'zzz'], 1],
  ])('%j', (args, status) => {
    const { run } = machine(tempFolder('cli'));
    const done = run(...args);
    expect(done.status).toBe(status);
    if (status === 0) return;
    expect(done.stderr).not.toBe('');
    expect(done.stdout).toBe('');
  });

  test('a settings file that is wrong is 78, with its place and the next step', () => {
    const folder = tempFolder('cli');
    place(join(folder, '.config', 'credence', 'config.toml'), 'store = "ftp://x"\n');
    const done = machine(folder).run('status');
    expect(done.status).toBe(78);
    expect(done.stderr).toMatch(/setting store \(.*config\.toml\) is "ftp:\/\/x"[\s\S]*next:/);
  });

  test('an error as JSON has its code', () => {
    const done = machine(tempFolder('cli')).run('sessions', 'zzz', '--json');
    expect(JSON.parse(done.stdout)).toMatchObject({ error: { code: 'state.missing' } });
  });
});

describe('install', () => {
  test('leaves a line of the user’s own with our hook and another command in it, and says so', () => {
    const folder = tempFolder('install');
    const path = join(folder, '.claude', 'settings.json');
    const command = 'notify-send done; npx credence hook Stop claude-code';
    const text = `${JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } })}\n`;
    place(path, text);
    const { run, json } = machine(folder);
    const says = /runs the hook for Stop, and other commands too: it was left as it is/;
    expect(run('install', 'claude-code').stdout).toMatch(says);
    expect(readFileSync(path, 'utf8').split(' hook Stop ')).toHaveLength(2);
    expect(json('status')).toMatchObject({
      hooks: { events: expect.toSatisfy((all) => all.length === HOOK_EVENTS.length) },
    });
    expect(run('uninstall', 'claude-code').stdout).toMatch(
      /left as it is; take the hook out of it/,
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(json('uninstall', 'claude-code')).toMatchObject({
      edits: [
        { part: 'hooks', changed: false, shared: ['Stop'] },
        { part: 'server', changed: false, shared: [] },
      ],
    });
  });

  test('merges into a crowded file with a backup, twice the same, and uninstall is its inverse', () => {
    const folder = tempFolder('install');
    const path = join(folder, '.claude', 'settings.json');
    const before =
      '{\n\t"env": {"A": "1"},\n\t"hooks": {\n\t\t"Stop": [{"hooks": [{"type": "command", "command": "other-tool stop"}]}]\n\t}\n}';
    place(path, before);
    const { run, json } = machine(folder);
    expect(run('install', 'claude-code', '--dry-run').stdout).toContain('+');
    expect(readFileSync(path, 'utf8')).toBe(before);
    const { edits } = json('install', 'claude-code') as { edits: { backup: string }[] };
    expect(readFileSync(edits[0]?.backup ?? '', 'utf8')).toBe(before);
    const installed = readFileSync(path, 'utf8');
    expect(installed).toContain('other-tool stop');
    run('install', 'claude-code');
    expect(readFileSync(path, 'utf8')).toBe(installed);
    run('uninstall', 'claude-code');
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('registers the server among others, byte for byte, and the request for a handoff names its tool', () => {
    const folder = tempFolder('install');
    const path = join(folder, '.claude', '.claude.json');
    const before =
      '{\n  "numStartups": 34,\n  "mcpServers": {\n    "other": {"command": "uvx", "args": ["x"]}\n  },\n  "projects": {}\n}';
    place(path, before);
    const { run, hook, json } = machine(folder);
    /** What a turn's end asks for, in a session that did some work. */
    const asked = (session_id: string) => {
      const call = { session_id, tool_name: 'Edit', tool_input: { file_path: '/x' } };
      hook('PostToolUse', { ...call, tool_use_id: 'toolu_1', tool_response: {} });
      return hook('Stop', { session_id });
    };
    run('install', 'claude-code', '--no-mcp');
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(asked('one')).toContain(' handoff --session one');
    expect(run('install', 'claude-code', '--dry-run').stdout).toContain('+    "credence": {');
    expect(readFileSync(path, 'utf8')).toBe(before);
    run('install', 'claude-code');
    const installed = readFileSync(path, 'utf8');
    expect(JSON.parse(installed)).toMatchObject({
      numStartups: 34,
      mcpServers: {
        other: { command: 'uvx' },
        credence: { type: 'stdio', command: process.execPath, args: [MAIN, 'mcp'] },
      },
    });
    expect(asked('two')).toContain('Call mcp__credence__fleet_handoff once');
    expect(asked('two')).not.toContain('handoff');
    // A sync writes what hooks go by anew.
    run('sync', '--once');
    expect(asked('three')).toContain('mcp__credence__fleet_handoff');
    run('install', 'claude-code');
    expect(readFileSync(path, 'utf8')).toBe(installed);
    expect(json('uninstall', 'claude-code')).toMatchObject({
      edits: [{ part: 'hooks' }, { part: 'server', path, changed: true }],
    });
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(asked('four')).toContain(' handoff --session four');
  });

  test('refuses a malformed file of servers before it does anything', () => {
    const folder = tempFolder('install');
    const path = join(folder, '.claude', '.claude.json');
    place(path, '{"mcpServers": [}');
    const done = machine(folder).run('install', 'claude-code');
    expect(done.status).not.toBe(0);
    expect(done.stderr).toContain(`${path}: `);
    expect(done.stderr).toContain('settings.malformed');
    expect(existsSync(join(folder, '.claude', 'settings.json'))).toBe(false);
  });

  test('refuses a malformed file and leaves it alone', () => {
    const folder = tempFolder('install');
    const path = join(folder, '.claude', 'settings.json');
    place(path, '{"hooks": [}');
    const done = machine(folder).run('install', 'claude-code');
    expect(done.status).not.toBe(0);
    expect(done.stderr).toContain('settings.malformed');
    expect(readFileSync(path, 'utf8')).toBe('{"hooks": [}');
  });

  test('a file that it made goes again', () => {
    const folder = tempFolder('install');
    const { run } = machine(folder);
    run('install', '--all');
    run('uninstall', '--all');
    expect(existsSync(join(folder, '.claude', 'settings.json'))).toBe(false);
  });
});

/** The lines of all transcripts below a folder, with those that end without a line feed. */
function linesBelow(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const texts = names
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8').replace(/\n$/, ''));
  return texts.reduce((sum, text) => sum + text.split('\n').length, 0);
}

describeShared('the real fleet', (shared) => {
  test('five machines into one store: 36 sessions of one repo, every line accounted for, a second import adds nothing', {
    timeout: 180_000,
  }, () => {
    const folder = tempFolder('fleet');
    cpSync(join(shared, 'fixtures', 'fleet'), join(folder, 'fleet'), { recursive: true });
    const store = { CREDENCE_STORE: `file://${join(folder, 'lake')}` };
    const machines = ['dev1', 'dev2', 'dev3', 'dev4', 'dev5'].map((name) =>
      machine(join(folder, 'fleet', name), store),
    );
    const [one] = machines;
    const written = linesBelow(join(folder, 'fleet'));
    let lines = 0;
    for (const { json } of machines) {
      const { thisRun, wholeFiles } = json('import', '--all') as Record<
        'thisRun' | 'wholeFiles',
        { lines: number; imported: number; merged: number; skipped: Record<string, number> }
      >;
      const skipped = Object.values(thisRun.skipped).reduce((sum, count) => sum + count, 0);
      expect(thisRun.imported + thisRun.merged + skipped).toBe(thisRun.lines);
      expect(wholeFiles).toEqual(thisRun);
      lines += thisRun.lines;
    }
    expect(lines).toBe(written);
    const map = one?.json(
      'repos',
      'map',
      '--file',
      join(shared, 'fixtures', 'fleet', 'repos.json'),
    );
    expect(map).toMatchObject({ added: 8, unresolved: 0 });
    expect(one?.run('maint', '--once').status).toBe(0);
    const sessions = one?.json('sessions', '--limit', '100') as unknown as {
      repo: string;
      agent: string;
    }[];
    expect(sessions).toHaveLength(36);
    expect(new Set(sessions.map((session) => session.repo))).toEqual(
      new Set(['github.com/entireio/cli']),
    );
    expect(new Set(sessions.map((session) => session.agent)).size).toBe(5);
    const { position } = (one?.json('status')['ledger'] ?? {}) as { position: number };
    for (const { json } of machines)
      expect(json('import', '--all')).toMatchObject({
        newFiles: 0,
        thisRun: { lines: 0 },
        sync: { sealed: 0 },
      });
    expect(one?.json('sync')).toMatchObject({ position, sealed: 0 });
    const brief = one?.json('brief', '--repo', 'github.com/entireio/cli') as {
      text: string;
      bytes: number;
    };
    expect(brief.bytes).toBeLessThanOrEqual(9_500);
    const ids = [...brief.text.matchAll(/^- \[[^\]]+\] \(([^)]+)\)/gm)].map(
      (match) => match[1] ?? '',
    );
    expect(ids.length).toBeGreaterThan(5);
    for (const id of ids.slice(0, 4)) expect(one?.run('sessions', id).status).toBe(0);
    expect(one?.run('search', 'gofmt', 'lint').stdout).toMatch(/session/);
  });
});

describe('two at once', () => {
  test('of many syncs at the same moment all end well, and what was captured is sealed once', {
    timeout: 60_000,
  }, async () => {
    const folder = tempFolder('syncs');
    const { run, json, racingHook, env } = machine(folder);
    run('init', '--agent-id', 'cc-01');
    racingHook('UserPromptSubmit', { session_id: 's', prompt: 'go' });
    racingHook('SessionEnd', { session_id: 's', reason: 'exit' });
    const codes = await Promise.all(
      Array.from(
        { length: 6 },
        () =>
          new Promise((done) =>
            spawn(process.execPath, [MAIN, 'sync', '--once'], { env }).on('exit', done),
          ),
      ),
    );
    expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
    settle(folder);
    expect(json('sessions', 's')).toMatchObject({ revision: 1, digest: { prompts: 1 } });
    expect(json('status')).toMatchObject({
      queue: { sessions: 0, unsealed: 0 },
      dropped: { count: 0 },
    });
  });

  test('a sync that is killed at any moment is followed by one that ends well', {
    timeout: 120_000,
  }, async () => {
    const folder = tempFolder('killed');
    const { run, json, hook, env } = machine(folder);
    run('init', '--agent-id', 'cc-01');
    const settings = join(folder, '.credence', 'hook.json');
    const rounds = 10;
    for (let round = 0; round < rounds; round++) {
      // Without a sync of its own, which would leave nothing to do for the one that is killed. Each sync sets it again.
      const written = JSON.parse(readFileSync(settings, 'utf8')) as object;
      writeFileSync(settings, JSON.stringify({ ...written, sync_command: [] }));
      hook('UserPromptSubmit', { session_id: `s${round}`, prompt: `round ${round}` });
      hook('SessionEnd', { session_id: `s${round}`, reason: 'exit' });
      const child = spawn(process.execPath, [MAIN, 'sync', '--once'], { env });
      // Heard from the start: it may be done before it is killed.
      const exit = new Promise((done) => child.on('exit', done));
      await new Promise((done) => setTimeout(done, 150 + round * 40));
      child.kill('SIGKILL');
      await exit;
    }
    expect(run('sync', '--once').status).toBe(0);
    const sessions = json('sessions', '--limit', '100') as unknown as {
      session: string;
      digest: { prompts: number };
    }[];
    expect(sessions.map((one) => one.session).sort()).toEqual(
      Array.from({ length: rounds }, (_, i) => `s${i}`),
    );
    expect(sessions.every((one) => one.digest.prompts === 1)).toBe(true);
    expect(json('status')).toMatchObject({ queue: { sessions: 0, unsealed: 0 } });
  });
});

test('a session’s end starts a sync that maintains the store as well, once an hour', () => {
  const folder = tempFolder('detached');
  const { run, json, hook } = machine(folder);
  run('init', '--agent-id', 'cc-01');
  const home = join(folder, '.credence');
  const pass = (session: string) => {
    hook('UserPromptSubmit', { session_id: session, prompt: 'go' });
    hook('SessionEnd', { session_id: session, reason: 'exit' });
    expect(json('sessions', session)).toMatchObject({ revision: 1 });
    return readdirSync(join(home, 'lake', 'live', 'leases', 'maintenance'));
  };
  const first = pass('one');
  expect(first).toHaveLength(1);
  expect(pass('two')).toEqual(first);
  const hourAgo = Date.now() / 1_000 - 3_601;
  utimesSync(join(home, 'run', 'maint.stamp'), hourAgo, hourAgo);
  expect(pass('three')).not.toEqual(first);
});

test('a store that is gone: a clear error, nothing lost, and all is sent once it is back', () => {
  const folder = tempFolder('gone');
  const { run, json, hook } = machine(folder, {
    CREDENCE_STORE: `file://${join(folder, 'store')}`,
  });
  run('init', '--agent-id', 'cc-01');
  const lake = join(folder, 'store');
  cpSync(lake, join(folder, 'away'), { recursive: true });
  spawnSync('rm', ['-rf', lake]);
  writeFileSync(join(folder, 'x'), '');
  hook('UserPromptSubmit', { session_id: 's', prompt: 'go' });
  hook('SessionEnd', { session_id: 's', reason: 'exit' });
  expect(run('maint').status).toBe(1);
  expect(json('status')).toMatchObject({ lastSync: { ok: false, code: 'store.gone' } });
  const failed = run('sync', '--once');
  expect(failed.status).toBe(1);
  expect(failed.stderr).toMatch(/store is not there[\s\S]*next:/);
  expect(json('status')).toMatchObject({
    lastSync: { ok: false, code: 'store.gone' },
    queue: { sessions: 1 },
  });
  spawnSync('rm', ['-rf', lake]);
  cpSync(join(folder, 'away'), lake, { recursive: true });
  expect(run('sync', '--once').status).toBe(0);
  expect(json('sessions', 's')).toMatchObject({ digest: { prompts: 1 } });
});
