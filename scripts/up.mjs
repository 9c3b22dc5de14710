// From a plain clone to the first briefing, with nothing else typed:
//   npm run up            sets up, imports the agent history of this machine, shows the next briefing, keeps in step
//   npm run up -- --once  exits after the briefing
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInstalled, npm } from './install.mjs';

const root = dirname(import.meta.dirname);

function run(command, options = {}) {
  const [program, ...args] = command;
  const { status, signal } = spawnSync(program, args, { cwd: root, stdio: 'inherit', ...options });
  if (status !== 0) process.exit(signal === null ? (status ?? 1) : 130);
}

if (!isInstalled()) {
  console.log(
    'up: installing; the database driver is compiled where no binary of it can be had, which takes a minute or two',
  );
  run(npm('ci'));
}
/** True where a source is newer than what was built last: after a pull, say. */
function isStale() {
  const built = statSync(`${root}/dist/credence-hook.cjs`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(`${root}/src`, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  );
  return sources.some((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs > built);
}

if (isStale()) {
  console.log('up: building');
  run(npm('run', '--silent', 'build'));
}
// npm runs scripts in the package's folder; the person typed this in INIT_CWD.
const cwd = process.env.INIT_CWD ?? root;
run([process.execPath, `${root}/dist/door/cli/main.js`, 'up', ...process.argv.slice(2)], { cwd });
