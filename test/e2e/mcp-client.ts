import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { MAIN, type machine } from './machine.ts';

type Machine = ReturnType<typeof machine>;
type Mode = NonNullable<ClientOptions['versionNegotiation']>['mode'];

/** How a client asks for each revision of the protocol that the server speaks. */
export const REVISIONS: readonly (readonly [revision: string, mode: Mode])[] = [
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
];

/** What a tool answered. */
export interface Answer {
  readonly text: string;
  readonly value: Record<string, unknown>;
  readonly isError: boolean;
  /** Of an error its code. */
  readonly code: string | undefined;
}

/** The variables that are set, as a process is given them. */
function environment({ env }: Machine): Record<string, string> {
  const set = Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined);
  return Object.fromEntries(set);
}

/** The folder that sessions of a machine work in: a checkout of a repo, at a commit. */
export function checkout(
  { folder }: Pick<Machine, 'folder'>,
  repo: string,
  { name = 'work', sha = 'a' }: { readonly name?: string; readonly sha?: string } = {},
): string {
  const work = join(folder, name);
  mkdirSync(join(work, '.git'), { recursive: true });
  writeFileSync(join(work, '.git', 'HEAD'), `${sha.repeat(40)}\n`);
  writeFileSync(join(work, '.git', 'config'), `[remote "origin"]\n\turl = https://${repo}.git\n`);
  return work;
}

/** A client of the built server, which this process started as a runtime does. */
export async function connect(
  one: Machine,
  how: { readonly mode?: Mode; readonly args?: readonly string[]; readonly cwd?: string } = {},
) {
  const { mode = { pin: '2026-07-28' }, args = [], cwd = one.folder } = how;
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    env: environment(one),
    cwd,
    stderr: 'ignore',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<Answer> => {
    const { content, structuredContent, isError } = await client.callTool({
      name,
      arguments: given,
    });
    const [first] = content;
    const value = (structuredContent ?? {}) as Answer['value'];
    const code = (value['error'] as { code?: string } | undefined)?.code;
    const text = first?.type === 'text' ? first.text : '';
    return { text, value, isError: isError === true, code };
  };
  return { client, call };
}

/** The server as a bare process, to which lines are written. */
export async function speak(
  one: Machine,
  lines: readonly string[],
): Promise<{ stdout: string; stderr: string; status: number | null }> {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [MAIN, 'mcp'], {
    cwd: one.folder,
    env: one.env,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const answers = lines.filter((line) => /"id":/.test(line)).length;
  for (const line of lines) child.stdin.write(`${line}\n`);
  const closed = once(child, 'close');
  // All that is asked is answered before the input ends: what is still in flight then is not.
  const deadline = Date.now() + 20_000;
  while (stdout.split('\n').length <= answers && Date.now() < deadline)
    await new Promise((go) => setTimeout(go, 20));
  child.stdin.end();
  await closed;
  return { stdout, stderr, status: child.exitCode };
}
