import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { place, tempFolder } from '../kit/home.ts';
import { HISTORY_FOLDER, machine, placeHistory } from './machine.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 120_000 });

/** A checkout of a remote. */
function checkout(folder: string, remote: string): string {
  place(join(folder, '.git', 'config'), `[remote "origin"]\n\turl = https://${remote}.git\n`);
  return folder;
}

describe('handoff', () => {
  test('goes to the repo of the session that it names, wherever it is typed', () => {
    const { folder, run, json, hook } = machine(tempFolder('work'));
    checkout(folder, 'github.com/me/here');
    run('init', '--agent-id', 'cc-01');
    const cwd = checkout(join(folder, 'there'), 'github.com/me/there');
    hook('UserPromptSubmit', { session_id: 'running', cwd, prompt: 'go' });
    const note = json('handoff', '--session', 'running', '--summary', 'half done');
    expect(note).toMatchObject({ repo: 'github.com/me/there', session: 'running' });
    const text = run('handoff', '--session', 'running', '--summary', 'more').stdout;
    const [, id = ''] =
      /^handoff ([0-9a-f]{12}) of session running, in github\.com\/me\/there/.exec(text) ?? [];
    run('sync', '--once');
    expect(json('handoffs', id)).toMatchObject([{ repo: 'github.com/me/there', summary: 'more' }]);
    expect(json('handoffs', String(note['id']))).toMatchObject([{ summary: 'half done' }]);
    // Drained meanwhile, and not sealed: what is known of it is in its manifest.
    const again = json('handoff', '--session', 'running', '--summary', 'after a sync');
    expect(again).toMatchObject({ repo: 'github.com/me/there' });
  });

  test('of a sealed session is found by how its id begins', () => {
    const { folder, run, json } = machine(tempFolder('work'));
    placeHistory(folder);
    run('up', '--once');
    run('repos', 'map', HISTORY_FOLDER, 'github.com/example/tidepool');
    expect(json('handoff', '--session', '653b', '--summary', 'x')).toMatchObject({
      repo: 'github.com/example/tidepool',
      session: '653b6cba-96a5-49e5-8b66-174686ff7212',
    });
  });

  test.each(['nonsense', ''])('of %j is refused: nobody could take it up', (session) => {
    const { folder, run } = machine(tempFolder('work'));
    run('init');
    const done = run('handoff', '--session', session, '--summary', 'x');
    expect(done.status).toBe(2);
    expect(done.stderr).toMatch(/handoff\.unknown_session[\s\S]*next: .credence sessions/);
    expect(existsSync(join(folder, '.credence', 'outbox'))).toBe(false);
  });
});

describe('import', () => {
  test('of a file that grew counts what is new, and the whole file', () => {
    const { folder, run, json } = machine(tempFolder('work'));
    placeHistory(folder);
    run('import');
    const projects = join(folder, '.claude', 'projects');
    const [file = ''] = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.jsonl'),
    );
    appendFileSync(
      join(projects, file),
      '{"type":"summary","summary":"a","leafUuid":"b"}\nnonsense\n',
    );
    // A file that was written just now may end in half a line, and is read to its last line feed.
    expect(json('import')).toMatchObject({
      newFiles: 1,
      thisRun: { lines: 2, skipped: { malformed: 1 } },
      wholeFiles: { lines: 106 },
    });
    appendFileSync(join(projects, file), 'nonsense\n');
    expect(run('import').stdout).toMatch(
      /^1 of 3 transcripts had something new\n1 new line: 0 imported, 0 merged into other events, 1 skipped\n/,
    );
  });

  test('since a moment leaves out what was written before', () => {
    const { folder, json } = machine(tempFolder('work'));
    placeHistory(folder);
    expect(json('import', '--since', '2100-01-01')).toMatchObject({ files: 0 });
    expect(json('import', '--since', '2d')).toMatchObject({ files: 3, newFiles: 3 });
  });
});

