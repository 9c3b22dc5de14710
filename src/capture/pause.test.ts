import { describe, expect, test } from 'vitest';
import { pausesOf } from './pause.ts';

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
