import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { openFsStore } from '../../src/io/fs-store.ts';
import { parquet } from '../../src/io/parquet.ts';
import { openSpool } from '../../src/io/spool-folder.ts';
import type { Envelope } from '../../src/runtime/envelope.ts';
import { DRAIN_LOOP, drainOnce } from '../kit/drain-loop.ts';
import { bundleHook, hookHome, hookSettings, run } from '../kit/hook-process.ts';

const HOOKS = 200;

async function bundleDrainLoop(folder: string): Promise<string> {
  const file = join(folder, 'drain-loop.mjs');
  await build({
    stdin: { contents: DRAIN_LOOP, resolveDir: join(import.meta.dirname, '../kit'), loader: 'ts' },
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return file;
}

test('200 hooks, many at once, while another process freezes and drains the file: each event once, none torn', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hook-race-'));
  const bundle = await bundleHook();
  onTestFinished(() => {
    bundle.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const { home, temp, env } = hookHome(folder, JSON.stringify(hookSettings()));
  const lake = join(folder, 'lake');
  const payloads = join(folder, 'payloads');
  mkdirSync(payloads);
  for (let i = 0; i < HOOKS; i++) {
    const payload = {
      hook_event_name: 'UserPromptSubmit',
      session_id: 's1',
      cwd: '/',
      prompt: `prompt ${i}`,
    };
    writeFileSync(join(payloads, String(i)), JSON.stringify(payload));
  }
  const draining = run([process.execPath, await bundleDrainLoop(folder), home, lake], env);
  const each = `"$0" "$1" hook UserPromptSubmit claude-code < "$2" > "$2.out" || echo "$2" >> "${folder}/failed"`;
  const all = `ls "${payloads}" | xargs -P 24 -I '{}' sh -c '${each}' '${process.execPath}' '${bundle.file}' '${payloads}/{}'`;
  expect(await run(['sh', '-c', all], env)).toEqual({
    code: 0,
    signal: null,
    stdout: '',
    stderr: '',
  });
  writeFileSync(join(home, 'stop'), '');
  expect(await draining).toMatchObject({ code: 0, stderr: '' });
  await drainOnce(home, lake);
  expect(readdirSync(folder)).not.toContain('failed');
  expect(readdirSync(temp)).toEqual([]);
  expect(readdirSync(join(home, 'spool'))).toEqual(['claude-code']);

  const spool = openSpool(home);
  const [session, ...others] = spool.sessions();
  expect(others).toEqual([]);
  expect(session?.files.filter((file) => file.state !== 'sent')).toEqual([]);
  const manifest = spool.manifest('claude-code', 's1');
  const store = openFsStore(lake);
  const events: Envelope[] = [];
  for (const { key } of manifest?.parts ?? []) {
    const bytes = await store.get(key);
    if (bytes) events.push(...(await parquet.decode(bytes)));
  }
  const prompts = Array.from({ length: HOOKS }, (_, i) => `prompt ${i}`);
  expect(events.map((event) => event.content).sort()).toEqual(prompts.sort());
  expect(new Set(events.map((event) => event.event_id)).size).toBe(HOOKS);
  expect(manifest).toMatchObject({ torn: 0, unrecognised: 0 });
  // Otherwise hardly anything was frozen under a hook.
  expect(manifest?.parts.length).toBeGreaterThan(10);
}, 120_000);
