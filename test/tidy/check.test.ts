import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = process.cwd();

const lock = {
  '': { version: '1.0.0' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/for-another-platform': { version: '1.0.0', optional: true },
};
const { '': _project, 'node_modules/for-another-platform': _other, ...installed } = lock;

/** A project whose tools are stubs that print their name, and fail where FAIL names them. */
describe('npm run check', { timeout: 60_000 }, () => {
  let folder = '';
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const stub = (name: string) =>
    `console.log('ran ${name}', process.argv.slice(2).join(' '));\nprocess.exit(process.env.FAIL === '${name}' ? 3 : 0);\n`;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'credence-check-'));
    put('package.json', '{"type":"commonjs"}');
    put('package-lock.json', JSON.stringify({ packages: lock }));
    put('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
    put('npm.js', stub('npm'));
    put('node_modules/typescript/bin/tsc', stub('tsc'));
    put('node_modules/@biomejs/biome/bin/biome', stub('biome'));
    put('node_modules/knip/bin/knip.js', stub('knip'));
    put('node_modules/vitest/vitest.mjs', stub('vitest'));
    mkdirSync(join(folder, 'scripts'));
    for (const name of ['check.mjs', 'install.mjs']) {
      copyFileSync(join(root, 'scripts', name), join(folder, 'scripts', name));
    }
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function check(fail = '') {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/check.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, FAIL: fail, npm_execpath: join(folder, 'npm.js') },
    });
    const ran = [...stdout.matchAll(/^ran (.+?) *$/gm)].map((match) => match[1]);
    return { status, ran, last: stdout.trimEnd().split('\n').at(-1)?.trimEnd(), stdout, stderr };
  }

  test('runs every step in order, and nothing prints after the tests', () => {
    const { status, ran, last, stdout } = check();
    expect(status).toBe(0);
    expect(ran).toEqual([
      'npm run --silent build',
      'tsc --noEmit',
      'biome ci --error-on-warnings',
      'knip --no-progress',
      'vitest run',
    ]);
    expect(last).toBe('ran vitest run');
    expect(stdout).toMatch(/check: types: done in \d+\.\d s/);
  });

  test.each([
    ['npm', 1, 'build'],
    ['tsc', 2, 'types'],
    ['biome', 3, 'lint'],
    ['knip', 4, 'dead code'],
  ])('stops where %s fails', (tool, steps, name) => {
    const { status, ran, stderr } = check(tool);
    expect(status).toBe(3);
    expect(ran).toHaveLength(steps);
    expect(stderr).toMatch(new RegExp(`^check: ${name} FAILED after .* s: exit code 3\n$`));
  });

  test('failing tests have the last word too', () => {
    const { status, last, stderr } = check('vitest');
    expect({ status, last, stderr }).toEqual({ status: 3, last: 'ran vitest run', stderr: '' });
  });

  test.each([
    ['nothing is installed', () => rmSync(join(folder, 'node_modules/.package-lock.json'))],
    ['an install was cut short', () => put('node_modules/.package-lock.json', '{"packa')],
    [
      'the lock file is newer',
      () =>
        utimesSync(join(folder, 'package-lock.json'), Date.now() / 1000, Date.now() / 1000 + 60),
    ],
    [
      'another version is there',
      () => {
        const other = { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } };
        put('node_modules/.package-lock.json', JSON.stringify({ packages: other }));
      },
    ],
    [
      'a package is missing',
      () => put('node_modules/.package-lock.json', JSON.stringify({ packages: {} })),
    ],
    [
      'a package is left over',
      () => {
        const more = { ...installed, 'node_modules/b': { version: '1.0.0' } };
        put('node_modules/.package-lock.json', JSON.stringify({ packages: more }));
      },
    ],
  ])('installs where %s', (_what, change) => {
    change();
    // The stub of npm fails, so that nothing else has to run.
    expect(check('npm').ran).toEqual(['npm ci']);
  });
});
