import { describe, expect, test } from 'vitest';
import {
  assert,
  type Category,
  CredenceError,
  codeOf,
  exitCodeOf,
  isRetryable,
  messageOf,
} from './errors.ts';

describe('a category says what a caller may do', () => {
  test.each<[Category, number, boolean]>([
    ['usage', 2, false],
    ['configuration', 78, false],
    ['incorrect', 1, false],
    ['forbidden', 1, false],
    ['missing', 1, false],
    ['conflict', 1, true],
    ['busy', 1, true],
    ['unavailable', 1, true],
  ])('%s', (category, exit, retry) => {
    const error = new CredenceError(category, 'a.b', 'what happened');
    expect([exitCodeOf(error), isRetryable(error)]).toEqual([exit, retry]);
  });

  test.each([new Error('other'), 'text', undefined, null, { category: 'busy' }])(
    '%o is not ours',
    (error) => {
      expect([exitCodeOf(error), isRetryable(error)]).toEqual([1, false]);
    },
  );
});

describe('an error', () => {
  test('has a code, a message, what to do next, data and a cause', () => {
    const cause = new Error('cause');
    const more = { next: 'do that', data: { id: 'x', n: 1 }, cause };
    const error = new CredenceError('busy', 'a.b', 'what happened', more);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'CredenceError', code: 'a.b', ...more });
    expect(String(error)).toBe('CredenceError: what happened');
  });

  test('has no more than it was given', () => {
    const error = new CredenceError('busy', 'a.b', 'what happened');
    expect([error.next, error.data, 'cause' in error]).toEqual([undefined, {}, false]);
  });
});

test.each<[unknown, string, string]>([
  [new CredenceError('busy', 'a.b', 'ours'), 'a.b', 'ours'],
  [Object.assign(new Error('full'), { code: 'ENOSPC' }), 'ENOSPC', 'full'],
  [Object.assign(new Error('odd'), { code: 7 }), 'unknown', 'odd'],
  [new TypeError('plain'), 'unknown', 'plain'],
  [{ code: 'ENOSPC' }, 'unknown', '[object Object]'],
  ['text', 'unknown', 'text'],
  [undefined, 'unknown', 'undefined'],
])('code and message of %s', (error, code, message) => {
  expect([codeOf(error), messageOf(error)]).toEqual([code, message]);
});

test('a broken invariant is a bug, not one of our errors', () => {
  expect(() => assert(true, 'holds')).not.toThrow();
  for (const value of [false, 0, '', null, undefined]) {
    expect(() => assert(value, 'one is one')).toThrow(/^invariant broken: one is one$/);
  }
  let thrown: unknown;
  try {
    assert(false, 'x');
  } catch (error) {
    thrown = error;
  }
  expect(thrown).not.toBeInstanceOf(CredenceError);
});
