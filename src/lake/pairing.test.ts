import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Counted, ordinalsOf } from './pairing.ts';

/** Known occurrences at these times, with ordinals from 0. */
const counted = (...times: number[]): Counted[] =>
  times.map((time, ordinal) => ({ time, ordinal }));

describe('equal events of a transcript', () => {
  test.each<[string, number[], Counted[], number[]]>([
    ['nobody saw any', [1, 2], [], [0, 1]],
    ['hooks saw all, each a little earlier', [5, 15], counted(4, 14), [0, 1]],
    ['hooks began with the last', [0, 40], counted(40), [1, 0]],
    ['hooks missed one in the middle', [0, 10, 20], counted(1, 19), [0, 2, 1]],
    ['hooks ended with the first', [0, 10, 20], counted(0), [0, 1, 2]],
    ['the nearest would leave too few', [1, 6, 20], counted(5, 6), [2, 0, 1]],
    ['all at one moment', [7, 7, 7], counted(7, 7), [0, 1, 2]],
    ['none says when', [0, 0, 0], counted(90, 95), [2, 0, 1]],
    ['the transcript has lost some', [21], counted(0, 10, 20), [2]],
    ['and is not in order', [20, 0], counted(0, 10, 20), [2, 0]],
    [
      'ordinals are not in the order of time',
      [0, 40],
      [
        { time: 40, ordinal: 0 },
        { time: 0, ordinal: 3 },
      ],
      [3, 0],
    ],
  ])('%s', (_what, told, known, expected) => {
    const next = Math.max(known.length, ...known.map(({ ordinal }) => ordinal + 1));
    expect(ordinalsOf(told, known, next)).toEqual(expected);
  });

  const times = fc.array(fc.nat({ max: 50 }), { maxLength: 12 });
  test('get ordinals of their own, and the same again once they are known', () => {
    fc.assert(
      fc.property(times, times, (told, live) => {
        const known = counted(...live);
        const ordinals = ordinalsOf(told, known, known.length);
        expect(new Set(ordinals).size).toBe(told.length);
        // Whatever can be paired is: no more are new than one side has beyond the other.
        const fresh = ordinals.filter((ordinal) => ordinal >= known.length);
        expect(fresh).toHaveLength(Math.max(0, told.length - known.length));
        const added = told
          .map((time, i) => ({ time, ordinal: ordinals[i] ?? 0 }))
          .filter(({ ordinal }) => ordinal >= known.length);
        const again = ordinalsOf(told, [...known, ...added], known.length + added.length);
        expect(again).toEqual(ordinals);
      }),
      { numRuns: 500 },
    );
  });

  test('many at one moment are paired as fast as others', () => {
    const many = Array.from({ length: 50_000 }, () => 7);
    const ordinals = ordinalsOf(many, counted(...many.slice(0, 25_000)), 25_000);
    expect(ordinals).toEqual(many.map((_, i) => i));
  });
});
