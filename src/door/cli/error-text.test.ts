import { describe, expect, test } from 'vitest';
import { CredenceError, exitCodeOf } from '../../base/errors.ts';
import { explained } from '../../base/system-error.ts';
import { errorLines, errorValue } from './error-text.ts';

function refused(code: string, more: object = {}): Error {
  return Object.assign(new Error(`${code}: refused`), {
    code,
    syscall: 'open',
    path: '/h/x.json',
    ...more,
  });
}

describe('an error of the system', () => {
  test.each([
    ['EACCES', 'file.eacces', 'no permission', 'writable'],
    ['EPERM', 'file.eperm', 'not permit', 'writable'],
    ['EROFS', 'file.erofs', 'read-only', 'writable'],
    ['ENOSPC', 'file.enospc', 'full', 'space'],
    ['ENOTDIR', 'file.enotdir', 'folder has to be', 'move'],
    ['EUCLEAN', 'file.euclean', 'refused', 'doctor'],
  ])('%s: its path, a sentence, and the next step', (code, ours, says, next) => {
    const error = refused(code);
    expect(errorValue(error)).toMatchObject({
      error: {
        code: ours,
        message: expect.stringMatching(new RegExp(`^/h/x.json: .*${says}.*${code}`)),
        next: expect.stringContaining(next),
      },
    });
    expect(errorLines(error).at(-1)).toMatch(/next:.*/);
    expect(exitCodeOf(explained(error))).toBe(1);
  });

  test('where it was to be renamed to says more than where it was written', () => {
    expect(errorLines(refused('EACCES', { dest: '/h/real' }))[0]).toContain('/h/real');
  });

  test('of a write that is not done yet, the folder is named', () => {
    const path = '/h/manifests/.credence-12-0123abcd.tmp';
    expect(errorLines(refused('EACCES', { path }))[0]).toContain('/h/manifests: this user');
  });

  test('without a path it says at least what kind of thing it was', () => {
    expect(errorLines(refused('ENOSPC', { path: undefined }))[0]).toContain('a file of this home');
    const gone = refused('ENOENT', { path: undefined, syscall: 'uv_cwd' });
    expect(errorLines(gone)[0]).toContain('the current folder');
  });
});

test('an error of another kind stays as it is', () => {
  const own = new CredenceError('missing', 'a.b', 'c');
  const bug = new TypeError('x is not a function');
  expect([explained(own), explained(bug), explained('text')]).toEqual([own, bug, 'text']);
});

test('the candidates for an id are printed', () => {
  const error = new CredenceError('incorrect', 'session.ambiguous', '2 sessions begin with 2', {
    data: { id: '2', candidates: ['2ac52921', '2a80b8d9'] },
    next: 'give more of the id',
  });
  expect(errorLines(error).slice(1, 3)).toEqual(['  2ac52921', '  2a80b8d9']);
});
