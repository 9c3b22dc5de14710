import { expect, test, vi } from 'vitest';
import { coloursOf } from './colour.ts';

test('a stream is coloured by its own terminal, and not where NO_COLOR says so', () => {
  vi.stubEnv('NO_COLOR', undefined);
  const coloured = (stream: { isTTY?: boolean }) => coloursOf(stream).red('x') !== 'x';
  expect([{ isTTY: true }, { isTTY: false }, {}].map(coloured)).toEqual([true, false, false]);
  vi.stubEnv('NO_COLOR', '1');
  expect(coloured({ isTTY: true })).toBe(false);
  vi.unstubAllEnvs();
});
