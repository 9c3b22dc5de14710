import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../kit/home.ts';

const root = join(import.meta.dirname, '..', '..');

test('the packed package installs into an empty folder and runs there', {
  timeout: 180_000,
}, () => {
  const folder = tempFolder('package');
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  execFileSync(
    'npm',
    ['install', '--silent', '--ignore-scripts', '--prefer-offline', join(folder, packed)],
    { cwd: folder },
  );
  // The driver was compiled for this machine already; compiling it again would say nothing about the package.
  cpSync(
    join(root, 'node_modules', 'better-sqlite3', 'build'),
    join(folder, 'node_modules', 'better-sqlite3', 'build'),
    { recursive: true },
  );
  const home = join(folder, 'home');
  mkdirSync(home);
  const run = (...args: string[]) =>
    spawnSync('npx', ['credence', ...args], {
      cwd: folder,
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: '' },
      encoding: 'utf8',
    });
  const up = run('up', '--once');
  expect(up.stdout).toContain('Fleet context: github.com/example/tidepool');
  expect(up.status).toBe(0);
  expect(run('doctor').stdout).toMatch(/ok {2}hook/);
  const status = JSON.parse(run('status', '--json').stdout) as { setUp: boolean };
  expect(status.setUp).toBe(true);
});
