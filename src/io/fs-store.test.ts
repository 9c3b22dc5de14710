import {
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { objectStoreContract } from '../../test/contract/object-store.ts';
import { openFsStore, sweepFsStore } from './fs-store.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (found: Uint8Array | undefined) => found && new TextDecoder().decode(found);

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function keysOf(store: ReturnType<typeof openFsStore>, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

objectStoreContract('folder', async () => openFsStore(await newFolder()));
objectStoreContract('folder with spaces and other letters in its name', async () =>
  openFsStore(join(await newFolder(), 'Größe  日本語 (1)', "l'été #%20"), { make: true }),
);

describe('the files of the folder store', () => {
  test('modes are 600 and 700, and a missing root is made with its parents if so asked', async () => {
    const root = join(await newFolder(), 'made', 'here');
    const store = openFsStore(root, { make: true });
    await store.put('a/b/put', bytes('x'));
    await store.putIfAbsent('a/b/once', bytes('x'));
    const modes = ['', 'a', 'a/b', 'a/b/put', 'a/b/once'].map(async (path) =>
      ((await stat(join(root, path))).mode & 0o777).toString(8),
    );
    expect(await Promise.all(modes)).toEqual(['700', '700', '700', '600', '600']);
  });

  test('nothing stays behind but the objects, each a file with one name', async () => {
    const root = await newFolder();
    const store = openFsStore(root);
    await store.put('a/put', bytes('x'));
    await store.put('a/put', bytes('y'));
    await Promise.all([1, 2, 3].map((n) => store.putIfAbsent('a/once', bytes(String(n)))));
    expect((await readdir(join(root, 'a'))).sort()).toEqual(['once', 'put']);
    expect((await stat(join(root, 'a/once'))).nlink).toBe(1);
  });

  test('two stores on one folder are one store, and 20 of them still have one winner', async () => {
    const root = await newFolder();
    const stores = Array.from({ length: 20 }, () => openFsStore(root));
    const answers = await Promise.all(
      stores.map((store, i) => store.putIfAbsent('l/1', bytes(`${i}`))),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(text(await openFsStore(root).get('l/1'))).toBe(String(answers.indexOf(true)));
  });

  test('a temp file of a crash is not shown, not touched by a young open, and swept after a day', async () => {
    const root = await newFolder();
    const store = openFsStore(root);
    await store.put('a/b/1', bytes('x'));
    const now = 1_800_000_000_000;
    const day = 24 * 3_600_000;
    for (const [name, age] of [
      ['a/b/.tmp-old', day + 5_000],
      ['.tmp-old', 2 * day],
      ['a/.tmp-young', day - 5_000],
    ] as const) {
      await writeFile(join(root, name), 'half an obj');
      await utimes(join(root, name), (now - age) / 1000, (now - age) / 1000);
    }
    await utimes(join(root, 'a/b/1'), 1_000, 1_000);
    expect(await keysOf(store)).toEqual(['a/b/1']);
    openFsStore(root);
    expect(await readdir(join(root, 'a/b'))).toContain('.tmp-old');
    sweepFsStore(root, now);
    expect((await readdir(root)).sort()).toEqual(['a']);
    expect((await readdir(join(root, 'a'))).sort()).toEqual(['.tmp-young', 'b']);
    expect(await readdir(join(root, 'a/b'))).toEqual(['1']);
    expect(text(await store.get('a/b/1'))).toBe('x');
  });

  test('files whose names are no keys are not shown', async () => {
    const root = await newFolder();
    const store = openFsStore(root);
    await store.put('a/1', bytes('x'));
    await mkdir(join(root, '.git'));
    await mkdir(join(root, 'a b'));
    for (const name of ['.DS_Store', 'a/.nfs001', 'a/ü', '.git/x', 'a b/x'])
      await writeFile(join(root, name), '');
    expect(await keysOf(store)).toEqual(['a/1']);
  });

  test('one name is not an object and a folder at once', async () => {
    const store = openFsStore(await newFolder());
    await store.put('a/b', bytes('x'));
    const refusal = { category: 'incorrect', code: 'store.key' };
    await expect(store.put('a', bytes('y'))).rejects.toMatchObject(refusal);
    await expect(store.putIfAbsent('a', bytes('y'))).rejects.toMatchObject(refusal);
    await expect(store.put('a/b/c', bytes('y'))).rejects.toMatchObject(refusal);
    await expect(store.putIfAbsent('a/b/c/d', bytes('y'))).rejects.toMatchObject(refusal);
    expect(await store.get('a')).toBeUndefined();
    expect(await store.get('a/b/c')).toBeUndefined();
    await store.delete('a/b/c');
    expect(await keysOf(store, 'a/b/')).toEqual([]);
    expect(await keysOf(store)).toEqual(['a/b']);
  });
});

describe('links and other strangers in the folder', () => {
  test('links are not shown, and no key leads through one', async () => {
    const folder = await newFolder();
    const root = join(folder, 'root');
    const store = openFsStore(root, { make: true });
    await store.put('in/1', bytes('x'));
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside/secret'), 'secret');
    await symlink(join(folder, 'outside'), join(root, 'out'));
    await symlink(join(folder, 'outside/secret'), join(root, 'in/file'));
    await symlink(root, join(root, 'in/round'));
    expect(await keysOf(store)).toEqual(['in/1']);
    const refusal = { category: 'configuration', code: 'store.symlink' };
    await expect(store.get('out/secret')).rejects.toMatchObject(refusal);
    await expect(store.get('in/file')).rejects.toMatchObject(refusal);
    await expect(store.put('out/new', bytes('x'))).rejects.toMatchObject(refusal);
    await expect(store.putIfAbsent('out/deep/new', bytes('x'))).rejects.toMatchObject(refusal);
    await expect(store.delete('out/secret')).rejects.toMatchObject(refusal);
    await expect(keysOf(store, 'out/')).rejects.toMatchObject(refusal);
    await store.put('in/file', bytes('replaced'));
    expect(text(await store.get('in/file'))).toBe('replaced');
    expect(await readdir(join(folder, 'outside'))).toEqual(['secret']);
  });

  test('the root itself may be a link', async () => {
    const folder = await newFolder();
    await mkdir(join(folder, 'real'));
    await symlink(join(folder, 'real'), join(folder, 'link'));
    await openFsStore(join(folder, 'link')).put('a/b', bytes('x'));
    expect(text(await openFsStore(join(folder, 'real')).get('a/b'))).toBe('x');
  });

  test('a root that is a file or relative is refused', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'file'), '');
    const refusal = expect.objectContaining({ category: 'configuration', code: 'store.root' });
    for (const root of [
      join(folder, 'file'),
      join(folder, 'file/under'),
      'relative/path',
      '',
      `${folder}/a\0b`,
    ]) {
      expect(() => openFsStore(root), root).toThrow(refusal);
      expect(() => openFsStore(root, { make: true }), root).toThrow(refusal);
    }
  });

  test('a root that is missing is a store that is gone, and stays missing', async () => {
    const folder = await newFolder();
    await symlink(join(folder, 'nowhere'), join(folder, 'link'));
    for (const name of ['missing', 'missing/deep', 'link'])
      expect(() => openFsStore(join(folder, name)), name).toThrow(
        expect.objectContaining({
          category: 'unavailable',
          code: 'store.gone',
          next: expect.stringContaining('bring the folder back'),
        }),
      );
    expect(await readdir(folder)).toEqual(['link']);
  });
});

