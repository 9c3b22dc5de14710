// Keeps beside the bundle of commands, and that of the MCP server, what V8 compiled of it, so that a start compiles next to
// nothing. V8 compiles a function when it is called first: a few commands and calls of tools are run before, which call what
// nearly all others do. bundle-cli.mjs runs this, in an empty folder that is HOME; the arguments are the bundles, and a
// folder with agent history.
import { cpSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
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

/** What a client says that uses the server of the revision of 2025-11-25, and of a tool that reads. */
const MESSAGES = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'build', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
  { id: 3, method: 'tools/call', params: { name: 'fleet_status', arguments: {} } },
  { id: 4, method: 'tools/call', params: { name: 'memory_search', arguments: { query: 'just' } } },
];

const [bundle = '', server = '', history = ''] = process.argv.slice(2);
cpSync(history, '.claude', { recursive: true });
// Else V8 throws away again what was not called for a while.
setFlagsFromString('--no-flush-bytecode');
const { script, exports } = loadCompiled<typeof import('../src/door/cli/commands.ts')>(bundle);
for (const command of COMMANDS) {
  await exports.main(command.split(' '));
  if (process.exitCode) throw new Error(`credence ${command}: failed`);
}
type Server = typeof import('../src/door/mcp/main.ts');

/** Runs the server, until it answered all of that. */
async function serve({ main }: Server): Promise<void> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const asked = MESSAGES.filter(({ id }) => id !== undefined).length;
  let answers = '';
  stdout.on('data', (chunk) => {
    answers += chunk;
    if (answers.split('\n').length > asked) stdin.end();
  });
  const served = main([], { stdin, stdout });
  for (const message of MESSAGES)
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await served;
  if (/"error"|isError/.test(answers)) throw new Error(`credence mcp: ${answers}`);
}

const served = loadCompiled<Server>(server);
await serve(served.exports);
// V8 refuses what was compiled under other flags than it has; the second was set by a command.
for (const flag of ['--flush-bytecode', '--no-expose-gc']) setFlagsFromString(flag);
writeFileSync(compiledPath(bundle), script.createCachedData());
writeFileSync(compiledPath(server), served.script.createCachedData());
