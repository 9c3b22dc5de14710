import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeFolders, syncNames } from './durable-folder.ts';
import { openFsStore } from './fs-store.ts';
import { hookFiles } from './hook-files.ts';
import { writeFileAtomically } from './small-file.ts';
import { lockMachine, openSqlite } from './sqlite.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'folders-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('folders', () => {
  test('are made with those above them, for this user alone, and again without harm', () => {
    const folder = newFolder();
    const made = ['a', 'a/b', 'a/b/c'].map((name) => join(folder, name));
    expect(makeFolders(join(folder, 'a', 'b', 'c'))).toEqual(made);
    expect(makeFolders(join(folder, 'a', 'b', 'c'))).toEqual([]);
    const modes = ['a', 'a/b', 'a/b/c'].map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o700]);
  });

  test('are made behind a link', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    makeFolders(join(folder, 'link', 'a'));
    expect(statSync(join(folder, 'real', 'a')).isDirectory()).toBe(true);
  });

  test.each([
    ['file', 'EEXIST'],
    ['file/below', 'ENOTDIR'],
    ['file/far/below', 'ENOTDIR'],
    ['dangling', 'EEXIST'],
    ['dangling/below', 'EEXIST'],
  ])('are not made in the place of another thing: %s', (path, code) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('gone', join(folder, 'dangling'));
    expect(() => makeFolders(join(folder, path))).toThrow(expect.objectContaining({ code }));
  });

  test('that are not there can not be synced', () => {
    expect(() => syncNames(join(newFolder(), 'gone'))).toThrow(/ENOENT/);
  });
});

describe('where the file system takes no folder, whoever wants one says so', () => {
  // Making a folder here is answered by "there is no such file".
  const NONE = '/proc/none/a/b';
  test.each<[string, () => unknown]>([
    ['folders', () => makeFolders(NONE)],
    ['a small file', () => writeFileAtomically(`${NONE}/file`, '')],
    ['a database', () => openSqlite(`${NONE}/file`)],
    ['the machine’s lock', () => lockMachine(`${NONE}/file`)],
    ['the spool', () => hookFiles(NONE).append('spool/x/s.ndjson', 'x')],
  ])('%s', (_what, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  test('a mark', () => {
    expect(hookFiles(NONE).mark('run/a', 'x')).toBe(false);
  });

  test('a store', () => {
    expect(() => openFsStore(NONE, { make: true })).toThrow(
      expect.objectContaining({ category: 'configuration', code: 'store.root' }),
    );
  });
});
