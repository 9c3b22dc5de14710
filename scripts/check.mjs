// Everything that must hold before a change lands, in a plain clone with nothing else typed:
//   npm run check
// Needs no package, since it installs them. The tests run last and nothing is printed after their closing
// line, `N passed, N failed, N skipped`, which CI reads.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { isInstalled, npm } from './install.mjs';

process.chdir(dirname(import.meta.dirname));

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
