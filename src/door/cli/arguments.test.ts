import { describe, expect, test } from 'vitest';
import { limitOf, momentOf, secondsOf } from './arguments.ts';

test.each(['1', '20', '1000000'])('%s lines', (text) => expect(limitOf(text)).toBe(Number(text)));

test.each(['0', '-5', '', 'x', '1.5', '1e3', ' 7', '0x10', '1000001', '9999999999999'])(
  '%j lines are refused',
  (text) => expect(() => limitOf(text)).toThrow('whole number'),
);

test.each(['x', '0', '-5', '', '9999999999', '86401'])('%j seconds are refused', (text) =>
  expect(() => secondsOf(text)).toThrow('whole number'),
);

describe('a moment', () => {
  test.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T09:30', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31 09:30', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:15.5', '2026-01-31T09:30:15.500Z'],
    ['2026-01-31T09:30Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00+05:45', '2026-01-31T03:45:00.000Z'],
  ])('%s is %s, whatever the zone of this machine', (text, instant) => {
    expect(new Date(momentOf(text)).toISOString()).toBe(instant);
  });

  test.each([
    ['45m', 2_700_000],
    ['12h', 43_200_000],
    ['2d', 172_800_000],
  ])('%s is so long ago', (text, ms) => {
    expect(Math.abs(Date.now() - ms - momentOf(text))).toBeLessThan(10_000);
  });

  test.each([
    ...['', 'x', 'yesterday', '2', '2w', '-2d', '1.5h', '2026', '2026-1-1', '2026-02-30'],
    ...['31.01.2026', '2026-01-31T25:00', '2026-01-31T', '1769817600000', 'March 7'],
  ])('%j is refused', (text) => {
    expect(() => momentOf(text)).toThrow('It has to be a day');
  });
});
