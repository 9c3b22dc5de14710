import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { filledFolder } from '../kit/home.ts';
import { machine } from './machine.ts';

// Each starts the program many times.
vi.setConfig({ testTimeout: 300_000 });

const RULES = `# Rules
- Use \`just\`, not \`make\`, in this repo.
- Run the unit tests before each commit.
- The linter fails on unused imports, and CI runs the linter first.
`;

const begun = filledFolder('conventions', (folder) => {
  const { run } = machine(folder);
  run('init', '--agent-id', 'cc-01');
});

/** A checkout that is the home's folder, with a file of rules in its first commit. */
async function checkout() {
  const one = machine(await begun());
  const env = { ...one.env, GIT_CONFIG_GLOBAL: '/dev/null' };
  const as = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  const git = (...args: string[]) =>
    execFileSync('git', [...as, '-C', one.folder, ...args], { env, stdio: 'pipe' });
  const write = (text: string, name = 'CLAUDE.md') => writeFileSync(join(one.folder, name), text);
  const commit = (...names: string[]) => {
    git('add', '--', ...names);
    git('commit', '-qm', 'x');
  };
  git('init', '-q');
  write(RULES);
  commit('CLAUDE.md');
  return { ...one, write, commit, git };
}

interface Row {
  readonly id: string;
  readonly statement: string;
  readonly status: string;
  readonly suspect: boolean;
}

test('what a person accepts of a file holds at once, is shown once, and goes with its line', async () => {
  const { run, json, write, hook, folder } = await checkout();
  symlinkSync('/etc/hostname', join(folder, 'GEMINI.md'));
  const claims = () => json('claims') as unknown as Row[];
  const dry = json('import', 'conventions', '--dry-run');
  expect(dry).toMatchObject({
    state: 'dry run',
    new: [{ path: 'CLAUDE.md', first: 2 }, { first: 3 }],
    leftOut: [{ line: 4, reason: 'two_things' }],
    unread: [{ path: 'GEMINI.md', why: 'leads out of its checkout' }],
  });
  expect(claims()).toEqual([]);
  expect(json('import', 'conventions')).toMatchObject({ state: 'nothing accepted' });
  expect(run('import', 'conventions', '--accept', '1-9').stderr).toContain('conventions.choice');
  expect(json('import', 'conventions', '--accept', '1')).toMatchObject({
    state: 'accepted',
    accepted: [{ status: 'promoted' }],
  });
  const [first] = claims();
  const page = run('claims', first?.id ?? '').stdout;
  expect(page).toMatch(/independence +passed +observation, and a person accepted it \(1 of 1\)/);
  expect(json('import', 'conventions', '--all')).toMatchObject({ known: 1, new: [{ first: 3 }] });
  expect(json('import', 'conventions', '--all')).toMatchObject({ known: 2, new: [] });

  write(RULES.replace('unit tests', 'whole suite'));
  const changed = json('import', 'conventions', '--retire-gone', '--dry-run');
  const gone = [{ statement: 'Run the unit tests before each commit.' }];
  expect(changed).toMatchObject({ gone, known: 1, new: [{ first: 3 }] });
  expect(json('import', 'conventions', '--retire-gone')).toMatchObject({ withdrawn: 1 });
  expect(json('import', 'conventions', '--dry-run')).toMatchObject({ gone: [], known: 1 });

  const session = 'a1f0c9d2-0000-4000-8000-000000000001';
  hook('SessionStart', { session_id: session, source: 'startup' });
  const refused = run('import', 'conventions', '--all');
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('person.needed')]);
});

test('a commit that changes a file makes the claims about it suspect, and no other commit does', async () => {
  const { json, run, write, commit, git, folder, env } = await checkout();
  const mark = join(folder, 'ran');
  json('import', 'conventions', '--all');
  const suspects = () => (json('claims') as unknown as Row[]).map(({ suspect }) => suspect);
  // Settings of a repository that would start programs.
  writeFileSync(join(folder, 'evil.sh'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o700 });
  mkdirSync(join(folder, 'src'));
  write('x', 'src/a b.ts');
  commit('src/a b.ts');
  const evil = join(folder, 'evil.sh');
  for (const name of [
    'core.fsmonitor',
    'diff.external',
    'core.pager',
    'gpg.program',
    'core.sshCommand',
  ])
    git('config', name, evil);
  git('config', 'log.showSignature', 'true');
  expect(json('sync', '--once')).toMatchObject({ changed: { paths: 0, leftOut: 0 } });
  expect(suspects()).toEqual([false, false]);
  rmSync(mark, { force: true });
  write(`${RULES}- Another rule stands here.\n`);
  // Git counts in seconds: the commit is to be later than what was accepted.
  await new Promise((done) => setTimeout(done, 1_100));
  commit('CLAUDE.md');
  rmSync(mark, { force: true });
  expect(json('sync', '--once')).toMatchObject({ changed: { paths: 1, leftOut: 0 } });
  expect(() => execFileSync('ls', [mark], { env, stdio: 'pipe' })).toThrow();
  expect(suspects()).toEqual([true, true]);
  expect(run('claims').stdout).toContain('suspect');
  expect(json('sync', '--once')).toMatchObject({ changed: { paths: 0 } });
});
