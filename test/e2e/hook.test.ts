import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { briefPath } from '../../src/capture/paths.ts';
import { parseSpool } from '../../src/lake/read-spool.ts';
import { place, tempFolder } from '../kit/home.ts';
import {
  bundleHook,
  type Ended,
  type HookHome,
  hookHome,
  hookSettings,
  run,
} from '../kit/hook-process.ts';

let bundle: Awaited<ReturnType<typeof bundleHook>>;
beforeAll(async () => {
  bundle = await bundleHook();
});
afterAll(() => bundle.remove());

function newHome(hookJson: string | undefined = JSON.stringify(hookSettings())): HookHome {
  return hookHome(tempFolder('hook'), hookJson);
}
const payload = (event: string, fields: object = {}) =>
  JSON.stringify({
    hook_event_name: event,
    session_id: 's1',
    cwd: tmpdir(),
    transcript_path: '/t/s1.jsonl',
    ...fields,
  });
const hook = (
  home: HookHome,
  event: string,
  input: string | Uint8Array = payload(event),
  runtime = 'claude-code',
) => run([process.execPath, bundle.file, 'hook', event, runtime], home.env, input);
const SPOOL = 'spool/claude-code/s1.ndjson';
const linesIn = (home: HookHome, path = SPOOL) =>
  parseSpool(readFileSync(join(home.home, path), 'utf8'));

/** The events that were counted as lost, wherever that could be written. */
function drops(home: HookHome): { event: string; code: string }[] {
  const files = [join(home.home, 'spool'), home.temp].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.includes('dropped'))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  );
  const lines = files.flatMap((text) => text.split('\n')).filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as { event: string; code: string });
}

/** The names in a folder; none where there is none. */
function namesIn(path: string): string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? readdirSync(path) : [];
}

/** Law 1: a valid answer and the exit code 0, whatever happened. */
function expectFine(ended: Ended): void {
  expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  JSON.parse(ended.stdout);
}

describe('a hook process', () => {
  test('keeps the event, answers, and says which session its parent runs', async () => {
    const home = newHome();
    const repo = /dir:[0-9a-f]{32}/;
    await hook(home, 'UserPromptSubmit', payload('UserPromptSubmit', { prompt: 'hi' }));
    const [prompt] = linesIn(home).lines;
    expect(prompt?.envelope.repo).toMatch(repo);
    const item = { kind: 'digest', id: 'd1', source: 's0', observed_by: 'cc-02' };
    const brief = {
      version: 1,
      position: 1,
      rendered_at: 'x',
      mode: 'agent',
      lines: [{ text: '- told', bytes: 7, items: [item] }],
      triggers: [],
    };
    const path = join(home.home, briefPath('cc-01', prompt?.envelope.repo ?? ''));
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, JSON.stringify(brief));

    const ended = await hook(home, 'SessionStart', payload('SessionStart', { source: 'startup' }));
    expectFine(ended);
    expect(ended.stdout).toContain('- told');
    const { lines, torn } = linesIn(home);
    expect(torn).toBe(0);
    expect(lines.map((line) => line.envelope.event_type)).toEqual(['prompt', 'session_start']);
    expect(lines[1]?.envelope.injected_context).toEqual([item]);
    const announced = readFileSync(
      join(home.home, 'run/claude-code', `${process.pid}.json`),
      'utf8',
    );
    expect(JSON.parse(announced)).toEqual({ session_id: 's1', transcript_path: '/t/s1.jsonl' });
    // What stands above a runtime may run other sessions, and is a person's own shell.
    expect(existsSync(join(home.home, 'run/claude-code', `${process.ppid}.json`))).toBe(false);
    expect(drops(home)).toEqual([]);
  });

  test('says it of the runtime too where that started a shell in between', async () => {
    const home = newHome();
    const command = [process.execPath, bundle.file, 'hook', 'SessionStart', 'claude-code'];
    // A second command keeps the shell from making itself the hook.
    const ended = await run(
      ['sh', '-c', '"$@"; echo " $$"', 'sh', ...command],
      home.env,
      payload('SessionStart', { source: 'startup' }),
    );
    const shell = ended.stdout.trim().split(' ').at(-1);
    expect(namesIn(join(home.home, 'run/claude-code')).sort()).toEqual(
      [`${process.pid}.json`, `${shell}.json`].sort(),
    );
  });

  test('files are for this user alone', async () => {
    const home = newHome();
    await hook(home, 'SessionStart', payload('SessionStart', { source: 'startup' }));
    const modes = execFileSync('find', [home.home, '-path', '*/spool*', '-printf', '%y %m\n'], {
      encoding: 'utf8',
    });
    expect(new Set(modes.trim().split('\n'))).toEqual(new Set(['d 700', 'f 600']));
  });

  test.each<[string, string | Uint8Array]>([
    ['20 MB', payload('Stop', { a: 'x'.repeat(20 * 1024 * 1024) })],
    ['bad bytes', Buffer.from([0, 255, 254, 0, 123, 10])],
    ['nothing', ''],
  ])('takes %s on its standard input', async (_what, input) => {
    const home = newHome();
    expectFine(await hook(home, 'Stop', input));
    const [name = ''] = namesIn(join(home.home, 'spool/claude-code'));
    expect(linesIn(home, `spool/claude-code/${name}`)).toMatchObject({
      torn: 0,
      lines: [{ recognised: false }],
    });
  });

  test('says how much it was that it did not keep', async () => {
    const home = newHome();
    const input = payload('Later', { a: 'x'.repeat(20 * 1024 * 1024) });
    expectFine(await hook(home, 'Later', input));
    expect(linesIn(home).lines).toMatchObject([
      { envelope: { event_type: 'other', detail: `Later of ${input.length} bytes` } },
    ]);
  });
});

