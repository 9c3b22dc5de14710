import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { encodePathPart } from '../../src/base/path-part.ts';
import { readIfThere } from '../../src/io/small-file.ts';
import { parseSpool } from '../../src/lake/read-spool.ts';
import { filledFolder, place, tempFolder } from '../kit/home.ts';
import { machine } from './machine.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 120_000 });

const installed = filledFolder('hooked', (folder) => {
  machine(folder).run('install', 'claude-code');
});

/** A machine with hooks, and what is kept there of the prompts that it is given. */
async function hooked() {
  const folder = await installed();
  const path = join(folder, '.credence', 'hook.json');
  const one = machine(folder);
  const keeps = (prompt: string, env: Readonly<Record<string, string>> = {}) => {
    machine(folder, env).hook('UserPromptSubmit', { session_id: 's', prompt });
    const spool = readIfThere(join(folder, '.credence', 'spool', 'claude-code', 's.ndjson')) ?? '';
    return parseSpool(spool).lines.some(({ envelope }) => envelope.content === prompt);
  };
  const told = (env: Readonly<Record<string, string>> = {}) =>
    machine(folder, env).run('status').stdout;
  return { ...one, path, keeps, told, env: (env: Record<string, string>) => machine(folder, env) };
}
const configOf = (folder: string) => join(folder, '.config', 'credence', 'config.toml');

