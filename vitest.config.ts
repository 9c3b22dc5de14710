import { defineConfig } from 'vitest/config';

// A zone that is neither UTC nor a whole hour from it: code that reads local time by mistake fails here.
process.env['TZ'] = 'Asia/Kathmandu';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './test/kit/reporter.ts'],
    allowOnly: false,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