describe('law 1: a valid answer and exit code 0', () => {
  test('without settings nothing is kept', async () => {
    const home = hookHome(tempFolder('hook'));
    const ended = await hook(home, 'Stop');
    expectFine(ended);
    expect(ended.stdout).toBe('{}');
    expect([...namesIn(home.home), ...namesIn(home.temp)]).toEqual([]);
  });

  test.each(['', '{', 'null', '7', '[]', '{}', '{"exclude":7}', '\0'])(
    'with broken settings %j the event is counted as lost',
    async (text) => {
      const home = newHome(text);
      const ended = await hook(home, 'Stop');
      expectFine(ended);
      expect(ended.stdout).toBe('{}');
      expect(drops(home)).toMatchObject([{ event: 'Stop' }]);
      // Of this home alone, though it never had a spool.
      expect(namesIn(join(home.home, 'spool'))).toEqual(['dropped.ndjson']);
      expect(namesIn(home.temp)).toEqual([]);
    },
  );

  test.each<[string, (path: string) => void]>([
    ['a folder', (path) => mkdirSync(path)],
    ['a pipe', (path) => execFileSync('sh', ['-c', 'mkfifo "$0"', path])],
    ['a link to itself', (path) => symlinkSync(path, path)],
  ])('with settings that are %s the event is counted as lost', async (_what, make) => {
    const home = newHome();
    rmSync(join(home.home, 'hook.json'));
    make(join(home.home, 'hook.json'));
    expectFine(await hook(home, 'Stop'));
    expect(drops(home)).toMatchObject([{ event: 'Stop' }]);
  });

  test('where a file stands in the place of the home', async () => {
    const home = newHome();
    rmSync(home.home, { recursive: true });
    writeFileSync(home.home, '');
    expectFine(await hook(home, 'Stop'));
  });

  test('where a file stands in the place of the spool, the event is counted as lost elsewhere', async () => {
    const home = newHome();
    writeFileSync(join(home.home, 'spool'), '');
    const ended = await hook(home, 'Stop');
    expectFine(ended);
    expect(drops(home)).toEqual([expect.objectContaining({ event: 'Stop', code: 'ENOTDIR' })]);
  });

  test('where nothing can be written at all: a full disk', async () => {
    const home = newHome();
    // No file may grow; what would grow it fails as on a full disk.
    const command = [
      'sh',
      '-c',
      'ulimit -f 0; exec "$@"',
      'sh',
      process.execPath,
      bundle.file,
      'hook',
      'SessionStart',
      'claude-code',
    ];
    const ended = await run(command, home.env, payload('SessionStart', { source: 'startup' }));
    expectFine(ended);
    expect(ended.stdout).toBe('{}');
    expect(drops(home)).toEqual([]);
  });

  test('where the disk fills up in the middle of a line: the next event is whole', async () => {
    const home = newHome();
    const big = payload('UserPromptSubmit', { prompt: 'x '.repeat(50_000) });
    const command = [
      'sh',
      '-c',
      'ulimit -f 8; exec "$@"',
      'sh',
      process.execPath,
      bundle.file,
      'hook',
      'UserPromptSubmit',
      'claude-code',
    ];
    const ended = await run(command, home.env, big);
    expectFine(ended);
    expect(drops(home)).toMatchObject([{ event: 'UserPromptSubmit' }]);
    expectFine(await hook(home, 'Stop'));
    expect(linesIn(home)).toMatchObject({
      torn: 1,
      lines: [{ envelope: { event_type: 'turn_end' } }],
    });
  });

  test.each<[string, string]>([
    ['standard input', '<&-'],
    ['standard output', '>&-'],
    ['standard error', '2>&-'],
  ])('where %s is closed', async (what, redirect) => {
    const home = newHome();
    const command = [
      'sh',
      '-c',
      `exec "$@" ${redirect}`,
      'sh',
      process.execPath,
      bundle.file,
      'hook',
      'Stop',
      'claude-code',
    ];
    const ended = await run(command, home.env, payload('Stop'));
    expect(ended).toMatchObject({ code: 0, signal: null });
    if (what !== 'standard output') JSON.parse(ended.stdout);
  });

  test('where nobody reads the answer any more', async () => {
    const home = newHome();
    const ended = await run(
      [process.execPath, bundle.file, 'hook', 'Stop', 'claude-code'],
      home.env,
      payload('Stop'),
      true,
    );
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(linesIn(home).lines).toHaveLength(1);
  });

  test.each(['cursor-next', 'constructor', '__proto__', ''])(
    'for the runtime %j, which is not known',
    async (runtime) => {
      const home = newHome();
      const ended = await hook(home, 'Stop', payload('Stop'), runtime);
      expectFine(ended);
      expect(ended.stdout).toBe('{}');
      expect(namesIn(join(home.home, 'spool'))).toEqual([]);
    },
  );

  test('without any argument', async () => {
    const home = newHome();
    expectFine(await run([process.execPath, bundle.file], home.env));
  });

  test.each([
    { CREDENCE_HOME: 'no/such/folder' },
    { CREDENCE_HOME: '.' },
    { CREDENCE_HOME: '.credence' },
    { CREDENCE_HOME: '' },
    { CREDENCE_HOME: '', HOME: '' },
    { CREDENCE_CONFIG_HOME: '.' },
  ])('the folder that an agent works in is never the home, nor its settings: %j', async (env) => {
    const home = newHome('');
    const touched = join(home.folder, 'touched');
    const script = 'require("fs").writeFileSync(process.argv[1], "")';
    const sync_command = [process.execPath, '-e', script, touched];
    const hostile = JSON.stringify(hookSettings({ sync_command }));
    for (const name of ['hook.json', '.credence/hook.json'])
      place(join(home.folder, name), hostile);
    const command = [
      'sh',
      '-c',
      'cd "$0" && exec "$@"',
      home.folder,
      process.execPath,
      bundle.file,
      'hook',
      'SessionEnd',
      'claude-code',
    ];
    // A home of the user that is none: what the hook does there, it does not do in the folder.
    const users = { ...home.env, HOME: join(home.folder, 'user'), ...env };
    const ended = await run(command, users, payload('SessionEnd'));
    expectFine(ended);
    expect(ended.stdout).toBe('{}');
    await setTimeout(300);
    expect(existsSync(touched)).toBe(false);
    expect(existsSync(join(home.folder, 'spool'))).toBe(false);
    expect(existsSync(join(home.folder, '.credence', 'spool'))).toBe(false);
  });

  test('without the host’s secret, an event that holds nothing to withhold is kept, another is counted as lost', async () => {
    const home = newHome();
    rmSync(join(home.folder, 'config'), { recursive: true });
    expectFine(await hook(home, 'Stop'));
    expect(linesIn(home).lines).toHaveLength(1);
    const key = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
    expectFine(await hook(home, 'UserPromptSubmit', payload('UserPromptSubmit', { prompt: key })));
    expect(drops(home)).toMatchObject([{ event: 'UserPromptSubmit', code: 'ENOENT' }]);
    expect(readFileSync(join(home.home, SPOOL), 'utf8')).not.toContain(key);
  });
});

