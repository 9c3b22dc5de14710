// Keeps beside the bundle of commands what V8 compiled of it, so that a start compiles next to nothing. V8 compiles a
// function when it is called first: a few commands are run before, which call what nearly all others do. bundle-cli.mjs
// runs this, in an empty folder that is HOME; the arguments are the bundle, and a folder with agent history.
import { cpSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { compiledPath, loadCompiled } from '../src/door/cli/compiled.ts';

const COMMANDS = [
  '--help',
  'init --agent-id a',
  'import --all',
  'status',
  'sync --once',
  'sessions',
  'search just --json',
];

const [bundle = '', history = ''] = process.argv.slice(2);
cpSync(history, '.claude', { recursive: true });
// Else V8 throws away again what was not called for a while.
setFlagsFromString('--no-flush-bytecode');
const { script, exports } = loadCompiled<typeof import('../src/door/cli/commands.ts')>(bundle);
for (const command of COMMANDS) {
  await exports.main(command.split(' '));
  if (process.exitCode) throw new Error(`credence ${command}: failed`);
}
// V8 refuses what was compiled under other flags than it has; the second was set by a command.
for (const flag of ['--flush-bytecode', '--no-expose-gc']) setFlagsFromString(flag);
writeFileSync(compiledPath(bundle), script.createCachedData());
