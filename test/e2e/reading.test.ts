import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { place, suiteFolder, tempFolder } from '../kit/home.ts';
import { HISTORY_FOLDER, MAIN, machine, placeHistory } from './machine.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const REPO = 'github.com/example/tidepool';

describe('a fresh machine', () => {
  test('opens whatever the samples show, and says that it is made up', () => {
    const { run, json } = machine(tempFolder('fresh'));
    const up = run('up', '--once').stdout;
    const ids = [...up.matchAll(/^- \[[^\]]+\] \(([^)]+)\)/gm)].map(([, id = '']) => id);
    expect(ids.length).toBeGreaterThan(10);
    const hint = [...up.matchAll(/^ {2}credence (.+)$/gm)].map(([, words = '']) => words);
    expect(hint.length).toBeGreaterThan(3);
    for (const words of hint) {
      const done = run(...words.split(' '));
      expect(done.stderr, words).toBe('');
      expect(done.stdout, words).toMatch(/^made up: .*samples\/\n/);
    }
    // Handoffs stand first, before the sessions.
    expect(json('handoffs', ids[0] ?? '')).toHaveLength(1);
    expect(json('sessions', ids.at(-1) ?? '')).toMatchObject({ repo: REPO });
    expect(json('brief')).toMatchObject({ repo: REPO, text: expect.stringContaining(REPO) });
    expect(json('repos')).toMatchObject({ repos: [{ repo: REPO, sessions: 15 }] });
    expect(run('sessions', '--json').stderr).toMatch(/^made up/);
  });

  test('shows the partial handoff as taken by the session that went on with it', () => {
    const { run, json } = machine(tempFolder('fresh'));
    const briefing = run('up', '--once').stdout;
    expect(briefing).not.toMatch(/^- .*Bodies with a Content-Length/m);
    expect(briefing).toContain('Pick up the open handoff on the upload limit');
    const handoffs = json('handoffs', '--all') as unknown as { status: string; takenBy?: string }[];
    expect(handoffs.map(({ status, takenBy }) => [status, takenBy?.slice(0, 8)])).toEqual([
      ['blocked', undefined],
      ['partial', 'fc2447bc'],
      ['done', undefined],
    ]);
  });

  test('shows its own as soon as there is something', () => {
    const { folder, run, json } = machine(tempFolder('fresh'));
    run('up', '--once');
    placeHistory(folder);
    run('import');
    expect(json('sessions')).toHaveLength(3);
    expect(run('sessions').stdout).not.toContain('made up');
  });

  test('shows what came in where nobody can say of which repo it is, and how to place it', () => {
    const { folder, run, json } = machine(tempFolder('fresh'));
    placeHistory(folder);
    const up = run('up', '--once').stdout;
    const [first = { session: '' }, ...others] = json('sessions') as unknown as {
      session: string;
    }[];
    for (const { session } of [first, ...others]) expect(up).toContain(session.slice(0, 12));
    expect(up).toContain('credence repos');
  });

  test('that joined a fleet with sessions shows those, and no samples', () => {
    const folder = tempFolder('fresh');
    const store = ['--store', `file://${join(folder, 'lake')}`];
    const first = machine(join(folder, 'first'));
    placeHistory(first.folder);
    first.run('up', '--once', ...store);
    first.run('repos', 'map', HISTORY_FOLDER, REPO);
    const { json } = machine(join(folder, 'second'));
    expect(json('up', '--once', ...store)).toMatchObject({
      samples: false,
      imported: { files: 0 },
      briefing: { repo: REPO },
    });
  });

  test('without samples says what to do', () => {
    const { run } = machine(tempFolder('fresh'));
    run('sync', '--once');
    for (const args of [['sessions'], ['repos'], ['brief'], ['search', 'x']])
      expect(run(...args).stderr).toMatch(/state\.missing[\s\S]*next: run `credence up`/);
    run('init');
    run('sync', '--once');
    expect(run('repos').stdout).toContain('no sealed session yet');
  });
});

