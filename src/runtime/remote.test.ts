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
    ['https://ada:p?w#x@github.com/acme/web', 'github.com/acme/web'],
    ['oauth2:glpat-AAAA@gitlab.com:group/repo.git', 'gitlab.com/group/repo'],
    ['glpat-AAAA@gitlab.com:group/repo.git', 'gitlab.com/group/repo'],
    ['ada@corp.com:pw@gitlab.com:group/repo.git', 'gitlab.com/group/repo'],
    ['ada@corp.com:pw@github.com/o/r', 'github.com/o/r'],
    ['ada:pw@github.com/o/r', 'github.com/o/r'],
    ['ada:pw@host:srv/web', 'host/srv/web'],
    ['https:/ada:pw@github.com/acme/web', 'github.com/acme/web'],
    ['https:/ghp_AAAA@github.com/acme/web', 'github.com/acme/web'],
    ['https:ada:pw@github.com/acme/web', 'github.com/acme/web'],
    ['helper::https://ada:pw@github.com/acme/web', 'github.com/acme/web'],
    ['a::b::ada:pw@github.com/acme/web', 'github.com/acme/web'],
    // Where it can't be told where they end, nothing is kept.
    ['https://ada:12/34@github.com/acme/web', undefined],
    ['https://ada:443/34@github.com/acme/web', undefined],
    ['https://ada:p@1/2@github.com/acme/web', undefined],
    ['https://to/ken@github.com/acme/web', undefined],
    ['ada:p/w@host:group/repo', undefined],
    ['ada:p/w@github.com/acme/web', undefined],
    ['https://example.com/https://ada:pw@github.com/acme/web', undefined],
    ['example.com/https://ada:pw@github.com/acme/web', undefined],
    ['git@host:a/https://ada:pw@github.com/acme/web', undefined],
    ['ext::sh -c "ada:pw@host/x"', undefined],
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
    const secret = fc.stringMatching(/^[A-Z]{6,10}[:@/?#]?[A-Z]{6,10}$/);
    const form = fc.constantFrom(
      (user: string, path: string) => `https://${user}@git.example.com/${path}.git`,
      (user: string, path: string) => `https:/${user}@git.example.com/${path}`,
      (user: string, path: string) => `git+ssh://${user}@git.example.com:22/${path}`,
      (user: string, path: string) => `helper::https://${user}@git.example.com/${path}`,
      (user: string, path: string) => `${user}@git.example.com:${path}.git`,
      (user: string, path: string) => `${user}@git.example.com/${path}`,
    );
    fc.assert(
      fc.property(word, secret, word, word, fc.boolean(), form, (user, pw, a, b, alone, write) => {
        const name = normaliseRemote(write(alone ? pw : `${user}:${pw}`, `${a}/${b}`));
        expect(name).toBe(pw.includes('/') ? undefined : `git.example.com/${a}/${b}`);
        expect(normaliseRemote(name ?? '')).toBe(name);
      }),
    );
  });

  test('any text of any length is read within the time of a test', () => {
    for (const text of ['a', '/', '@', ':', '[', '.', ' ', '-', 'a.', 'a@', 'https://', 'a:/'].map(
      (s) => s.repeat(100_000),
    )) {
      const wide = text.slice(0, 4_000);
      for (const some of [text, wide]) {
        normaliseRemote(some);
        normaliseRemote(`https://${some}`);
        normaliseRemote(`https://a/${some}x`);
      }
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
    const size = 512 * 1024;
    // As long as a line may be that is read at all.
    const wide = 4_000;
    for (const line of [
      `url = a${' '.repeat(wide)}b`,
      `url = ${' #'.repeat(wide / 2)}`,
      `url = ${'\t'.repeat(wide)};`,
      `[remote "${'\\'.repeat(wide)}`,
      `[remote "${'a'.repeat(wide)}`,
      `[${' '.repeat(wide)}`,
      `[remote${' '.repeat(wide)}`,
      'url = a',
      '[',
    ]) {
      const times = Math.ceil(size / line.length);
      // Each of a name of its own: of a remote that is known nothing more is read.
      const sections = Array.from({ length: times }, (_, i) => `[remote "${i}"]\n${line}\n`);
      remotesOf(sections.join(''));
      remotesOf(`[remote "o"]\n${`${line}\n`.repeat(times)}`);
    }
  });

  test('a line too long to name a remote is passed over', () => {
    const config = `[remote "o"]\nurl = a${' '.repeat(5_000)}b\nurl = host:web`;
    expect([...remotesOf(config)]).toEqual([['o', 'host:web']]);
  });
});
