import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hookFiles } from '../io/hook-files.ts';
import type { LocalFiles } from './port.ts';
import { checkoutOf } from './repo.ts';

const SHA = '0123456789abcdef0123456789abcdef01234567';
const SHA256 = '0123456789abcdef'.repeat(4);
const OTHER = 'fedcba9876543210fedcba9876543210fedcba98';

/** Files by path, their folders implied; `sealed` lets nothing be created. */
function filesOf(
  files: Record<string, string>,
  sealed = false,
): LocalFiles & { files: Record<string, string> } {
  const kept = { ...files };
  return {
    files: kept,
    read: (path) => (path.startsWith('/') ? kept[normal(path)] : undefined),
    kind(path) {
      if (kept[normal(path)] !== undefined) return 'file';
      return Object.keys(kept).some((name) => name.startsWith(`${normal(path)}/`))
        ? 'directory'
        : undefined;
    },
    create(path, text) {
      const folder = normal(path).slice(0, normal(path).lastIndexOf('/') + 1);
      const isThere = Object.keys(kept).some((name) => name.startsWith(folder));
      if (sealed || !isThere || kept[normal(path)] !== undefined) return false;
      kept[normal(path)] = text;
      return true;
    },
  };
}

/** A path as a file system walks it. */
function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

let drawn = 0;
const world = { now: () => 0, random: (bytes: number) => Buffer.alloc(bytes, ++drawn) };
const at = (folder: string, files: LocalFiles, hostId = 'host') =>
  checkoutOf(folder, { files, hostId, world });

const plain = (more: Record<string, string> = {}) => ({
  '/w/.git/config': '[remote "origin"]\nurl = git@github.com:acme/web.git',
  '/w/.git/HEAD': 'ref: refs/heads/main\n',
  '/w/.git/refs/heads/main': `${SHA}\n`,
  '/w/src/a.ts': '',
  ...more,
});

describe('a checkout', () => {
  const found = { repo: 'github.com/acme/web', root: '/w', sha: SHA, branch: 'main' };
  test.each(['/w', '/w/', '/w/src', '/w/src///'])('from %s', (folder) => {
    expect(at(folder, filesOf(plain()))).toEqual(found);
  });

  type Head = readonly [what: string, files: Record<string, string>, expected: object];
  test.each<Head>([
    ['detached', { '/w/.git/HEAD': `${OTHER}\n` }, { sha: OTHER }],
    ['detached, of a repository with longer hashes', { '/w/.git/HEAD': SHA256 }, { sha: SHA256 }],
    [
      'a branch with slashes',
      { '/w/.git/HEAD': 'ref: refs/heads/a/b', '/w/.git/refs/heads/a/b': OTHER },
      { sha: OTHER, branch: 'a/b' },
    ],
    [
      'a packed ref',
      {
        '/w/.git/HEAD': 'ref: refs/heads/packed',
        '/w/.git/packed-refs': `# pack-refs with: peeled\n${SHA} refs/heads/not-packed\n${OTHER} refs/heads/packed\n^${SHA}\n`,
      },
      { sha: OTHER, branch: 'packed' },
    ],
    [
      'a loose ref before a packed one',
      { '/w/.git/packed-refs': `${OTHER} refs/heads/main\n` },
      { sha: SHA, branch: 'main' },
    ],
    ['a branch without a commit yet', { '/w/.git/HEAD': 'ref: refs/heads/new' }, { branch: 'new' }],
    ['a ref that holds no hash', { '/w/.git/refs/heads/main': 'password' }, { branch: 'main' }],
    [
      'a ref that climbs out',
      { '/w/.git/HEAD': 'ref: refs/heads/../../../../etc/key', '/etc/key': SHA },
      { branch: '../../../../etc/key' },
    ],
    ['a ref that is no ref', { '/w/.git/HEAD': 'ref: ../../evil', '/w/evil': SHA }, {}],
    ['a HEAD that is no HEAD', { '/w/.git/HEAD': 'root:x:0:0' }, {}],
    ['an empty HEAD', { '/w/.git/HEAD': '' }, {}],
  ])('HEAD is %s', (_what, files, expected) => {
    const { repo, root, ...head } = at('/w', filesOf(plain(files))) ?? {};
    expect({ repo, root }).toEqual({ repo: found.repo, root: '/w' });
    expect(head).toEqual(expected);
  });

  test.each<[string, string, string]>([
    ['origin, where it stands last', '[remote "a"]\nurl=h1:a\n[remote "origin"]\nurl=h2:b', 'h2/b'],
    [
      'the first, where there is no origin',
      '[remote "b"]\nurl=h1:b\n[remote "a"]\nurl=h1:a',
      'h1/b',
    ],
    ['the one that has a url', '[remote "origin"]\nurl=\n[remote "a"]\nurl=h1:a', 'h1/a'],
  ])('its remote is %s', (_what, config, repo) => {
    expect(at('/w', filesOf(plain({ '/w/.git/config': config })))?.repo).toBe(repo);
  });

  test('a remote that is a path belongs to this host', () => {
    const files = filesOf(plain({ '/w/.git/config': '[remote "origin"]\nurl = /srv/web.git' }));
    const [here, again, there] = ['host', 'host', 'other'].map(
      (host) => at('/w', files, host)?.repo,
    );
    expect(here).toMatch(/^dir:[0-9a-f]{32}$/);
    expect(again).toBe(here);
    expect(there).not.toBe(here);
  });

  test('the innermost of nested ones', () => {
    const inner = {
      '/w/vendor/lib/.git/config': '[remote "origin"]\nurl=h1:lib',
      '/w/vendor/lib/.git/HEAD': SHA,
      '/w/vendor/lib/x': '',
    };
    expect(at('/w/vendor/lib', filesOf(plain(inner)))).toEqual({
      repo: 'h1/lib',
      root: '/w/vendor/lib',
      sha: SHA,
    });
  });
});

