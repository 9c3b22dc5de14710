import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { hookFiles } from './hook-files.ts';

function newHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hook-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** A path that never names the file that was just opened by it. */
const elsewhere = vi.hoisted(() => ({ path: '' }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const statSync = (path: string, options?: { throwIfNoEntry: boolean }) =>
    fs.statSync(path === elsewhere.path ? '/' : path, options);
  return { ...fs, statSync };
});

describe('append', () => {
  test('to a file that is renamed away again and again throws: nobody may read any of them', () => {
    const home = newHome();
    elsewhere.path = join(home, 'a');
    onTestFinished(() => {
      elsewhere.path = '';
    });
    expect(() => hookFiles(home).append('a', 'x')).toThrow(
      expect.objectContaining({ code: 'EBUSY' }),
    );
  });

  test('makes file and folders for this user alone, and adds at the end', () => {
    const home = newHome();
    const files = hookFiles(home);
    files.append('spool/claude-code/s1.ndjson', 'one\n');
    files.append('spool/claude-code/s1.ndjson', 'twó\n');
    const path = join(home, 'spool/claude-code/s1.ndjson');
    expect(readFileSync(path, 'utf8')).toBe('one\ntwó\n');
    expect([mode(path), mode(join(home, 'spool')), mode(join(home, 'spool/claude-code'))]).toEqual([
      '600',
      '700',
      '700',
    ]);
  });

  test('to a file that is renamed away begins a new one', () => {
    const home = newHome();
    const files = hookFiles(home);
    files.append('a', 'one');
    renameSync(join(home, 'a'), join(home, 'b'));
    files.append('a', 'two');
    expect([readFileSync(join(home, 'a'), 'utf8'), readFileSync(join(home, 'b'), 'utf8')]).toEqual([
      'two',
      'one',
    ]);
  });

  test('where nothing can be written throws, with the code of the reason', () => {
    const home = newHome();
    writeFileSync(join(home, 'spool'), '');
    expect(() => hookFiles(home).append('spool/x/a', 'x')).toThrow(
      expect.objectContaining({ code: 'ENOTDIR' }),
    );
    mkdirSync(join(home, 'folder'));
    expect(() => hookFiles(home).append('folder', 'x')).toThrow(
      expect.objectContaining({ code: 'EISDIR' }),
    );
  });
});

describe('reading', () => {
  test('relative paths are the product’s, absolute ones the user’s', () => {
    const home = newHome();
    writeFileSync(join(home, 'a'), 'text');
    expect([hookFiles(home).read('a'), hookFiles('/nowhere').read(join(home, 'a'))]).toEqual([
      'text',
      'text',
    ]);
  });

  test('what is gone, a folder, a pipe, a device, or too large is as none', () => {
    const home = newHome();
    const files = hookFiles(home);
    mkdirSync(join(home, 'folder'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(home, 'pipe')]);
    symlinkSync('/dev/zero', join(home, 'device'));
    writeFileSync(join(home, 'large'), Buffer.alloc(4 * 1024 * 1024 + 1));
    writeFileSync(join(home, 'largest'), Buffer.alloc(4 * 1024 * 1024, 'x'));
    for (const name of ['gone', 'folder', 'pipe', 'device', 'large', 'largest/below', 'a\0b'])
      expect(files.read(name), name).toBeUndefined();
    expect(files.read('largest')).toHaveLength(4 * 1024 * 1024);
    expect(['folder', 'largest', 'gone', 'pipe'].map((name) => files.kind(name))).toEqual([
      'directory',
      'file',
      undefined,
      undefined,
    ]);
  });

  test('a process’s state is read, whose file has no size', () => {
    expect(hookFiles('/').read(`/proc/${process.pid}/stat`)).toContain(String(process.pid));
  });

  test('the end of a file, and nothing of one that is not there', () => {
    const home = newHome();
    writeFileSync(join(home, 'a'), '0123456789');
    const files = hookFiles(home);
    expect([
      files.tail('a', 4),
      files.tail('a', 100),
      files.tail('a', 0),
      files.tail('gone', 4),
    ]).toEqual(['6789', '0123456789', '', '']);
  });

  test('names and ages', () => {
    const home = newHome();
    writeFileSync(join(home, 'a'), '');
    const at = statSync(join(home, 'a')).mtimeMs / 1_000 - 100;
    utimesSync(join(home, 'a'), at, at);
    const files = hookFiles(home);
    expect(files.names('')).toEqual(['a']);
    expect(files.names('gone')).toEqual([]);
    expect(files.age('a')).toBeGreaterThanOrEqual(99_000);
    expect(files.age('gone')).toBeUndefined();
  });
});

describe('small writes', () => {
  test('a mark replaces what was there, whole, and leaves nothing beside it', () => {
    const home = newHome();
    const files = hookFiles(home);
    expect([files.mark('run/a', 'one'), files.mark('run/a', 'two')]).toEqual([true, true]);
    expect(readFileSync(join(home, 'run/a'), 'utf8')).toBe('two');
    expect(readdirSync(join(home, 'run'))).toEqual(['a']);
    expect(mode(join(home, 'run/a'))).toBe('600');
  });

  test('one that fails says so, and leaves nothing', () => {
    const home = newHome();
    mkdirSync(join(home, 'run/a'), { recursive: true });
    writeFileSync(join(home, 'file'), '');
    const files = hookFiles(home);
    expect([files.mark('run/a', 'x'), files.mark('file/below', 'x')]).toEqual([false, false]);
    expect(readdirSync(join(home, 'run'))).toEqual(['a']);
  });

  test('a file is created where none is, by one of several', () => {
    const home = newHome();
    const files = hookFiles(home);
    expect([
      files.create('id', 'one'),
      files.create('id', 'two'),
      files.create('gone/id', 'x'),
    ]).toEqual([true, false, false]);
    expect(files.read('id')).toBe('one');
  });
});
