import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openOutbox } from './outbox.ts';
import {
  createFileAtomically,
  readIfThere,
  writeFileAtomically,
  writeFileDurably,
} from './small-file.ts';

/** The calls that make something durable, in order; and those that fail, with their error. */
const calls = vi.hoisted((): string[] => []);
const failing = vi.hoisted(() => new Map<string, string>());

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const paths = new Map<number, string>();
  const note = (call: string) => {
    calls.push(call);
    const code = failing.get(call);
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  const shown = (path: string) => (path.endsWith('.tmp') ? 'temp' : basename(path));
  return {
    ...fs,
    openSync: (path: string, ...more: [string, number]) => {
      const fd = fs.openSync(path, ...more);
      paths.set(fd, path);
      return fd;
    },
    fsyncSync: (fd: number) => note(`sync ${shown(paths.get(fd) ?? '')}`),
    renameSync: (from: string, to: string) => {
      note(`name ${shown(to)}`);
      fs.renameSync(from, to);
    },
    linkSync: (from: string, to: string) => {
      note(`name ${shown(to)}`);
      fs.linkSync(from, to);
    },
  };
});

beforeEach(() => {
  failing.clear();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'small-fault-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe.each([
  ['written', writeFileDurably],
  ['created', createFileAtomically],
])('a small file that is %s', (_what, write) => {
  test('is durable when that is done: its bytes, then its name, and new folders before', () => {
    const folder = newFolder();
    calls.length = 0;
    write(join(folder, 'a', 'b', 'c'), 'x');
    const made = [`sync ${basename(folder)}`, 'sync a'];
    expect(calls).toEqual([...made, 'sync temp', 'name c', 'sync b']);
    calls.length = 0;
    write(join(folder, 'a', 'b', 'd'), 'x');
    expect(calls).toEqual(['sync temp', 'name d', 'sync b']);
  });

  test.each([
    ['sync temp', 'ENOSPC'],
    ['name a', 'EACCES'],
  ])('leaves nothing beside it where that fails at "%s"', (call, code) => {
    const folder = newFolder();
    failing.set(call, code);
    expect(() => write(join(folder, 'a'), 'x')).toThrow(code);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is written where names can’t be synced', () => {
    const folder = newFolder();
    failing.set(`sync ${basename(folder)}`, 'EINVAL');
    write(join(folder, 'a'), 'x');
    expect(readIfThere(join(folder, 'a'))).toBe('x');
    failing.set(`sync ${basename(folder)}`, 'EIO');
    expect(() => write(join(folder, 'b'), 'x')).toThrow('EIO');
  });
});

test('one that can be made again is whole, which takes one sync less', () => {
  const folder = newFolder();
  calls.length = 0;
  writeFileAtomically(join(folder, 'a'), 'x');
  expect(calls).toEqual(['sync temp', 'name a']);
});

test('a note is durable once it is in the outbox', () => {
  const home = newFolder();
  calls.length = 0;
  openOutbox(home).add('01', {
    version: 1,
    session: 's1',
    agent: 'cc-01',
    runtime: 'claude-code',
    status: 'done',
    summary: 'x',
    written_at: '2026-03-04T05:06:07.890Z',
  });
  expect(calls.slice(-3)).toEqual(['sync temp', 'name 01.json', 'sync outbox']);
});
