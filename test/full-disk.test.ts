import { readdirSync } from 'node:fs';
import { beforeEach, expect, test, vi } from 'vitest';
import { cliContext } from '../src/node/cli-context.ts';
import { envOf, tempFolder } from './kit/home.ts';

const disk = vi.hoisted(() => ({ full: false }));

/** A full disk still takes names and empty files. */
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    writeSync: (fd: number, bytes: Uint8Array, from?: number) => {
      if (disk.full) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
      return fs.writeSync(fd, bytes, from);
    },
  };
});

beforeEach(() => {
  disk.full = false;
});

test('doctor finds a disk full that takes empty files still', async () => {
  const folder = tempFolder('full');
  const silent = { json: false, text() {}, value() {}, row() {}, note() {} };
  const context = cliContext(silent, envOf(folder));
  const check = async () => (await context.doctor()).find(({ name }) => name === 'folders');
  expect(await check()).toMatchObject({ ok: true });
  disk.full = true;
  expect(await check()).toMatchObject({
    ok: false,
    says: expect.stringContaining('the disk is full'),
    next: expect.stringContaining('free some disk space'),
  });
  expect(
    readdirSync(folder, { recursive: true }).filter((name) => /doctor|tmp$/.test(String(name))),
  ).toEqual([]);
});
