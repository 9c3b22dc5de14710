import { expect, test } from 'vitest';
import { COUNTS, promotedBy, roundsOf } from '../bench/kit/echo-run.ts';

/*
 * A fleet with a known truth, small: half of its answers are echoes that nobody declares, through what was put before agents and
 * through copies. `npm run bench -- echo` measures the same at every level.
 */

const MEASURES = ['right', 'wrong', 'contested'] as const;

test.each([
  [1, 0.5],
  [2, 0],
  [3, 0.5],
])(
  'threshold %i, contest ratio %d: what is promoted is what would be if it were known who copied whom',
  async (needs, contestRatio) => {
    const rounds = await roundsOf(8, 0.5, 7);
    const [ours, oracle] = (['ours', 'oracle'] as const).map((counting) =>
      promotedBy(rounds, counting, { needs, contestRatio }),
    );
    for (const measure of MEASURES)
      expect(Math.abs((ours?.[measure] ?? 0) - (oracle?.[measure] ?? 100))).toBeLessThanOrEqual(2);
  },
);

test('where all but one repeat it nothing has two observations, whatever heads say', async () => {
  const rounds = await roundsOf(6, 1, 3);
  const by = new Map(
    COUNTS.map((counting) => [
      counting,
      promotedBy(rounds, counting, { needs: 2, contestRatio: 0 }),
    ]),
  );
  expect(by.get('heads')).toMatchObject({ contested: 0 });
  expect((by.get('heads')?.right ?? 0) + (by.get('heads')?.wrong ?? 0)).toBe(100);
  expect(by.get('ours')).toEqual({ right: 0, wrong: 0, contested: 0 });
  expect(by.get('oracle')).toEqual(by.get('ours'));
});