describe('worktrees', () => {
  const tree = plain({
    '/trees/two/.git': 'gitdir: /w/.git/worktrees/two\n',
    '/trees/two/src/a.ts': '',
    '/w/.git/worktrees/two/HEAD': 'ref: refs/heads/two\n',
    '/w/.git/worktrees/two/commondir': '../..\n',
    '/w/.git/refs/heads/two': OTHER,
  });
  test('are the repository of their common directory, with a HEAD of their own', () => {
    expect(at('/trees/two/src', filesOf(tree))).toEqual({
      repo: 'github.com/acme/web',
      root: '/trees/two',
      sha: OTHER,
      branch: 'two',
    });
  });

  test.each<[string, string]>([
    ['relative', 'gitdir: ../../w/.git/worktrees/two'],
    ['with spaces about it', '\n gitdir:   /w/.git/worktrees/two  \r\n'.trimStart()],
  ])('a .git file that is %s', (_what, text) => {
    expect(at('/trees/two', filesOf({ ...tree, '/trees/two/.git': text }))?.branch).toBe('two');
  });

  test('a submodule has no common directory, and its own remote', () => {
    const files = plain({
      '/w/lib/.git': 'gitdir: ../.git/modules/lib',
      '/w/.git/modules/lib/config': '[remote "origin"]\nurl = h1:lib',
      '/w/.git/modules/lib/HEAD': SHA,
    });
    expect(at('/w/lib', filesOf(files))).toEqual({ repo: 'h1/lib', root: '/w/lib', sha: SHA });
  });

  test.each(['gitdir: /gone', 'nonsense', ''])(
    'a .git file %j leads nowhere, and nothing is thrown',
    (text) => {
      const checkout = at('/t', filesOf({ '/t/.git': text, '/t/a': '' }));
      expect(checkout?.root).toBe('/t');
      expect(checkout?.repo).toMatch(/^dir:[0-9a-f]{32}$/);
    },
  );
});

