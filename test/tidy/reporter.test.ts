import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = process.cwd();

/** Runs the real runner on planted test files and gives its exit code and its last line. */
function run(folder: string, files: Readonly<Record<string, string>>) {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, body] of Object.entries(files)) {
    const head = "import { describe, expect, test, beforeAll } from 'vitest';\n";
    writeFileSync(join(folder, path), head + body);
  }
  const reporter = join(root, 'test/kit/reporter.ts');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      `--root=${folder}`,
      '--reporter=default',
      `--reporter=${reporter}`,
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  return { status, last: stdout.trimEnd().split('\n').at(-1), all: stdout + stderr };
}

describe('the closing line', { timeout: 60_000 }, () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'credence-reporter-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('counts tests, not suites, and comes last', () => {
    const { status, last } = run(folder, {
      'a.test.ts':
        "describe('s', () => { test('a', () => {}); test('b', () => {}); });\ntest.skip('c', () => {});\ntest.todo('d');",
      'b.test.ts': "test('e', () => {});",
    });
    expect({ status, last }).toEqual({ status: 0, last: '3 passed, 0 failed, 2 skipped' });
  });

  test('counts what fails in a test and outside of one', () => {
    const { status, last } = run(folder, {
      'a.test.ts': "test('a', () => {}); test('b', () => expect(1).toBe(2));",
      'broken.test.ts': "throw new Error('does not load');",
      'hook.test.ts':
        "describe('s', () => { beforeAll(() => { throw new Error('no'); }); test('c', () => {}); });",
      'late.test.ts': "test('d', () => { void Promise.reject(new Error('nobody waits')); });",
    });
    // b, the file that doesn't load, the suite whose hook throws, the rejection; c never ran.
    expect({ status, last }).toEqual({ status: 1, last: '2 passed, 4 failed, 1 skipped' });
  });
});