describe('a folder that changes under the store', () => {
  test('folders that others remove while they are empty are made again', async () => {
    const root = await newFolder();
    const store = openFsStore(root);
    const state = { done: false, rounds: 0, removed: 0 };
    const removing = (async () => {
      while (!state.done) {
        // Without a pause it would step through the same thread pool in time with the store, and always win.
        await setTimeout(state.rounds++ % 3);
        for (const path of ['a/b', 'a']) {
          await rmdir(join(root, path)).then(
            () => state.removed++,
            () => undefined,
          );
        }
      }
    })();
    for (let i = 0; i < 25; i++) {
      await store.put(`a/b/${i}`, bytes('x'));
      expect(text(await store.get(`a/b/${i}`))).toBe('x');
      await store.delete(`a/b/${i}`);
    }
    state.done = true;
    await removing;
    expect(state.removed).toBeGreaterThan(0);
  });

  test('entries that vanish while they are listed are left out', async () => {
    const root = await newFolder();
    const store = openFsStore(root);
    for (const key of ['a/1', 'b/1', 'b/c/1', 'd/1']) await store.put(key, bytes('x'));
    const seen: string[] = [];
    for await (const key of store.list('')) {
      seen.push(key);
      if (key === 'a/1') await rm(join(root, 'b'), { recursive: true });
    }
    expect(seen).toEqual(['a/1', 'd/1']);
  });

  const everyMethod = (store: ReturnType<typeof openFsStore>) => ({
    get: () => store.get('a/1'),
    absent: () => store.get('never'),
    put: () => store.put('a/2', bytes('x')),
    putIfAbsent: () => store.putIfAbsent('a/3', bytes('x')),
    delete: () => store.delete('a/1'),
    list: () => keysOf(store),
    listNothing: () => keysOf(store, 'never/'),
  });

  test('a root that is gone is not made anew', async () => {
    const folder = await newFolder();
    const root = join(folder, 'root');
    const store = openFsStore(root, { make: true });
    await store.put('a/1', bytes('x'));
    await rename(root, join(folder, 'elsewhere'));
    for (const [method, action] of Object.entries(everyMethod(store))) {
      await expect(action(), method).rejects.toMatchObject({
        category: 'unavailable',
        code: 'store.gone',
      });
    }
    expect(await readdir(folder)).toEqual(['elsewhere']);
    await rename(join(folder, 'elsewhere'), root);
    expect(text(await store.get('a/1'))).toBe('x');
  });

  test('another folder in the place of the root is not the store', async () => {
    const folder = await newFolder();
    const root = join(folder, 'root');
    const store = openFsStore(root, { make: true });
    await store.put('a/1', bytes('x'));
    await rename(root, join(folder, 'elsewhere'));
    await mkdir(join(root, 'a'), { recursive: true });
    await writeFile(join(root, 'a/1'), 'of another store');
    for (const [method, action] of Object.entries(everyMethod(store))) {
      await expect(action(), method).rejects.toMatchObject({
        category: 'unavailable',
        code: 'store.gone',
      });
    }
    expect(await readdir(root, { recursive: true })).toEqual(['a', 'a/1']);
  });
});
