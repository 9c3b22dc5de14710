import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { CredenceError, exitCodeOf, messageOf } from '../../base/errors.ts';
import { cliContext, packageVersion } from '../../node/cli-context.ts';
import { errorLines } from '../cli/error-text.ts';
import type { Output } from '../cli/output.ts';
import { printable } from '../cli/output.ts';
import { serverOf } from './server.ts';
import { PROFILES, type Profile } from './tool.ts';
import { toolsOf } from './tools.ts';

/** Where a server speaks, and whom it hears. */
interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

const stderr = (line: string) => void process.stderr.write(`${printable(line)}\n`);
const ignore = () => {};

/** Standard output is the protocol's alone: what a command would print there is nobody's. */
const OUT: Output = { json: false, text: ignore, value: ignore, row: ignore, note: stderr };

/** Throws `usage`. */
function profileOf(argv: readonly string[]): Profile {
  const known = PROFILES.join(' or ');
  try {
    const options = { profile: { type: 'string', default: 'default' } } as const;
    const { values } = parseArgs({ args: [...argv], options });
    const found = PROFILES.find((profile) => profile === values.profile);
    if (found !== undefined) return found;
    throw new Error(`there is no profile ${values.profile}: ${known}`);
  } catch (cause) {
    throw new CredenceError('usage', 'usage', messageOf(cause), {
      cause,
      next: '`credence mcp --help` shows how',
    });
  }
}

/** `credence mcp [--profile <name>]`: serves until its input ends. */
export async function main(
  argv: readonly string[],
  { stdin, stdout }: Streams = process,
): Promise<void> {
  try {
    const tools = toolsOf(profileOf(argv));
    const context = cliContext(OUT);
    const ended = Promise.race([once(stdin, 'end'), once(stdin, 'close')]);
    serveStdio(() => serverOf(context, packageVersion(), tools), {
      transport: new StdioServerTransport(stdin, stdout),
      onerror: (error) => stderr(`credence mcp: ${messageOf(error)}`),
    });
    await ended;
  } catch (error) {
    for (const line of errorLines(error)) stderr(line);
    process.exitCode = exitCodeOf(error);
  }
}
