import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesGlob } from './glob.ts';

describe('a glob and a path', () => {
  test.each<[string, string, boolean]>([
    ['/srv/web', '/srv/web', true],
    ['/srv/web', '/srv/web/src/a.ts', true],
    ['/srv/web/', '/srv/web', true],
    ['/srv/web///', '/srv/web/src', true],
    ['/srv/web', '/srv/website', false],
    ['/srv/web', '/srv', false],
    ['/srv/web', '/x/srv/web', false],
    ['/srv/*', '/srv/web', true],
    ['/srv/*', '/srv/web/src', true],
    ['/srv/*', '/srv', false],
    ['/srv/*/src', '/srv/web/src', true],
    ['/srv/*/src', '/srv/a/b/src', false],
    ['/srv/w*b', '/srv/wb', true],
    ['/srv/w*b', '/srv/w/b', false],
    ['/srv/?eb', '/srv/web', true],
    ['/srv/?eb', '/srv/eb', false],
    ['/srv/?eb', '/srv//eb', false],
    ['/srv/?', '/srv/🦊', true],
    ['/srv/??', '/srv/🦊', false],
    ['**/web', '/srv/a/web', true],
    ['**/web', 'web', true],
    ['**/web', '/srv/newweb', false],
    ['/srv/**/src', '/srv/src', true],
    ['/srv/**/src', '/srv/a/b/src', true],
    ['/srv/**/src', '/srv/a/bsrc', false],
    ['/srv/**', '/srv/a/b', true],
    ['/srv/**', '/srv', false],
    ['/srv/a**z', '/srv/a/b/z', true],
    ['**', '', true],
    ['*', '', true],
    ['*', 'a/b', true],
    ['/', '/anything/at/all', true],
    ['/', 'relative', false],
    ['', '', false],
    ['', '/', false],
    ['/srv/a.b', '/srv/axb', false],
    ['/srv/(a|b)', '/srv/a', false],
    ['/srv/[ab]{1}+$^\\', '/srv/[ab]{1}+$^\\', true],
    ['/srv/-', '/srv/-', true],
    ['/Größe/日本', '/Größe/日本/x', true],
    ['/a\nb', '/a\nb', true],
    ['/*b', '/a\nb', true],
    ['C:\\work', 'C:\\work', true],
  ])('%j, %j: %s', (glob, path, expected) => {
    expect(matchesGlob(glob, path)).toBe(expected);
  });
});

/** The same rules as a regular expression: simple, and slow where a glob has many stars. */
function oracle(glob: string): RegExp {
  const source = glob.replace(/\/+$/, '').replace(/\*\*\/|\*\*|[\s\S]/gu, (token) => {
    if (token === '**/') return '(?:[^/]*/)*';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    return token === '?' ? '[^/]' : token.replace(/[\\^$.|+()[\]{}/]/u, '\\$&');
  });
  return new RegExp(`^${source}(?:/.*)?$`, 'su');
}

describe('for any glob', () => {
  // `**/` behind other than a slash is left out: the rules do not say what `a**/b` is.
  const anyGlob = fc
    .array(fc.constantFrom('a', 'b', '/', '*', '?', '**', '/**/', '.', '🦊'), { maxLength: 8 })
    .map((tokens) => tokens.join(''))
    .filter((glob) => glob !== '' && !/[^/]\*\*\//.test(glob));
  const anyPath = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '🦊'), maxLength: 10 });

  test('the answer is that of the rules', () => {
    fc.assert(
      fc.property(anyGlob, anyPath, (glob, path) => {
        expect(matchesGlob(glob, path)).toBe(oracle(glob).test(path));
      }),
      { numRuns: 2_000 },
    );
  });

  /** Runs of stars, which the rules above leave open: read from the left, two by two. */
  test('and of the same rules read token by token, whatever stands side by side', () => {
    const anyTokens = fc.array(fc.constantFrom('a', 'b', '/', '*', '?', '**', '***', '**/', '🦊'), {
      maxLength: 7,
    });
    fc.assert(
      fc.property(anyTokens, anyPath, (pieces, path) => {
        const glob = pieces.join('');
        expect(matchesGlob(glob, path)).toBe(glob !== '' && reads(glob, path));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(['*', '**', '*/', '**/', '?*', '*a', '**a', '*?a', '**/a', '/', 'a'])(
    // Tried one after another, the ways to match would outlast the universe.
    'many of %j end within the time of a test',
    (piece) => {
      for (const [times, length] of [
        [100, 1_000],
        [4_000 / piece.length, 60],
        [20_000, 20],
      ] as const) {
        for (const path of ['a'.repeat(length), 'a/'.repeat(length / 2), '/'.repeat(length)])
          expect(matchesGlob(`${piece.repeat(times)}b`, path)).toBe(false);
      }
    },
  );
});

/** The rules as they are said, one token after the other; exponential. */
function reads(glob: string, path: string): boolean {
  const chars = [...path];
  const follow = (tokens: readonly string[], at: number, fresh: boolean): boolean => {
    const [token, ...rest] = tokens;
    const char = chars[at];
    if (token === undefined) return char === undefined || char === '/';
    if (token === '*' || token === '**') {
      const more = char !== undefined && (token === '**' || char !== '/');
      return (
        follow(rest, at, fresh) ||
        (token === '**' && fresh && rest[0] === '/' && follow(rest.slice(1), at, fresh)) ||
        (more && follow(tokens, at + 1, char === '/'))
      );
    }
    const matches = token === '?' ? char !== undefined && char !== '/' : char === token;
    return matches && follow(rest, at + 1, char === '/');
  };
  return follow(glob.replace(/\/+$/, '').match(/\*\*|[\s\S]/gu) ?? [], 0, true);
}
