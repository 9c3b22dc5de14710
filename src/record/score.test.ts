import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scorePpm } from './score.ts';

test.each([
  [0, 0, 500_000],
  [3, 0, 400_000],
  [300, 0, 19_231],
  [0, 3, 600_000],
  [0, 300, 980_769],
])('%i right and %i wrong are %i ppm: few answers move it little', (correct, incorrect, ppm) => {
  expect(scorePpm({ correct, incorrect, expired: 0 })).toBe(ppm);
});

test('what nobody answered moves no score', () => {
  const count = fc.nat(10_000);
  fc.assert(
    fc.property(count, count, count, (correct, incorrect, expired) => {
      const score = scorePpm({ correct, incorrect, expired });
      expect(score).toBe(scorePpm({ correct, incorrect, expired: 0 }));
    }),
  );
});
