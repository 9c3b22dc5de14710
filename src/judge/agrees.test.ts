import { describe, expect, test } from 'vitest';
import { type Answer, agrees } from './agrees.ts';

const rows: ReadonlyArray<readonly [Answer, string, string]> = [
  ['correct', 'The upgrade will break the build.', 'The upgrade broke the build.'],
  ['correct', 'I think `make test` fails on Node 22.', 'On Node 22 `make test` fails.'],
  ['correct', 'Hypothesis: the queue is full.', 'The queue is full, with 900 jobs.'],
  ['correct', 'Probably the cache is disabled.', 'The cache is disabled in all regions.'],
  ['incorrect', '`make test` will pass on Node 22.', '`make test` fails on Node 22.'],
  ['incorrect', 'The limit is probably 10 MB.', 'The limit is 25 MB.'],
  ['incorrect', 'We expect that the leak comes from the pool.', 'The leak comes from the cache.'],
  // All words in common, and nothing is answered.
  ['unrelated', 'The queue is full because of the mailer.', 'The queue is full.'],
  ['unrelated', 'The tests fail on Windows.', 'The tests pass on Linux.'],
  ['unrelated', 'The build of the app will fail.', 'The build of the app took 9 minutes.'],
  ['unrelated', 'All regions are slow.', 'The region in Asia is slow.'],
];

describe('an outcome answers a hypothesis', () => {
  test.each(rows)('%s: %s | %s', (answer, hypothesis, outcome) => {
    expect(agrees({ text: hypothesis }, { text: outcome })).toBe(answer);
  });
});
