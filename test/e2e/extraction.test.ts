import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { place, tempFolder } from '../kit/home.ts';
import { KEY_VARIABLE, modelConfig } from '../kit/model-home.ts';
import { draftFor, KEY, ModelServer, readPrompt, saying } from '../kit/model-server.ts';
import { MAIN, machine, placeHistory } from './machine.ts';

/* The real command line, with real processes: against a server that speaks a provider's format, and with programs. */

type Reply = Readonly<Record<string, unknown>>;

/** A machine with the three sessions of the samples, imported; commands run beside this process, so that the server can answer. */
async function scene(config: string, env: Record<string, string> = {}) {
  const folder = tempFolder('extraction-cli');
  const one = machine(folder, { [KEY_VARIABLE]: KEY, NO_COLOR: '1', ...env });
  placeHistory(folder);
  expect(one.run('init', '--agent-id', 'cc-01').status).toBe(0);
  expect(one.run('import', '--all').status).toBe(0);
  const path = join(folder, '.config', 'credence', 'config.toml');
  const kept = readFileSync(path, 'utf8').replace(/\[agents\][\s\S]*/, '');
  place(path, `${kept}${config}`);
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env: one.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const run = async (...args: string[]) => {
    const child = start(...args);
    const [stdout, stderr] = [read(child, 'stdout'), read(child, 'stderr')];
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { status, stdout: stdout(), stderr: stderr() };
  };
  const json = async (...args: string[]) => {
    const { stdout, stderr, status } = await run(...args, '--json');
    return { ...JSON.parse(stdout), status, stderr } as Reply;
  };
  return { folder, start, run, json };
}