test('a runtime that is slow to write, in pieces, is waited for', async () => {
  const home = newHome();
  const text = payload('UserPromptSubmit', { prompt: 'slow' });
  const child = spawn(process.execPath, [bundle.file, 'hook', 'UserPromptSubmit', 'claude-code'], {
    env: home.env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(child, 'close');
  for (const piece of [text.slice(0, 40), text.slice(40, 90), text.slice(90)]) {
    await setTimeout(150);
    child.stdin.write(piece);
  }
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(linesIn(home).lines[0]).toMatchObject({ recognised: true, envelope: { content: 'slow' } });
});

describe('what a session’s end starts', () => {
  const script =
    'require("fs").writeFileSync(process.argv[1], process.env.CREDENCE_CHILD ?? "unset")';
  async function seen(path: string): Promise<string> {
    for (let tries = 0; tries < 200 && !existsSync(path); tries++) await setTimeout(25);
    return readFileSync(path, 'utf8');
  }

  test('is one sync, marked as ours, which the hook does not wait for', async () => {
    const path = join(tempFolder('hook-sync'), 'done');
    const slow = `setTimeout(() => { ${script} }, 300)`;
    const home = newHome(
      JSON.stringify(hookSettings({ sync_command: [process.execPath, '-e', slow, path] })),
    );
    expectFine(await hook(home, 'SessionEnd'));
    expect(existsSync(path)).toBe(false);
    expect(await seen(path)).toBe('1');
  });

  test('is nothing where the program is gone, and the hook does not mind', async () => {
    const home = newHome(JSON.stringify(hookSettings({ sync_command: ['/gone/node', 'main.js'] })));
    const ended = await hook(home, 'SessionEnd');
    expectFine(ended);
    expect(linesIn(home).lines).toHaveLength(1);
    expect(drops(home)).toEqual([]);
    const last = JSON.parse(readFileSync(join(home.home, 'last-sync.json'), 'utf8')) as object;
    expect(last).toMatchObject({
      ok: false,
      code: 'ENOENT',
      message: expect.stringContaining('/gone/node'),
    });
  });

  test('our own sessions are not captured', async () => {
    const home = newHome();
    const ended = await hook({ ...home, env: { ...home.env, CREDENCE_CHILD: '1' } }, 'Stop');
    expectFine(ended);
    expect(namesIn(home.home)).toEqual(['hook.json']);
  });
});
