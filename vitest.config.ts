import { existsSync, readFileSync, statfsSync } from 'node:fs';
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

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './test/kit/reporter.ts'],
    allowOnly: false,
    // Not one fewer than there are cores: with two, half of them would wait.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
