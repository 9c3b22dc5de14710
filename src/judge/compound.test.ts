import { expect, test } from 'vitest';
import { isCompound } from './compound.ts';

test.each<[boolean, string]>([
  [false, 'The tests need redis.'],
  [false, 'This repo uses just, not make.'],
  [false, 'Builds and tests run in CI.'],
  [false, 'The staging host listens on ports 2222 and 2223.'],
  [false, '`npm test` passed at `abc123`.'],
  [false, '`a && b; c` works in this shell.'],
  [false, 'If the cache is cold, the build takes 5 minutes.'],
  [false, 'The linter fails when unused imports remain.'],
  [false, 'pnpm 9.1.0 is needed, e.g. for catalogs.'],
  [false, 'The tests need redis and postgres to run.'],
  [false, 'The service reads config.yaml and writes out.json.'],
  [false, 'The cache is cold and slow after a restart.'],
  [false, 'Node 20.19 is the oldest version that is supported.'],
  [true, 'The API needs a token. It expires after an hour.'],
  [true, 'The build takes 5 minutes; the nightly job warms the cache.'],
  [true, 'The linter fails on unused imports, and CI runs the linter first.'],
  [true, 'The port is 2222 and the user is deploy.'],
  [true, 'The tests need redis and the database runs on port 5433.'],
])('%j: %s', (compound, text) => expect(isCompound(text)).toBe(compound));
