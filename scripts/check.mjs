// Everything that must hold before a change lands, in a plain clone with nothing else typed:
//   npm run check
// Needs no package, since it installs them. The tests run last and nothing is printed after their closing
// line, `N passed, N failed, N skipped`, which CI reads.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

process.chdir(dirname(import.meta.dirname));

const LOCK = 'package-lock.json';
const INSTALLED = 'node_modules/.package-lock.json';

/** True where node_modules holds exactly what the lock file names, packages for other platforms left out. */
function isInstalled() {
  try {
    if (statSync(INSTALLED).mtimeMs < statSync(LOCK).mtimeMs) return false;
    const { '': _project, ...wanted } = JSON.parse(readFileSync(LOCK, 'utf8')).packages;
    const found = JSON.parse(readFileSync(INSTALLED, 'utf8')).packages;
    return (
      Object.keys(found).every((path) => path in wanted) &&
      Object.entries(wanted).every(([path, { version, integrity, optional }]) =>
        found[path]
          ? found[path].version === version && found[path].integrity === integrity
          : optional === true,
      )
    );
  } catch (error) {
    // Not there, or cut short by an install that was stopped: either way it has to be done again.
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return false;
    throw error;
  }
}

/** npm as it runs us, so that the same version installs; by name where this file is run directly. */
function npm(...args) {
  const path = process.env['npm_execpath'];
  return path ? [process.execPath, path, ...args] : ['npm', ...args];
}

const tool = (path, ...args) => [process.execPath, `node_modules/${path}`, ...args];

const STEPS = [
  ['install', () => (isInstalled() ? undefined : npm('ci'))],
  ['build', () => npm('run', '--silent', 'build')],
  ['types', () => tool('typescript/bin/tsc', '--noEmit')],
  ['lint', () => tool('@biomejs/biome/bin/biome', 'ci', '--error-on-warnings')],
  ['dead code', () => tool('knip/bin/knip.js', '--no-progress')],
  ['tests', () => tool('vitest/vitest.mjs', 'run')],
];

for (const [name, commandOf] of STEPS) {
  const command = commandOf();
  if (!command) {
    console.log(`check: ${name}: up to date`);
    continue;
  }
  const isLast = name === STEPS.at(-1)[0];
  console.log(`check: ${name} …`);
  const start = performance.now();
  const [program, ...args] = command;
  const { status, signal, error } = spawnSync(program, args, { stdio: 'inherit' });
  const time = `${((performance.now() - start) / 1000).toFixed(1)} s`;
  if (status === 0) {
    if (!isLast) console.log(`check: ${name}: done in ${time}`);
    continue;
  }
  const reason = error?.message ?? (signal ? `stopped by ${signal}` : `exit code ${status}`);
  // The closing line of the tests says it already, and nothing may follow it.
  if (!isLast || status === null) console.error(`check: ${name} FAILED after ${time}: ${reason}`);
  process.exit(status || 1);
}
