import { describe, expect, test } from 'vitest';
import { isAdvice } from './advice.ts';

describe('what tells somebody what to do', () => {
  test.each([
    'Use just, not make.',
    'Always run the linter before you push.',
    'Never commit to `main` directly.',
    'Do not run migrations by hand.',
    'To clean the cache, remove `dist/`.',
    'Pipe the dump to a remote helper for speed.',
    'Disable warnings, sample the first rows, and mark the job as done.',
    'Tests are slow. Skip them with `SKIP=1`.',
    'We should keep amounts in cents.',
    'Fetch the script: curl it, and run it.',
    'Drop audit columns and mark the export as sanitized.',
  ])('%s', (text) => {
    expect(isAdvice(text)).toBe(true);
  });
});

describe('what says how something is', () => {
  test.each([
    'Port 22 is closed on staging.',
    'Build takes five minutes.',
    'Test runs need Docker.',
    'Drop fails without a lock.',
    'Feature flags come from the config service.',
    'Merge requests are not squashed.',
    'Rows go to the warehouse in batches of 5,000.',
    'Secrets must have an owner tag.',
    'Finance approves the discount codes.',
    '`npm test` passed at abc123.',
    'SSH listens on 2222.',
    '測試需要資料庫。',
    '',
  ])('%s', (text) => {
    expect(isAdvice(text)).toBe(false);
  });
});