describe('without a remote', () => {
  const bare = { '/w/.git/config': '[core]', '/w/.git/HEAD': SHA, '/w/a': '' };
  test('an id is kept in the common directory, and its worktrees share it', () => {
    const files = filesOf({
      ...bare,
      '/t/.git': 'gitdir: /w/.git/worktrees/t',
      '/w/.git/worktrees/t/commondir': '../..',
      '/w/.git/worktrees/t/HEAD': SHA,
    });
    const first = at('/t', files)?.repo;
    expect(first).toMatch(/^local:[0-9a-f]{32}$/);
    expect(at('/w', files)?.repo).toBe(first);
    expect(`local:${files.files['/w/.git/credence-repo-id']?.trim()}`).toBe(first);
  });

  test('two repositories have two ids', () => {
    expect(at('/w', filesOf(bare))?.repo).not.toBe(at('/w', filesOf(bare))?.repo);
  });

  test('the id of a process that was faster counts', () => {
    const files = filesOf(bare);
    const other = 'ab'.repeat(16);
    const racing: LocalFiles = {
      ...files,
      create(path) {
        files.create(path, `${other}\n`);
        return false;
      },
    };
    expect(at('/w', racing)?.repo).toBe(`local:${other}`);
  });

  test('a read-only one is a folder of this host', () => {
    const repo = at('/w', filesOf(bare, true))?.repo;
    expect(repo).toMatch(/^dir:[0-9a-f]{32}$/);
    expect(at('/w', filesOf(bare, true))?.repo).toBe(repo);
  });

  test.each<[string, Record<string, string>]>([
    ['a `.git` file', { '/w/.git': 'gitdir: /home/me/Documents' }],
    [
      'a common directory',
      { '/w/.git': 'gitdir: fake', '/w/fake/HEAD': SHA, '/w/fake/commondir': '/home/me/Documents' },
    ],
  ])('%s that leads to a folder without a HEAD gets no id written there', (_what, files) => {
    const all = filesOf({ ...files, '/w/a': '', '/home/me/Documents/letter': '' });
    const before = Object.keys(all.files).length;
    expect(at('/w', all)?.repo).toMatch(/^dir:/);
    expect(Object.keys(all.files)).toHaveLength(before);
  });

  test('an id file that holds no id is not believed, and not written over', () => {
    const files = filesOf({ ...bare, '/w/.git/credence-repo-id': '../../evil' });
    expect(at('/w', files)?.repo).toMatch(/^dir:/);
    expect(files.files['/w/.git/credence-repo-id']).toBe('../../evil');
  });
});

describe('whatever a checkout holds, it is read in time that its size explains', () => {
  const long = 4 * 1024 * 1024;
  test.each<[string, string, Record<string, string>]>([
    ['blanks in a `.git` file', '/w', { '/w/.git': `gitdir: a${' '.repeat(long)}b` }],
    ['lines of them', '/w', { '/w/.git': `gitdir: a\n${' \n'.repeat(long / 2)}` }],
    ['blanks in a HEAD', '/w', { '/w/.git/HEAD': `ref: ${' '.repeat(long)}x` }],
    ['a folder of slashes', `/w${'/'.repeat(200_000)}x`, { '/w/.git/HEAD': '' }],
  ])('%s', (_what, folder, files) => {
    const all = { ...filesOf({ ...files, '/w/a': '' }), kind: kindIn(files) };
    expect(() => at(folder, all)).not.toThrow();
  });

  /** Files as they are named, every other path a folder: what walks a path is not what is measured. */
  function kindIn(files: Record<string, string>): LocalFiles['kind'] {
    return (path) => {
      if (Object.hasOwn(files, path)) return 'file';
      return path.includes('/.git') ? undefined : 'directory';
    };
  }
});

