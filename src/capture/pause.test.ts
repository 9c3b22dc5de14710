import { describe, expect, test } from 'vitest';
import { memoryFiles } from '../../test/kit/memory-files.ts';
import { isPausedIn, notePause, pausesOf } from './pause.ts';

describe('pausesOf', () => {
  const forEver = Number.POSITIVE_INFINITY;
  test.each([
    ['', []],
    ['paused 10000\nresumed 20000\n', [{ from: 5_000, to: 20_000 }]],
    ['paused 10000\npaused 12000\nresumed 20000\n', [{ from: 5_000, to: 20_000 }]],
    ['paused 10000\n', [{ from: 5_000, to: forEver }]],
    [
      'paused 10000\nresumed 20000\npaused 30000\n',
      [
        { from: 5_000, to: 20_000 },
        { from: 25_000, to: forEver },
      ],
    ],
    ['resumed 20000\nnonsense\npaused x\n', []],
  ])('%j', (text, expected) => expect(pausesOf(text)).toEqual(expected));
});

test('a log says only what is news', () => {
  const files = memoryFiles();
  const steps = [false, true, true, false, false, true].map((paused, i) => {
    notePause(files, 'paused/x.log', { paused, now: i });
    return isPausedIn(files, 'paused/x.log');
  });
  expect(steps).toEqual([false, true, true, false, false, true]);
  expect(files.files.get('paused/x.log')).toBe('paused 1\nresumed 3\npaused 5\n');
});
