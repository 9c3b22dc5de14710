import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openFsStore, sweepFsStore } from './fs-store.ts';

/** Large enough for several system calls, were it written in place. */
const SIZE = 2_000_000;

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a process of its own on the store's code; `body` sees `openFsStore`, `root` and `say`, which prints a line. */
async function startChild(folder: string, root: string, body: string): Promise<ChildProcess> {
  const outfile = join(folder, 'child.mjs');
  await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    stdin: {
      loader: 'ts',
      resolveDir: import.meta.dirname,
      contents: `
        import { writeSync } from 'node:fs';
        import { openFsStore, sweepFsStore } from './fs-store.ts';
        const root = process.argv[2];
        const say = (line) => writeSync(1, line + '\\n');
        ${body}
      `,
    },
  });
  return spawn(process.execPath, [outfile, root], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function* linesOf(child: ChildProcess): AsyncGenerator<string> {
  if (child.stdout) yield* createInterface({ input: child.stdout });
}

const isWhole = (found: Uint8Array | undefined) =>
  found?.byteLength === SIZE &&
  Buffer.compare(found, new Uint8Array(SIZE).fill(found[0] ?? 0)) === 0;

/** Reads the object that the child rewrites, as another process would. */
async function readWhile(root: string, isRunning: () => boolean): Promise<'whole' | 'torn'> {
  const store = openFsStore(root, { make: true });
  while (isRunning()) {
    const found = await store.get('put/1');
    if (found && !isWhole(found)) return 'torn';
  }
  return 'whole';
}

describe('folder store and processes that end', () => {
  test('a writer killed in the middle leaves whole objects only, and all that it was told of', async () => {
    const folder = await newFolder();
    const root = join(folder, 'lake');
    const told = new Set<string>();
    for (let round = 0; round < 6; round++) {
      const child = await startChild(
        folder,
        root,
        `const store = openFsStore(root, { make: true });
         for (let i = 1; ; i++) {
           const bytes = new Uint8Array(${SIZE}).fill(i % 256);
           await store.put('put/1', bytes);
           const key = 'once/${round}/' + i;
           if (await store.putIfAbsent(key, bytes)) say(key);
         }`,
      );
      const ended = once(child, 'exit');
      const reading = readWhile(root, () => child.exitCode === null && child.signalCode === null);
      let lines = 0;
      for await (const line of linesOf(child)) {
        told.add(line);
        // At a different point of the loop in each round.
        if (++lines === 2) setTimeout(() => child.kill('SIGKILL'), round * 3);
      }
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(await reading).toBe('whole');
    }
    const store = openFsStore(root);
    const keys: string[] = [];
    for await (const key of store.list('')) keys.push(key);
    for (const key of keys) expect(isWhole(await store.get(key)), key).toBe(true);
    expect(told.size).toBeGreaterThanOrEqual(12);
    expect([...told].filter((key) => !keys.includes(key))).toEqual([]);

    sweepFsStore(root, Number.MAX_SAFE_INTEGER);
    const names = await readdir(root, { recursive: true });
    expect(names.filter((name) => name.includes('.tmp-'))).toEqual([]);
    for (const key of keys) expect(isWhole(await store.get(key)), key).toBe(true);
  }, 60_000);

  test('processes that put if absent at once have one winner a key', async () => {
    const folder = await newFolder();
    const root = join(folder, 'lake');
    const children: ChildProcess[] = [];
    for (const name of ['a', 'b', 'c']) {
      children.push(
        await startChild(
          folder,
          root,
          `const store = openFsStore(root, { make: true });
           for (let i = 0; i < 60; i++) {
             if (await store.putIfAbsent('ledger/' + i, Buffer.from('${name}'.repeat(5000)))) say(i + ' ${name}');
           }`,
        ),
      );
    }
    const wins = await Promise.all(
      children.map(async (child) => {
        const lines: string[] = [];
        for await (const line of linesOf(child)) lines.push(line);
        return lines;
      }),
    );
    const winners = new Map(wins.flat().map((line) => line.split(' ') as [string, string]));
    expect(wins.flat()).toHaveLength(60);
    const store = openFsStore(root);
    for (const [key, name] of winners) {
      const found = await store.get(`ledger/${key}`);
      expect(Buffer.from(found ?? []).toString()).toBe(name.repeat(5000));
    }
  }, 60_000);

  test('a folder without the right to write in it', async () => {
    const folder = await newFolder();
    const root = join(folder, 'lake');
    await openFsStore(root, { make: true }).put('a/1', new Uint8Array([1]));
    await mkdir(join(folder, 'closed'), { mode: 0o755 });
    await chmod(join(root, 'a/1'), 0o644);
    for (const path of [folder, root, join(root, 'a')]) await chmod(path, 0o555);
    onTestFinished(async () => {
      for (const path of [folder, root, join(root, 'a')]) await chmod(path, 0o755);
    });
    await chmod(folder, 0o755);
    const child = await startChild(
      folder,
      root,
      `// No permission stops the superuser, so the process becomes somebody else.
       if (process.getuid() === 0) process.seteuid(65534);
       const store = openFsStore(root);
       sweepFsStore(root, Date.now());
       const code = (error) => error.category + ' ' + error.code + ' ' + /a\\/[0-9]/.test(error.message) + ' ' + !!error.next;
       say(String(await store.get('a/1')));
       for (const action of [
         () => store.put('a/1', new Uint8Array(1)),
         () => store.putIfAbsent('a/2', new Uint8Array(1)),
         () => store.delete('a/1'),
       ]) say(await action().catch(code));
       say(String(await store.get('a/1')));
       try { openFsStore(root + '/../closed/new', { make: true }) } catch (error) { say(error.category + ' ' + error.code) }`,
    );
    const lines: string[] = [];
    for await (const line of linesOf(child)) lines.push(line);
    const denied = 'unavailable store.denied true true';
    expect(lines).toEqual(['1', denied, denied, denied, '1', 'unavailable store.denied']);
  });
});