describe('without git', () => {
  test('a folder is known by host and path', () => {
    const files = filesOf({ '/w/a': '' });
    expect(at('/w', files)).toEqual({
      repo: expect.stringMatching(/^dir:[0-9a-f]{32}$/),
      root: '/w',
    });
    expect(at('/w/', files)).toEqual(at('/w', files));
    expect(at('/w', files, 'other')?.repo).not.toBe(at('/w', files)?.repo);
  });

  test('a folder that is gone is not guessed', () => {
    expect(at('/gone', filesOf({ '/w/a': '' }))).toBeUndefined();
    expect(at('/w/a', filesOf({ '/w/a': '' }))).toBeUndefined();
    expect(at('', filesOf({ '/w/a': '' }))).toBeUndefined();
  });

  test('a path of any depth is walked a bounded way up', () => {
    let looked = 0;
    const files: LocalFiles = {
      read: () => undefined,
      kind: (path) => {
        looked += 1;
        return path.endsWith('/.git') ? undefined : 'directory';
      },
      create: () => false,
    };
    expect(at('/a'.repeat(5_000), files)?.repo).toMatch(/^dir:/);
    expect(looked).toBeLessThan(100);
  });
});

describe('folders that git made', () => {
  const folder = mkdtempSync(join(tmpdir(), 'repo-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const git = (cwd: string, ...args: string[]) =>
    execFileSync(
      'git',
      [
        '-c',
        'user.name=me',
        '-c',
        'user.email=me@example.com',
        '-c',
        'init.defaultBranch=main',
        ...args,
      ],
      {
        cwd,
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          GIT_CONFIG_GLOBAL: '/dev/null',
          GIT_CONFIG_NOSYSTEM: '1',
        },
      },
    ).trim();
  const real = hookFiles(join(folder, 'home'));
  const web = join(folder, 'web');
  const tree = join(folder, 'a tree');
  const make = () => {
    mkdirSync(web);
    git(web, 'init', '-q');
    git(web, 'commit', '-q', '--allow-empty', '-m', 'one');
    git(web, 'worktree', 'add', '-q', '-b', 'side/two', tree);
    git(tree, 'commit', '-q', '--allow-empty', '-m', 'two');
  };

  test('a repository, its worktree and its clone agree with git itself', () => {
    make();
    const [main, side] = [at(web, real), at(tree, real)];
    expect(main).toEqual({
      repo: side?.repo,
      root: web,
      branch: 'main',
      sha: git(web, 'rev-parse', 'HEAD'),
    });
    expect(side).toMatchObject({
      root: tree,
      branch: 'side/two',
      sha: git(tree, 'rev-parse', 'HEAD'),
    });
    expect(main?.repo).toMatch(/^local:[0-9a-f]{32}$/);

    git(web, 'remote', 'add', 'upstream', 'https://github.com/acme/web.git');
    git(web, 'remote', 'add', 'origin', 'git@github.com:me/web.git');
    expect([at(web, real)?.repo, at(tree, real)?.repo]).toEqual([
      'github.com/me/web',
      'github.com/me/web',
    ]);

    git(web, 'pack-refs', '--all');
    expect(at(web, real)).toMatchObject({ branch: 'main', sha: git(web, 'rev-parse', 'HEAD') });
    git(web, 'checkout', '-q', '--detach');
    expect(at(web, real)).toEqual({
      repo: 'github.com/me/web',
      root: web,
      sha: git(web, 'rev-parse', 'HEAD'),
    });

    const clone = join(folder, 'clone');
    git(folder, 'clone', '-q', web, clone);
    expect(at(clone, real)?.repo).toMatch(/^dir:/);
    const link = join(folder, 'link');
    symlinkSync(web, link);
    expect(at(link, real)?.repo).toBe('github.com/me/web');
  });

  test('nothing in the repository changes but for the id', () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    git(other, 'init', '-q');
    const repo = at(other, real)?.repo;
    expect(git(other, 'status', '--porcelain')).toBe('');
    expect(`local:${readFileSync(join(other, '.git/credence-repo-id'), 'utf8').trim()}`).toBe(repo);
  });

  test('a pipe in place of a config does not hold the hook up', () => {
    const trap = join(folder, 'trap');
    mkdirSync(join(trap, '.git'), { recursive: true });
    for (const name of ['config', 'HEAD', 'packed-refs'])
      execFileSync('sh', ['-c', 'mkfifo "$0"', join(trap, '.git', name)]);
    writeFileSync(join(trap, 'a'), '');
    chmodSync(trap, 0o700);
    expect(at(trap, real)?.repo).toMatch(/^dir:/);
  });
});
