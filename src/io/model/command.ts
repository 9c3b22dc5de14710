import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { CredenceError, codeOf } from '../../base/errors.ts';
import { countOf, jsonIn, objectOf } from '../../base/unknown.ts';
import { CHILD_VARIABLE } from '../../capture/own.ts';
import type { Model, ModelReply } from '../../extract/model.ts';

const REPLY_BYTES_MAX = 1024 * 1024;
/** By which whatever a program leaves behind is found. */
const RUN_VARIABLE = 'CREDENCE_EXTRACTOR_RUN';

/** How a program is run. */
export interface Program {
  readonly command: readonly string[];
  /** A folder that no agent works in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ms: number;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH' && codeOf(error) !== 'EPERM') throw error;
  }
}

/** The processes that were started with a token in their environment: also such as left their group. Only Linux tells. */
function startedWith(token: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'utf8').includes(token);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Ends a program and all that it started. */
function endAll(group: number | undefined, token: string): void {
  if (group !== undefined) kill(-group);
  for (const pid of startedWith(token)) kill(pid);
}

/** Runs to its end, or until its time is over; answers with what it printed. Whatever it started is gone then. */
function run({ command, cwd, env, ms }: Program, input: string): Promise<string> {
  const [file = '', ...args] = command;
  const token = randomBytes(12).toString('hex');
  const child = spawn(file, args, {
    cwd,
    env: { ...env, [CHILD_VARIABLE]: '1', [RUN_VARIABLE]: token },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const end = () => endAll(child.pid, token);
  const interrupted = (signal: NodeJS.Signals) => {
    end();
    process.off(signal, interrupted);
    process.kill(process.pid, signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupted);
  process.on('exit', end);
  let timer: NodeJS.Timeout | undefined;
  let linger: NodeJS.Timeout | undefined;
  return new Promise<string>((resolve, reject) => {
    const fail = (code: string, how: string, next?: string) => {
      const category = next === undefined ? 'incorrect' : 'configuration';
      const more = next === undefined ? {} : { next };
      reject(new CredenceError(category, `model.${code}`, `${file} ${how}`, more));
      end();
    };
    timer = setTimeout(() => fail('slow', `took longer than ${ms / 1_000} s`), ms);
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > REPLY_BYTES_MAX) fail('size', `printed more than ${REPLY_BYTES_MAX} bytes`);
      else chunks.push(chunk);
    });
    // A program that reads nothing may close its input.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) =>
      fail('command', `can't be started (${codeOf(error)})`, 'correct summarize.batch.command'),
    );
    // What it started may hold its output open; what itself wrote is there soon after its end.
    child.on('exit', (code, signal) => {
      linger = setTimeout(end, LINGER_MS);
      if (code !== 0) fail('exit', `ended with ${signal ?? code}`);
    });
    child.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    child.stdin.end(input);
  }).finally(() => {
    clearTimeout(timer);
    clearTimeout(linger);
    end();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
    process.off('exit', end);
  });
}

const LINGER_MS = 250;

/** What it printed; a program may say beside the claims what they cost. */
function replyOf(text: string): ModelReply {
  const { spend_usd_micros, ...rest } = objectOf(jsonIn(text));
  const spendUsdMicros = countOf(spend_usd_micros);
  return {
    text: spendUsdMicros === undefined ? text : JSON.stringify(rest),
    ended: 'whole',
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    ...(spendUsdMicros === undefined ? {} : { spendUsdMicros }),
  };
}

/**
 * A program of the user's: the question as JSON on its standard input, claims as JSON on its standard output. The hook keeps silent in it, should it
 * start an agent.
 */
export function command(program: Program, model: string): Model {
  return {
    provider: 'command',
    name: model || (program.command[0] ?? '').split('/').at(-1) || '',
    parallel: 1,
    async ask({ id, system, schema, prompt, outputTokensMax }) {
      const question = { version: 1, id, model, system, prompt, schema };
      return replyOf(
        await run(
          program,
          `${JSON.stringify({ ...question, output_tokens_max: outputTokensMax })}\n`,
        ),
      );
    },
  };
}
