import type { FileHandle } from 'node:fs/promises';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openFsStore } from './fs-store.ts';

/** The error code that a system call fails with, where one is set; the rest goes to the real file system. */
const failing = vi.hoisted(() => new Map<string, string>());
/** The system calls that make something durable or visible, in order. */
const calls = vi.hoisted((): string[] => []);

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const failIf = (call: string) => {
    const code = failing.get(call);
    if (code) throw Object.assign(new Error(`${code}: ${call}`), { code, syscall: call });
  };
  return {
    ...real,
    link: async (from: string, to: string) => {
      failIf('link');
      calls.push(`name ${to}`);
      await real.link(from, to);
      // As a network file system does whose first answer was lost.
      failIf('link answer');
    },
    rename: async (from: string, to: string) => {
      failIf('rename');
      calls.push(`name ${to}`);
      await real.rename(from, to);
    },
    readdir: async (path: string, options: { withFileTypes: true }) => {
      failIf('readdir');
      return real.readdir(path, options);
    },
    open: async (path: string, flags: string | number, mode?: number): Promise<FileHandle> => {
      const file = await real.open(path, flags, mode);
      const isFolder = (await file.stat()).isDirectory();
      const { sync, writeFile } = file;
      file.sync = async () => {
        failIf(isFolder ? 'fsync of a folder' : 'fsync');
        await sync.call(file);
        calls.push(isFolder ? `fsync ${path}` : 'fsync temp');
      };
      file.writeFile = async (data, options) => {
        if (failing.has('write')) await writeFile.call(file, 'half');
        failIf('write');
        await writeFile.call(file, data, options);
      };
      return file;
    },
  };
});

afterEach(() => {
  failing.clear();
  calls.length = 0;
});

async function openNew() {
  const root = await mkdtemp(join(tmpdir(), 'store-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return { root, store: openFsStore(root) };
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe('durability', () => {
  test('bytes before the name, the name before the answer, and new folders up to the root', async () => {
    const { root, store } = await openNew();
    const log = async (action: Promise<unknown>) => {
      calls.length = 0;
      await action;
      return calls.map((call) => call.replace(root, 'root'));
    };
    const chain = ['fsync root/a/b', 'fsync root/a', 'fsync root'];
    expect(await log(store.put('a/b/1', bytes('x')))).toEqual([
      'fsync temp',
      'name root/a/b/1',
      ...chain,
    ]);
    expect(await log(store.put('a/b/2', bytes('x')))).toEqual([
      'fsync temp',
      'name root/a/b/2',
      'fsync root/a/b',
    ]);
    expect(await log(store.putIfAbsent('a/c/1', bytes('x')))).toEqual([
      'fsync temp',
      'name root/a/c/1',
      ...['fsync root/a/c', 'fsync root/a', 'fsync root'],
    ]);
    expect(await log(store.delete('a/b/1'))).toEqual(['fsync root/a/b']);
    expect(await log(openFsStore(root).put('a/b/2', bytes('y')))).toEqual([
      'fsync temp',
      'name root/a/b/2',
      ...chain,
    ]);
    await rm(join(root, 'a'), { recursive: true });
    expect(await log(store.put('a/b/1', bytes('z')))).toEqual([
      'fsync temp',
      'name root/a/b/1',
      ...chain,
    ]);
  });
});

describe('a file system that fails', () => {
  const cases = [
    { call: 'write', errno: 'ENOSPC', category: 'unavailable', code: 'store.full' },
    { call: 'fsync', errno: 'ENOSPC', category: 'unavailable', code: 'store.full' },
    { call: 'write', errno: 'EDQUOT', category: 'unavailable', code: 'store.full' },
    { call: 'write', errno: 'EROFS', category: 'unavailable', code: 'store.read_only' },
    { call: 'write', errno: 'EACCES', category: 'unavailable', code: 'store.denied' },
    { call: 'write', errno: 'EPERM', category: 'unavailable', code: 'store.denied' },
    { call: 'write', errno: 'ESTALE', category: 'unavailable', code: 'store.gone' },
    { call: 'write', errno: 'EIO', category: 'unavailable', code: 'store.io' },
    { call: 'fsync', errno: 'EIO', category: 'unavailable', code: 'store.io' },
    { call: 'fsync', errno: 'EINVAL', category: 'unavailable', code: 'store.io' },
    // Somebody removes the folder again and again.
    { call: 'write', errno: 'ENOENT', category: 'unavailable', code: 'store.gone' },
  ];
  test.each(cases)(
    '$call: $errno is $code, and nothing is written',
    async ({ call, errno, ...expected }) => {
      const { root, store } = await openNew();
      await store.put('a/1', bytes('old'));
      failing.set(call, errno);
      for (const action of [
        () => store.put('a/1', bytes('new')),
        () => store.putIfAbsent('a/2', bytes('new')),
      ]) {
        const error = await action().catch((reason: unknown) => reason);
        expect(error).toMatchObject({ ...expected, next: expect.stringMatching(/\w/) });
        expect(error).toMatchObject({ message: expect.stringMatching(/a\/[12]/) });
      }
      failing.clear();
      expect(await store.get('a/1')).toEqual(bytes('old'));
      expect(await store.get('a/2')).toBeUndefined();
      expect(await readdir(join(root, 'a'))).toEqual(['1']);
    },
  );

  test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])(
    'no hard links (%s) is a matter of configuration',
    async (errno) => {
      const { root, store } = await openNew();
      failing.set('link', errno);
      await expect(store.putIfAbsent('ledger/1', bytes('x'))).rejects.toMatchObject({
        category: 'configuration',
        code: 'store.no_link',
        message: expect.stringContaining('ledger/1'),
        next: expect.stringMatching(/\w/),
      });
      await store.put('lake/1', bytes('x'));
      expect(await store.get('lake/1')).toEqual(bytes('x'));
      expect(await readdir(join(root, 'ledger'))).toEqual([]);
    },
  );

  test('a link that was made although the answer says that it existed is ours', async () => {
    const { store } = await openNew();
    failing.set('link answer', 'EEXIST');
    expect(await store.putIfAbsent('ledger/1', bytes('x'))).toBe(true);
    expect(await store.putIfAbsent('ledger/1', bytes('y'))).toBe(false);
    expect(await store.get('ledger/1')).toEqual(bytes('x'));
  });

  test("a folder that can't be synced by its file system is no fault, one that fails to sync is", async () => {
    const { store } = await openNew();
    failing.set('fsync of a folder', 'EINVAL');
    await store.put('a/1', bytes('x'));
    failing.set('fsync of a folder', 'EIO');
    const fault = { category: 'unavailable', code: 'store.io' };
    await expect(store.put('a/2', bytes('x'))).rejects.toMatchObject(fault);
    await expect(store.putIfAbsent('a/3', bytes('x'))).rejects.toMatchObject(fault);
    await expect(
      store.putIfAbsent('a/1', bytes('x')),
      'taken, but not known to be durable',
    ).rejects.toMatchObject(fault);
    await expect(store.delete('a/1')).rejects.toMatchObject(fault);
  });

  test("a folder that can't be read is not an empty list", async () => {
    const { store } = await openNew();
    await store.put('a/1', bytes('x'));
    failing.set('readdir', 'EACCES');
    const listing = (async () => {
      for await (const _key of store.list('')) expect.fail('nothing can be listed');
    })();
    await expect(listing).rejects.toMatchObject({ category: 'unavailable', code: 'store.denied' });
  });
});
