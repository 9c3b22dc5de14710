import { expect, test } from 'vitest';
import { LIMIT } from '../base/limits.ts';
import { toInstant } from '../base/time.ts';
import { issuedAt } from './issued-at.ts';

const NOW = Date.UTC(2026, 2, 4, 5);
const AHEAD = LIMIT.future_ms_max;

test.each<[string, number, number]>([
  ['long ago', NOW - 1e11, NOW - 1e11],
  ['now', NOW, NOW],
  ['as far ahead as the ledger takes it', NOW + AHEAD, NOW + AHEAD],
  ['a millisecond further', NOW + AHEAD + 1, NOW],
  ['a thousand years ahead', Date.UTC(2999, 0, 1), NOW],
])('what happened %s', (_what, at, dated) => {
  expect(issuedAt(at, NOW)).toBe(toInstant(dated));
});