function read(child: ChildProcess, of: 'stdout' | 'stderr'): () => string {
  let text = '';
  child[of]?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

const until = async (what: string, isSo: () => boolean) => {
  for (let waited = 0; !isSo(); waited += 20) {
    if (waited > 15_000) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

describe('on the command line', () => {
  test('is shown before it is paid for, then told, and what it cost stays in sight', {
    timeout: 60_000,
  }, async () => {
    const server = await new ModelServer().open();
    server.say = (prompt) =>
      saying(draftFor(readPrompt(prompt)), draftFor(readPrompt(prompt), { evidence: [] }));
    const { run, json } = await scene(
      modelConfig('anthropic', server.base, { use_batch_api: false }),
    );
    const plan = await json('maint', '--dry-run');
    expect(plan).toMatchObject({
      status: 0,
      provider: 'anthropic',
      batch: false,
      waiting: 0,
      spentUsdMicros: 0,
    });
    expect(plan['sessions']).toHaveLength(3);
    expect((await run('maint', '--dry-run')).stdout).toMatch(
      /asked about 3 sessions: about [\d,]+ tokens, \$0\.\d{4} at most/,
    );
    expect(server.seen).toEqual([]);
    const told = await run('maint', '--once');
    expect(told.status).toBe(0);
    expect(told.stdout).toMatch(
      /by the model: read 3 sessions, made 3 claims of them; spent \$0\.\d{4}\n/,
    );
    expect(told.stdout).toContain('dropped drafts: 3 of a wrong form');
    expect((await json('status'))['extraction']).toMatchObject({
      done: 3,
      failed: 0,
      submitted: 0,
      capUsdMicros: 5_000_000,
    });
    expect((await run('status')).stdout).toMatch(
      /model {6}read 3 sessions, spent \$0\.\d{4} of \$5\.00 today/,
    );
  });

  test('doctor names the variable, and never what it holds', { timeout: 60_000 }, async () => {
    const server = await new ModelServer().open();
    const { run } = await scene(modelConfig('anthropic', server.base));
    const { stdout } = await run('doctor');
    expect(stdout).toMatch(
      new RegExp(`ok +model +anthropic claude-haiku-4-5, with the key in ${KEY_VARIABLE}`),
    );
    const without = await scene(modelConfig('anthropic', server.base), { [KEY_VARIABLE]: '' });
    const bad = await without.run('doctor');
    expect(bad.stdout).toMatch(new RegExp(`bad +model +the variable ${KEY_VARIABLE} is not set`));
    expect(stdout + bad.stdout).not.toContain(KEY);
  });

  test('a provider that is down keeps nothing from being done: it is shown, and the exit code is 0', {
    timeout: 60_000,
  }, async () => {
    const { run, json } = await scene(modelConfig('ollama', 'http://127.0.0.1:9'));
    const { status, stdout } = await run('maint', '--once');
    expect(status).toBe(0);
    expect(stdout).toMatch(/passed over ollama: ollama can't be reached/);
    expect(stdout).toContain('compacted');
    expect((await json('status'))['lastSync']).toMatchObject({ ok: true, passed_over: 1 });
  });

  test('a key in no output and no file, whatever fails', { timeout: 60_000 }, async () => {
    const server = await new ModelServer().open();
    const { run, folder } = await scene(
      modelConfig('anthropic', server.base, { use_batch_api: false }),
    );
    const echo = {
      status: 400,
      body: { type: 'error', error: { type: KEY, message: `Bearer ${KEY}` } },
    };
    server.faults.push(echo, echo, echo);
    const { stdout, stderr } = await run('maint', '--once');
    const all = await run('status', '--json');
    expect(stdout + stderr + all.stdout).not.toContain(KEY);
    const state = new Database(join(folder, '.credence', 'state.sqlite'), { readonly: true });
    expect(JSON.stringify(state.prepare('SELECT * FROM extractions').all())).not.toContain(KEY);
    state.close();
  });
});

test('a batch outlives the process that sent it', { timeout: 60_000 }, async () => {
  const server = await new ModelServer().open();
  server.say = (prompt) => saying(draftFor(readPrompt(prompt)));
  const { start, json, folder } = await scene(modelConfig('anthropic', server.base));
  const child = start('maint', '--once');
  const ledger = join(folder, '.credence', 'lake', 'ledger');
  await until('a batch', () => server.batches.size === 1);
  await until('its id in the ledger', () => existsSync(ledger) && submittedIn(folder) === 3);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.on('close', resolve));
  server.endsAtOnce = true;
  const after = await json('maint', '--once');
  expect(after['model']).toMatchObject({ answered: 3, claims: 3, submitted: 0, troubles: [] });
  expect(server.batches.size).toBe(1);
});

/** How many revisions the snapshot on disk says are in a batch. */
function submittedIn(folder: string): number {
  const path = join(folder, '.credence', 'state.sqlite');
  if (!existsSync(path)) return 0;
  const state = new Database(path, { readonly: true });
  try {
    const rows = state.prepare("SELECT * FROM extractions WHERE state = 'submitted'").all();
    return rows.length;
  } finally {
    state.close();
  }
}

describe('a program on the PATH', () => {
  const program = async (body: string, more: Record<string, string> = {}) => {
    const bin = tempFolder('bin');
    place(join(bin, 'mine'), `#!${process.execPath}\n${body}`);
    chmodSync(join(bin, 'mine'), 0o755);
    const config = modelConfig('command', '', { max_sessions_per_run: 1 }).replace(
      'provider =',
      'command = ["mine"]\nprovider =',
    );
    const made = await scene(config, { PATH: `${bin}:${process.env['PATH']}`, ...more });
    return { ...made, bin };
  };
  const READ = `
    const input = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    const lines = input.prompt.split('<session-data>')[1].split('\\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    const message = lines.find((line) => line.kind === 'tool');
    const claim = {
      claim_type: 'environment', statement: 'It ran.', subject: ['x'], resolves_at: null,
      evidence: [{ session_id: lines[0].session_id, message_id: message.id, quote: message.text.slice(0, 40).trim() }],
    };`;

  test('answers on its standard output, and says what it cost', { timeout: 60_000 }, async () => {
    const { json } = await program(`${READ}
      if (process.env.CREDENCE_CHILD === undefined) process.exit(9);
      console.log(JSON.stringify({ claims: [claim], spend_usd_micros: 77 }));`);
    expect((await json('maint', '--once'))['model']).toMatchObject({
      answered: 1,
      claims: 1,
      spentUsdMicros: 77,
    });
  });

  test.each<[string, string, string]>([
    ['prints garbage', "console.log('certainly! ' + 'x'.repeat(99))", 'model.reply'],
    ['prints nothing', '', 'model.reply'],
    [
      'prints without end',
      "const line = 'x'.repeat(65536); const go = () => { while (process.stdout.write(line)); process.stdout.once('drain', go); }; go();",
      'model.size',
    ],
    ['fails', 'console.log(\'{"claims":[]}\'); process.exit(3)', 'model.exit'],
    ['is killed', 'process.kill(process.pid, "SIGKILL")', 'model.exit'],
  ])('that %s: %s', { timeout: 60_000 }, async (_what, body, code) => {
    const { json } = await program(body);
    const { model, status }: Reply = await json('maint', '--once');
    expect(status).toBe(0);
    expect(model).toMatchObject({ answered: 0, failed: 1, troubles: [{ code }] });
  });

  test('that is not there', { timeout: 60_000 }, async () => {
    const { json } = await scene(
      modelConfig('command', '').replace('provider =', 'command = ["no-such-program"]\nprovider ='),
    );
    const { model }: Reply = await json('maint', '--once');
    expect(model).toMatchObject({
      troubles: [{ code: 'model.command', message: "no-such-program can't be started (ENOENT)" }],
    });
  });

  test('and what it leaves behind ends with it, also what left its group', {
    timeout: 60_000,
  }, async () => {
    const { json, bin } = await program(`${READ}
      const { spawn } = require('node:child_process');
      const { writeFileSync } = require('node:fs');
      const inner = "require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'inherit' }).unref(); setInterval(() => {}, 1000)";
      const child = spawn(process.execPath, ['-e', inner], { detached: true, stdio: ['ignore', 'inherit', 'ignore'] });
      child.unref();
      writeFileSync(__dirname + '/pid', String(child.pid));
      setTimeout(() => { console.log(JSON.stringify({ claims: [claim] })); process.exit(0); }, 300);`);
    expect((await json('maint', '--once'))['model']).toMatchObject({ answered: 1, claims: 1 });
    const pid = Number(readFileSync(join(bin, 'pid'), 'utf8'));
    expect(isAlive(pid)).toBe(false);
    expect(process.platform === 'linux' ? startedIn(bin) : []).toEqual([]);
  });

  test('ends with us, where we are stopped', { timeout: 60_000 }, async () => {
    const { start, bin } = await program(
      "require('node:fs').writeFileSync(__dirname + '/pid', String(process.pid)); setInterval(() => {}, 1000);",
    );
    const child = start('maint', '--once');
    await until('the program runs', () => existsSync(join(bin, 'pid')));
    const pid = Number(readFileSync(join(bin, 'pid'), 'utf8'));
    child.kill('SIGTERM');
    await new Promise((resolve) => child.on('close', resolve));
    await until('the program ends', () => !isAlive(pid));
  });

  test('may be an agent: its hooks keep silent', { timeout: 60_000 }, async () => {
    const hook = join(import.meta.dirname, '..', '..', 'dist', 'credence-hook.cjs');
    const { json, folder } = await program(`${READ}
      const payload = { hook_event_name: 'UserPromptSubmit', session_id: 'own-agent', cwd: process.cwd(), prompt: input.prompt };
      const done = require('node:child_process').spawnSync(process.execPath, [${JSON.stringify(hook)}, 'hook', 'UserPromptSubmit', 'claude-code'], { input: JSON.stringify(payload) });
      if (String(done.stdout) !== '{}') process.exit(8);
      console.log(JSON.stringify({ claims: [claim] }));`);
    expect((await json('maint', '--once'))['model']).toMatchObject({ answered: 1 });
    expect(existsSync(join(folder, '.credence', 'spool', 'claude-code'))).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

/** The processes that were started with a folder on their PATH. */
function startedIn(folder: string): string[] {
  const { readdirSync } = process.getBuiltinModule('node:fs');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'utf8').includes(folder);
      } catch {
        return false;
      }
    });
}
