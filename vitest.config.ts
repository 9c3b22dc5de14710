import { defineConfig } from 'vitest/config';

// A zone that is neither UTC nor a whole hour from it: code that reads local time by mistake fails here.
process.env['TZ'] = 'Asia/Kathmandu';

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
