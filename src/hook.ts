import { randomBytes } from 'node:crypto';
import { fstatSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf, messageOf } from './base/errors.ts';
import { LIMIT } from './base/limits.ts';
import { type HookResult, handleHook } from './capture/hook.ts';
import { CHILD_VARIABLE } from './capture/own.ts';
import { droppedPaths, processPath } from './capture/paths.ts';
import type { HookFiles } from './capture/port.ts';
import { type HookSettings, pausedBy } from './capture/settings.ts';
import { foldersOf } from './io/folders.ts';
import { hookFiles } from './io/hook-files.ts';
import { HOOKED } from './runtime/hooked.ts';

/*
 * The hook's entry, bundled into one file: `credence-hook.cjs hook <event> <runtime>`. Whatever happens, it
 * prints a valid answer and exits 0 (law 1); an event that cannot be kept is counted, where anything can be
 * written at all.
 */

const CHUNK_BYTES = 64 * 1024;
const WAIT_MS = 5;
const WAITS_MAX = 2_000;

/**
 * What the runtime writes, to its end; of what is too large to be read only as much as shows that. Never through
 * `process.stdin`, which makes the pipe answer EAGAIN where the runtime is slower to write than we are to read; where
 * it does so all the same, since someone else shares it, it is waited for.
 */
function readInput(): { readonly bytes: Uint8Array; readonly size: number } {
  // A terminal, where nobody would end what is typed.
  if (fstatSync(0).isCharacterDevice()) return { bytes: new Uint8Array(), size: 0 };
  const chunks: Buffer[] = [];
  let size = 0;
  for (let waits = 0; waits < WAITS_MAX; ) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const read = readChunk(chunk);
    if (read === 0) break;
    if (read === undefined) {
      waits += 1;
      pause();
    } else {
      if (size <= LIMIT.hook_payload_bytes_max) chunks.push(chunk.subarray(0, read));
      size += read;
    }
  }
  return { bytes: Buffer.concat(chunks), size };
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
}

/** The bytes read, 0 at the end, undefined where there is nothing yet. */
function readChunk(chunk: Buffer): number | undefined {
  try {
    return readSync(0, chunk);
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return undefined;
    if (codeOf(error) === 'EOF') return 0;
    throw error;
  }
}

/**
 * Past `process.stdout`, whose making takes longer than all the rest of the answer. Nobody may read it any more: the
 * event is kept then, which is all that is left to do.
 */
function writeOutput(output: Uint8Array): void {
  for (let written = 0, waits = 0; written < output.length && waits < WAITS_MAX; ) {
    try {
      written += writeSync(1, output, written);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') return;
      waits += 1;
      pause();
    }
  }
}

/** Beside the spool, or in the system's folder for temporary files where the home takes nothing, or there is none. */
function countDrop(home: string | undefined, event: string, error: unknown): void {
  const line = `${JSON.stringify({ at: new Date().toISOString(), event: event.slice(0, 40), code: codeOf(error) })}\n`;
  const files = hookFiles(tmpdir());
  for (const path of droppedPaths(home, process.getuid?.() ?? 0)) {
    if (appended(files, path, line)) return;
  }
}

function appended(files: HookFiles, path: string, line: string): boolean {
  try {
    files.append(path, line);
    return true;
  } catch {
    return false;
  }
}

/** As the kernel names them. */
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ash', 'busybox', 'ksh', 'mksh', 'fish']);

/** Which session this runtime's process runs, for commands that the agent starts below it. */
function announce(files: HookFiles, runtime: string, result: HookResult): void {
  if (!result.started) return;
  const text = JSON.stringify(result.started);
  files.mark(processPath(runtime, process.ppid), text);
  // The runtime may have started a shell in between, whose parent is named in /proc, where there is one. Any other
  // parent is the runtime itself, and what stands above that runs more than this session.
  const stat = files.read(`/proc/${process.ppid}/stat`) ?? '';
  const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(stat) ?? [];
  if (SHELLS.has(name)) files.mark(processPath(runtime, Number(parent)), text);
}

/** Starts a sync and does not wait. Where its program is gone, `status` shows that, as it shows a sync that failed. */
function startSync(settings: HookSettings, files: HookFiles): void {
  const [command, ...args] = settings.sync_command;
  if (command === undefined) return;
  // Loaded here, since few events start one.
  const child = process.getBuiltinModule('node:child_process').spawn(command, args, {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, [CHILD_VARIABLE]: '1' },
  });
  child.on('error', (error) => {
    const last = {
      at: new Date().toISOString(),
      ok: false,
      code: codeOf(error),
      message: `no sync could be started: ${messageOf(error)}`,
      next: 'run `credence init`: it tells the hook how this program is started now',
    };
    files.mark('last-sync.json', `${JSON.stringify(last)}\n`);
  });
  child.unref();
}

/** The settings; undefined where none were ever written. Throws where they are there and can't be read. */
function readSettings(home: string): HookSettings | undefined {
  const path = join(home, 'hook.json');
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  // A pipe would hold the hook up for as long as nobody writes to it.
  if (!stat.isFile()) throw Object.assign(new Error(`${path} is no file`), { code: 'EISDIR' });
  return JSON.parse(readFileSync(path, 'utf8')) as HookSettings;
}

/** What is left to do when the event is handled, whatever went wrong in between. */
interface Ending {
  output: string;
  /** A sync was started, which may still tell that it could not be. */
  starts: boolean;
  /** Where there is one: the event is counted there, if it is lost. */
  home?: string;
}

function handle(event: string, runtime: string, ending: Ending): void {
  const hooked = Object.hasOwn(HOOKED, runtime) ? HOOKED[runtime] : undefined;
  const { bytes, size } = readInput();
  // Our own agents (an extractor, a summariser) run with this mark: capturing them would feed on itself.
  if (!hooked || process.env[CHILD_VARIABLE] !== undefined) return;
  const folders = foldersOf(process.env);
  ending.home = folders.home;
  const written = readSettings(folders.home);
  if (written === undefined) return;
  const settings = pausedBy(process.env['CREDENCE_PAUSE'], written);
  const files = hookFiles(folders.home);
  const world = { now: Date.now, random: (bytes: number) => randomBytes(bytes) };
  const secret = () => readFileSync(join(folders.config, 'keys', 'host.secret'));
  const tools = { files, world, settings, secret, size };
  const result = handleHook(runtime, hooked, event, bytes, tools);
  ending.output = result.output;
  ending.starts = result.sync;
  announce(files, runtime, result);
  if (result.sync) startSync(settings, files);
}

function main(): void {
  const [event = '', runtime = ''] = process.argv.slice(process.argv.indexOf('hook') + 1);
  const ending: Ending = { output: '{}', starts: false };
  try {
    handle(event, runtime, ending);
  } catch (error) {
    countDrop(ending.home, event, error);
  }
  writeOutput(Buffer.from(ending.output));
  // All is written. Ending by itself would tidy the heap first, for milliseconds; a start that fails is told in a while.
  if (!ending.starts) process.exit();
}

main();