describe('with history', () => {
  const folder = suiteFolder('reading');
  let home: ReturnType<typeof machine>;
  beforeAll(() => {
    home = machine(folder);
    placeHistory(home.folder);
    home.run('up', '--once');
    home.run('repos', 'map', HISTORY_FOLDER, REPO);
    home.run('sync', '--once');
  });

  test('lists say what they leave out', () => {
    expect(home.run('sessions', '--limit', '2').stdout).toMatch(/\n2 of 3; --limit shows more\n$/);
    expect(home.run('sessions').stdout).not.toContain('--limit');
    expect(home.run('search', 'just', '--limit', '1').stdout).toContain('the best 1; --limit');
    expect(home.run('search', 'just', '--limit', '3').stdout).not.toContain('--limit');
  });

  test('empty answers name what they were narrowed to', () => {
    const says = (...args: string[]) => home.run(...args).stdout;
    expect(says('sessions', '--agent', 'zz', '--since', '2026-03-10')).toContain(
      'no sealed session of agent zz since 2026-03-10T00:00Z',
    );
    expect(says('handoffs', '--repo', 'x/y')).toContain('no handoff is waiting in x/y');
    expect(says('handoffs', '--all')).toContain('no handoff was left yet');
    expect(says('search', 'zzz', '--repo', 'x/y')).toContain('nothing fits “zzz” in x/y');
  });

  test.each(['https://github.com/Example/Tidepool.git', 'git@github.com:example/tidepool', REPO])(
    '--repo %s is that repo',
    (repo) => {
      expect(home.json('sessions', '--repo', repo)).toHaveLength(3);
      expect(home.json('search', 'just', '--repo', repo)).toHaveLength(3);
      expect(home.json('brief', '--repo', repo)).toMatchObject({ repo: REPO });
    },
  );

  test.each([
    ['2026-03-10', 1],
    ['2026-03-10T16:00', 1],
    ['2026-03-10T16:30', 0],
    // The same moment, said in other zones.
    ['2026-03-10T21:45+05:45', 1],
    ['2026-03-10T22:15+05:45', 0],
    ['2026-03-06', 2],
    ['90000d', 3],
    ['1h', 0],
  ])('--since %s lists %i', (since, count) => {
    expect(home.json('sessions', '--since', since)).toHaveLength(count);
  });

  test('an id is found as a fence writes it, in capitals, and by its beginning', () => {
    const id = '9fcd5edc-639f-48a4-b2db-eac58390f94f';
    for (const typed of [id, `digest:${id}`, id.toUpperCase(), '9FCD5', 'digest:9fcd'])
      expect(home.json('sessions', typed)).toMatchObject({ session: id });
  });

  test('an id that is not clear is answered with what it may mean', () => {
    const done = home.run('sessions', '');
    expect(done.status).toBe(1);
    expect(done.stderr.split('\n').filter((line) => /^ {2}[0-9a-f]{8}-/.test(line))).toHaveLength(
      3,
    );
  });

  test('brief in a folder that nothing is known of names it, and leaves nothing there', () => {
    const folder = join(home.folder, 'fresh-clone');
    mkdirSync(join(folder, '.git'), { recursive: true });
    place(join(folder, '.git', 'config'), '[core]\n');
    const done = spawnSync(process.execPath, [MAIN, 'brief'], {
      cwd: folder,
      env: home.env,
      encoding: 'utf8',
    });
    expect(done.status).toBe(0);
    expect(done.stdout).toContain(`nothing is recorded about ${folder} (`);
    expect(done.stdout).toContain('credence repos');
    expect(existsSync(join(folder, '.git', 'credence-repo-id'))).toBe(false);
  });

  test('a second import says what it did, and what there is in all', () => {
    expect(home.json('import')).toMatchObject({
      files: 3,
      newFiles: 0,
      thisRun: { lines: 0, imported: 0, merged: 0, skipped: {} },
      wholeFiles: { lines: 104 },
    });
    const { stdout } = home.run('import');
    expect(stdout).toMatch(
      /^0 of 3 transcripts had something new\n0 new lines\nin all, 104 lines:/,
    );
  });
});
