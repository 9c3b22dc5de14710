import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// A zone that is neither UTC nor a whole hour from it: code that reads local time by mistake fails here.
process.env['TZ'] = 'Asia/Kathmandu';

/** True of a folder in memory with room for what tests write, and in which programs may be started. */
function isRoomy(folder: string): boolean {
  if (!existsSync(folder) || !existsSync('/proc/mounts')) return false;
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === folder);
  const { bavail, bsize } = statfsSync(folder);
  return mount !== undefined && !mount.includes('noexec') && bavail * bsize > 4 * 1024 ** 3;
}

// Tests write and sync files by the hundred thousand: a disk takes longer for that than all else.
const MEMORY = '/dev/shm';
if (process.env['TMPDIR'] === undefined && isRoomy(MEMORY)) process.env['TMPDIR'] = MEMORY;

/**
 * What no other test may find in its process: modules that are mocked, variables, and an error that OpenSSL hands to the next
 * call; and what a test can do only where no other one set flags of V8.
 */
const ALONE = /\bvi\.(?:mock|stubEnv)\(|\bscryptSync\(|\bcachedDataRejected\b/;

/** Tests of the tree, which hold the compiler and all that it read in memory. */
const TREE = join('test', 'tidy');

/** The test files below a folder. */
function testsBelow(folder: string): string[] {
  return readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join(folder, path));
}

const tests = [...testsBelow('src'), ...testsBelow('test')];
const isAlone = (path: string) =>
  path.startsWith(TREE) || ALONE.test(readFileSync(join(import.meta.dirname, path), 'utf8'));

export default defineConfig({
  test: {
    // To load the product's modules takes longer than most files of tests: a process loads them once for all that can
    // share it. One group after the other, since a process that waits for a file of its own group ends.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: tests.filter((path) => !isAlone(path)),
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: tests.filter(isAlone),
          sequence: { groupOrder: 1 },
        },
      },
    ],
    reporters: ['default', './test/kit/reporter.ts'],
    allowOnly: false,
    // Not one fewer than there are cores: with two, half of them would wait.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