describe('a variable', () => {
  test.each([
    ['true', false],
    ['maybe', false],
    ['1', false],
    ['false', true],
    ['', true],
  ])('CREDENCE_PAUSE=%j on a hook keeps its event: %j', async (value, kept) => {
    const { keeps } = await hooked();
    expect(keeps('one', { CREDENCE_PAUSE: value })).toBe(kept);
    expect(keeps('two')).toBe(true);
  });

  test('lifts no pause that is set', async () => {
    const { run, keeps, told } = await hooked();
    run('config', 'set', 'capture.pause', 'true');
    expect(keeps('one', { CREDENCE_PAUSE: 'false' })).toBe(false);
    expect(told({ CREDENCE_PAUSE: 'false' })).toContain('paused by the settings');
  });

  test('holds for one call: a sync leaves nothing of it to hooks', async () => {
    const { env, path, keeps, told } = await hooked();
    const before = readFileSync(path, 'utf8');
    const set = {
      CREDENCE_PAUSE: 'true',
      CREDENCE_EXCLUDE: '/**',
      CREDENCE_DENIED_PATHS: '**',
      CREDENCE_REFUSE_DENIED: 'true',
      CREDENCE_MODE: 'none',
    };
    for (const args of [
      ['sync', '--once'],
      ['init'],
      ['config', 'set', 'capture.idle_seal', '45m'],
    ])
      expect(env(set).run(...args).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(keeps('one')).toBe(true);
    expect(told()).toMatch(/capture +on/);
  });

  test('that hooks do not go by is named by status', async () => {
    const { told, env } = await hooked();
    expect(told()).not.toContain('hook.json');
    const says = told({ CREDENCE_EXCLUDE: '/**', CREDENCE_MODE: 'none' });
    expect(says).toMatch(/CREDENCE_EXCLUDE is set, and hooks[\s\S]*config set capture\.exclude/);
    expect(says).toContain('CREDENCE_MODE is set');
    const paused = env({ CREDENCE_PAUSE: 'true' }).run('status').stdout;
    expect(paused).toContain('paused by the settings');
    expect(paused).not.toContain('hook.json');
  });
});

describe('a folder that is excluded', () => {
  /** A home with a folder in it, `real`, and a link to that. */
  async function linked() {
    const one = await hooked();
    const [real, link] = ['real', 'link'].map((name) => join(one.folder, name));
    mkdirSync(join(real ?? '', 'sub'), { recursive: true });
    symlinkSync(real ?? '', link ?? '');
    const keepsIn = (cwd: string) => {
      // An event that starts no sync, which would take the spool away.
      one.hook('PreCompact', { session_id: cwd, cwd: join(one.folder, cwd) });
      const spool = join(one.folder, '.credence', 'spool', 'claude-code');
      return existsSync(join(spool, `${encodePathPart(cwd)}.ndjson`));
    };
    return { ...one, keepsIn };
  }

  test.each(['~/real', '~/link', 'HERE/real', 'HERE/link', 'HERE/link/../real', '~/x/../real/'])(
    'as %s is so by whatever path a session names it',
    async (glob) => {
      const { folder, run, keepsIn } = await linked();
      const done = run('config', 'set', 'capture.exclude', glob.replace('HERE', folder));
      expect(done.status).toBe(0);
      for (const cwd of ['real', 'link', 'real/sub', 'link/sub'])
        expect(keepsIn(cwd), cwd).toBe(false);
      expect(keepsIn('.')).toBe(true);
    },
  );

  test('by hand is so from the next sync on', async () => {
    const { folder, run, keepsIn } = await linked();
    const toml = `${readFileSync(configOf(folder), 'utf8')}[capture]\nexclude = ["~/link"]\n`;
    writeFileSync(configOf(folder), toml);
    run('sync', '--once');
    expect([keepsIn('real'), keepsIn('link')]).toEqual([false, false]);
  });

  test.each(['proj', './proj', '../proj', '*/proj'])(
    'as %s, which excludes none, is refused',
    (glob) => {
      const { folder, run } = machine(tempFolder('hook-settings'));
      const done = run('config', 'set', 'capture.exclude', glob);
      expect(done.status).toBe(78);
      expect(done.stderr).toContain(
        'has to be a list of globs of folders that begin with /, ~/ or **',
      );
      expect(existsSync(configOf(folder))).toBe(false);
      place(configOf(folder), `[capture]\nexclude = ["${glob}"]\n`);
      expect(run('status').stderr).toContain(
        `${configOf(folder)}) is ["${glob}"], and has to be a list`,
      );
    },
  );
});

describe('what status and doctor say of hooks is what they do', () => {
  const checkOf = (json: (...args: string[]) => Record<string, unknown>) =>
    (json('doctor') as { checks: { name: string; ok: boolean; next?: string }[] }).checks.find(
      ({ name }) => name === 'hook.json',
    );

  test('after an edit by hand, until the next sync', async () => {
    const { folder, run, json, keeps, told } = await hooked();
    expect(checkOf(json)).toMatchObject({ ok: true });
    writeFileSync(
      configOf(folder),
      `${readFileSync(configOf(folder), 'utf8')}[capture]\npause = true\n`,
    );
    expect(keeps('one')).toBe(true);
    expect(told()).toMatch(
      /capture +on[\s\S]*hook\.json, where capture\.pause is not[\s\S]*next: run `credence sync --once`/,
    );
    expect(checkOf(json)).toMatchObject({ ok: false, next: 'run `credence sync --once`' });
    run('sync', '--once');
    expect(keeps('two')).toBe(false);
    expect(told()).toMatch(/capture +paused by the settings/);
    expect(json('status')).toMatchObject({ paused: true, hookSettings: { faults: [] } });
  });

  test.each<[string, (path: string) => void]>([
    ['is missing', (path) => rmSync(path)],
    ["can't be read", (path) => writeFileSync(path, '{"pause"')],
    ["can't be read", (path) => writeFileSync(path, '{}')],
  ])('where hook.json %s', async (what, spoil) => {
    const { run, json, path, keeps, told } = await hooked();
    spoil(path);
    expect(keeps('one')).toBe(false);
    expect(told()).toMatch(/capture +off: hooks are in .*, but keep nothing/);
    expect(told()).toContain(`hook.json ${what}`);
    expect(checkOf(json)).toMatchObject({ ok: false, next: 'run `credence sync --once`' });
    run('sync', '--once');
    expect(keeps('two')).toBe(true);
    expect(told()).toMatch(/capture +on/);
  });
});