describe('where the system refuses', () => {
  test('a home that can not be written is named, with what to do', () => {
    const { folder, run } = machine(tempFolder('work'));
    writeFileSync(join(folder, '.credence'), 'in the way');
    for (const args of [['sync', '--once'], ['init'], ['import'], ['status']]) {
      const done = run(...args);
      expect(done.status, args.join(' ')).not.toBe(0);
      // Where status says it, the rest of it is told too.
      const said = args[0] === 'status' ? done.stdout : done.stderr;
      expect(said).toContain(join(folder, '.credence'));
      expect(said).toMatch(/next: \S+/);
      expect(said).not.toMatch(/error E[A-Z]+:/);
    }
    const program = JSON.parse(run('sync', '--once', '--json').stdout) as object;
    expect(program).toMatchObject({
      error: { code: 'file.enotdir', next: expect.any(String) },
    });
  });

  test('doctor writes into both folders, and says which of them takes nothing', () => {
    const check = (json: (...args: string[]) => Record<string, unknown>) => {
      const { checks } = json('doctor') as { checks: { name: string }[] };
      return checks.find(({ name }) => name === 'folders');
    };
    const { folder, run, json } = machine(tempFolder('work'));
    run('init');
    expect(check(json)).toMatchObject({
      ok: true,
      says: expect.stringContaining('can be written'),
    });
    expect(readdirSync(join(folder, '.credence')).filter((name) => /doctor/.test(name))).toEqual(
      [],
    );
    const other = machine(folder, { CREDENCE_HOME: join(folder, 'file', 'home') });
    mkdirSync(join(folder, 'x'));
    writeFileSync(join(folder, 'file'), 'in the way');
    expect(check(other.json)).toMatchObject({
      ok: false,
      says: expect.stringContaining(join(folder, 'file')),
    });
  });

  test('doctor looks at the fleet of the store that is set', () => {
    const folder = tempFolder('work');
    machine(folder).run('init');
    mkdirSync(join(folder, 'other'));
    const { json } = machine(folder, { CREDENCE_STORE: `file://${join(folder, 'other')}` });
    const { checks } = json('doctor') as { checks: { name: string; ok: boolean; next?: string }[] };
    expect(checks.find(({ name }) => name === 'fleet')).toMatchObject({
      ok: false,
      next: expect.stringContaining('point store back'),
    });
  });
});

test('a part that the store lost fails maintenance, and status and doctor tell of it', () => {
  const { folder, run, json } = machine(tempFolder('work'));
  placeHistory(folder);
  run('import');
  const lake = join(folder, '.credence', 'lake');
  const [part = ''] = readdirSync(join(lake, 'sessions'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.parquet'))
    .sort();
  renameSync(join(lake, 'sessions', part), join(folder, 'away'));
  rmSync(join(lake, 'compacted'), { recursive: true, force: true });
  const done = run('maint', '--once');
  expect(done.status).toBe(1);
  expect(done.stdout).toContain('passed over');
  // Its session, of which nothing can be told, and the day that it would have been compacted into.
  expect(json('status')).toMatchObject({ lastSync: { ok: true, passed_over: 2 } });
  expect(run('status').stdout).toMatch(/last sync +done .*\n +passed over .*part_missing/);
  const sick = run('doctor');
  expect(sick.status).toBe(1);
  expect(sick.stdout).toContain(`sessions/${part}`);
  renameSync(join(folder, 'away'), join(lake, 'sessions', part));
  expect(run('maint', '--once').status).toBe(0);
  expect(json('status')).toMatchObject({ lastSync: { ok: true } });
  expect(run('doctor').stdout).toMatch(/ok {2}parts {8}all \d+ that the ledger names/);
});

test('a map that no session fits is said to fit none', () => {
  const { folder, run, json } = machine(tempFolder('work'));
  placeHistory(folder);
  run('import');
  const remote = 'github.com/example/tidepool';
  const strange = run('repos', 'map', HISTORY_FOLDER, remote, '--host', '0123456789abcdef');
  expect(strange.stderr).toMatch(
    /warning \S+tidepool fits no unresolved session .*0123456789abcdef/,
  );
  expect(strange.status).toBe(0);
  expect(run('repos', 'map', HISTORY_FOLDER, remote).stderr).toBe('');
  expect(run('repos', 'map', HISTORY_FOLDER, remote).stderr).toBe('');
  expect(json('repos', 'map', '**/nowhere', remote)).toMatchObject({
    added: 1,
    unresolved: 0,
    idle: ['**/nowhere'],
  });
});
