import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normaliseRemote, remotesOf } from './remote.ts';

describe('normaliseRemote', () => {
  test.each<[string, string | undefined]>([
    // One repository, however it is written.
    ['git@github.com:Acme/Web.git', 'github.com/acme/web'],
    ['https://github.com/acme/web.git', 'github.com/acme/web'],
    ['https://github.com/acme/web', 'github.com/acme/web'],
    ['https://github.com/acme/web/', 'github.com/acme/web'],
    ['https://github.com/acme/web.git/', 'github.com/acme/web'],
    ['https://GitHub.com:443/acme/web', 'github.com/acme/web'],
    ['ssh://git@github.com/acme/web.git', 'github.com/acme/web'],
    ['ssh://git@github.com:22/acme/web.git', 'github.com/acme/web'],
    ['git+ssh://git@github.com:22/acme/web.git', 'github.com/acme/web'],
    ['git://github.com:9418/acme/web', 'github.com/acme/web'],
    ['http://github.com:80/acme/web', 'github.com/acme/web'],
    ['github.com:acme/web', 'github.com/acme/web'],
    ['github.com/acme/web', 'github.com/acme/web'],
    ['  https://github.com/acme/web.git\n', 'github.com/acme/web'],
    ['https://github.com//acme/web', 'github.com/acme/web'],
    ['https://github.com/acme/web?x=1#readme', 'github.com/acme/web'],
    // Credentials never become part of a name.
    ['https://ada@github.com/acme/web', 'github.com/acme/web'],
    ['https://ada:pw@github.com/acme/web', 'github.com/acme/web'],
    ['https://ada:p@ss@github.com/acme/web', 'github.com/acme/web'],
    ['https://x-access-token:abc:def@github.com/acme/web', 'github.com/acme/web'],
    // Other hosts may tell paths apart by case, and by port.
    ['https://git.example.com/Acme/Web.git', 'git.example.com/Acme/Web'],
    ['https://git.example.com:8443/a/b', 'git.example.com:8443/a/b'],
    ['ssh://git@git.example.com:2222/a/b', 'git.example.com:2222/a/b'],
    ['git@git.example.com:~me/web.git', 'git.example.com/~me/web'],
    ['host:web', 'host/web'],
    ['git@host:/srv/web.git', 'host/srv/web'],
    ['ssh://git@[2001:db8::1]/a/b', '[2001:db8::1]/a/b'],
    ['ssh://git@[2001:db8::1]:2222/a/b.git', '[2001:db8::1]:2222/a/b'],
    ['ssh://[2001:DB8::1]:22/a/b', '[2001:db8::1]/a/b'],
    ['git@[2001:db8::1]:a/b.git', '[2001:db8::1]/a/b'],
    // Paths of this machine name no remote.
    ['/srv/git/web.git', undefined],
    ['../web.git', undefined],
    ['./web', undefined],
    ['web', undefined],
    ['~/web', undefined],
    ['file:///srv/git/web.git', undefined],
    ['FILE:///srv/web', undefined],
    ['C:\\git\\web', undefined],
    ['C:/git/web', undefined],
    ['\\\\server\\share\\web', undefined],
    // No path, no repository.
    ['https://github.com', undefined],
    ['https://github.com/', undefined],
    ['https://github.com/.git', undefined],
    ['git@github.com:', undefined],
    ['https://', undefined],
    ['', undefined],
  ])('%j → %j', (url, expected) => {
    expect(normaliseRemote(url)).toBe(expected);
  });

  test('what it gives, it gives again, and it never holds credentials', () => {
    const word = fc.stringMatching(/^[a-z0-9]{2,8}$/);
    const secret = fc.stringMatching(/^[A-Z]{6,10}[:@]?[A-Z]{0,4}$/);
    fc.assert(
      fc.property(
        word,
        secret,
        word,
        word,
        fc.constantFrom('https', 'ssh', 'git+ssh'),
        (user, pw, a, b, scheme) => {
          const name = normaliseRemote(`${scheme}://${user}:${pw}@git.example.com/${a}/${b}.git`);
          expect(name).toBe(`git.example.com/${a}/${b}`);
          expect(normaliseRemote(name ?? '')).toBe(name);
        },
      ),
    );
  });

  test('any text of any length is read at once', () => {
    for (const text of ['a', '/', '@', ':', '[', '.', ' ', '-', 'a.', 'a@', 'https://', 'a:/'].map(
      (s) => s.repeat(100_000),
    )) {
      normaliseRemote(text);
      normaliseRemote(`https://${text}`);
      normaliseRemote(`https://a/${text}x`);
    }
  });
});

describe('remotesOf', () => {
  const config = (text: string) => Object.fromEntries(remotesOf(text));

  test('reads the remotes of a config in file order, and nothing else', () => {
    const text = [
      '[core]',
      '\trepositoryformatversion = 0',
      '\turl = not-of-a-remote',
      '[remote "upstream"] # the original',
      '\turl = https://github.com/acme/web.git ; as cloned',
      '\turl = https://second.example.com/web',
      '\tfetch = +refs/heads/*:refs/remotes/upstream/*',
      '[include]',
      '\tpath = ../other/config',
      '[branch "main"]',
      '\tremote = origin',
      '[Remote "origin"]',
      '\tURL="git@github.com:me/web.git"',
      '[remote "odd \\"name\\""]',
      '  url=x',
      '[remote]',
      '\turl = nameless',
      '[remote "none"]',
      '\turl =',
      '[remote "late"]',
      '\turl =',
      '\turl = git@host:late.git',
    ].join('\n');
    const remotes = remotesOf(text);
    expect([...remotes]).toEqual([
      ['upstream', 'https://github.com/acme/web.git'],
      ['origin', 'git@github.com:me/web.git'],
      ['odd \\"name\\"', 'x'],
      ['late', 'git@host:late.git'],
    ]);
  });

  test('carriage returns and files without a remote', () => {
    expect(config('[remote "origin"]\r\n\turl = a:b\r\n')).toEqual({ origin: 'a:b' });
    expect(config('')).toEqual({});
    expect(config('url = a:b')).toEqual({});
    expect(config('[remote "origin"\nurl = a:b')).toEqual({});
  });

  test('a hostile file is read in time that its size explains', () => {
    const long = 4 * 1024 * 1024;
    for (const line of [
      `[remote "o"]\nurl = a${' '.repeat(long)}b`,
      `[remote "o"]\nurl = ${'#'.repeat(long)}`,
      `[remote "${'\\'.repeat(long)}`,
      `[${' '.repeat(long)}`,
      `[remote "o"]\n${'url = a\n'.repeat(long / 8)}`,
      '[\n'.repeat(long / 2),
    ]) {
      remotesOf(line);
    }
  });
});
