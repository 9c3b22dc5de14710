import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { HookSettings } from '../../src/capture/settings.ts';

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of a test with the folders that the product knows, each with its variable. */
export interface HookHome {
  readonly folder: string;
  readonly home: string;
  readonly temp: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Bundles the hook as it is published into a file of a new folder; resolves with the file and with what removes it. */
export async function bundleHook(): Promise<{ readonly file: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'hook-bundle-'));
  const file = join(folder, 'credence-hook.cjs');
  await build({
    entryPoints: [join(import.meta.dirname, '../../src/hook.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minify: true,
    logLevel: 'error',
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Settings of a hook, with what a test cares for. */
export function hookSettings(fields: Partial<HookSettings> = {}): HookSettings {
  return {
    fleet_id: 'acme',
    host_id: '0123456789abcdef',
    agents: { 'claude-code': 'cc-01' },
    pause: false,
    exclude: [],
    denied_paths: [],
    refuse_denied: false,
    handoffs: true,
    claims: false,
    sync_command: [],
    handoff_command: 'credence handoff',
    ...fields,
  };
}

/** Folders for hooks below a folder; `hookJson` is the text of `hook.json`, which isn't there where it is undefined. */
export function hookHome(folder: string, hookJson?: string): HookHome {
  const [home, config, temp] = ['home', 'config', 'temp'].map((name) => join(folder, name));
  if (!home || !config || !temp) throw new Error('no folders');
  for (const path of [home, temp, join(config, 'keys')]) mkdirSync(path, { recursive: true });
  writeFileSync(join(config, 'keys', 'host.secret'), Buffer.alloc(32, 7), { mode: 0o600 });
  if (hookJson !== undefined) writeFileSync(join(home, 'hook.json'), hookJson);
  const { PATH = '' } = process.env;
  const env = { PATH, CREDENCE_HOME: home, CREDENCE_CONFIG_HOME: config, TMPDIR: temp };
  return { folder, home, temp, env };
}

/** Runs a program to its end with a text on its standard input; `closeOutput` leaves nobody to read what it prints. */
export function run(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  input: string | Uint8Array = '',
  closeOutput = false,
): Promise<Ended> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data: Buffer) => {
      stdout += data.toString();
    });
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString();
    });
    if (closeOutput) child.stdout.destroy();
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    // A program that does not read to the end is its own affair: its exit code says how it went.
    child.stdin.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') reject(error);
    });
    child.stdin.end(input);
  });
}
