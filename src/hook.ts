import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from './base/errors.ts';
import { type HookResult, handleHook } from './capture/hook.ts';
import { processPath } from './capture/paths.ts';
import type { HookFiles } from './capture/port.ts';
import type { HookSettings } from './capture/settings.ts';
import { type Folders, foldersOf } from './io/folders.ts';
import { hookFiles } from './io/hook-files.ts';
import { HOOKED } from './runtime/hooked.ts';

/*
 * The hook's entry, bundled into one file: `credence-hook.cjs hook <event> <runtime>`. Whatever happens, it
 * prints a valid answer and exits 0 (law 1); an event that cannot be kept is counted, where anything can be
 * written at all.
 */

function readInput(): Uint8Array {
  return process.stdin.isTTY ? new Uint8Array() : readFileSync(0);
}

/** Beside the spool, or in the system's folder for temporary files where the home takes nothing. */
function countDrop(folders: Folders, event: string, error: unknown): void {
  const line = `${JSON.stringify({ at: new Date().toISOString(), event: event.slice(0, 40), code: codeOf(error) })}\n`;
  for (const path of [
    join(folders.home, 'spool', 'dropped.ndjson'),
    join(tmpdir(), `credence-dropped-${process.getuid?.() ?? 0}.ndjson`),
  ]) {
    try {
      appendFileSync(path, line, { mode: 0o600 });
      return;
    } catch {}
  }
}

/** Which session this runtime's process runs, for commands that the agent starts below it. */
function announce(files: HookFiles, runtime: string, result: HookResult): void {
  if (!result.started) return;
  const text = JSON.stringify(result.started);
  files.mark(processPath(runtime, process.ppid), text);
  // The runtime may have started a shell in between: its own parent is named in /proc, where there is one.
  const parent = /^\d+ \(.*\) \S (\d+) /s.exec(files.read(`/proc/${process.ppid}/stat`) ?? '')?.[1];
  if (parent !== undefined) files.mark(processPath(runtime, Number(parent)), text);
}

function startSync(settings: HookSettings): void {
  const [command, ...args] = settings.sync_command;
  if (command === undefined) return;
  spawn(command, args, {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, CREDENCE_CHILD: '1' },
  }).unref();
}

function main(): void {
  const [event = '', runtime = ''] = process.argv.slice(process.argv.indexOf('hook') + 1);
  // Our own agents (an extractor, a summariser) run with this mark: capturing them would feed on itself.
  const ours = process.env['CREDENCE_CHILD'] !== undefined;
  const folders = foldersOf(process.env);
  let output = '{}';
  try {
    const hooked = Object.hasOwn(HOOKED, runtime) ? HOOKED[runtime] : undefined;
    const received = readInput();
    if (hooked && !ours) {
      const files = hookFiles(folders.home);
      const text = files.read('hook.json');
      if (text !== undefined) {
        const settings = JSON.parse(text) as HookSettings;
        const world = { now: Date.now, random: (bytes: number) => randomBytes(bytes) };
        const secret = () => readFileSync(join(folders.config, 'keys', 'host.secret'));
        const result = handleHook(runtime, hooked, event, received, {
          files,
          world,
          settings,
          secret,
        });
        output = result.output;
        announce(files, runtime, result);
        if (result.sync) startSync(settings);
      }
    }
  } catch (error) {
    countDrop(folders, event, error);
  }
  process.stdout.write(output);
}

main();
