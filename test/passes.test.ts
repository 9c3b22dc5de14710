import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Signer } from '../src/base/ed25519.ts';
import { CredenceError } from '../src/base/errors.ts';
import type { Home } from '../src/home/home.ts';
import { setUp } from '../src/home/set-up.ts';
import type { ObjectStore } from '../src/lake/objects.ts';
import { syncOnce, withParts } from '../src/node/passes.ts';
import { deleteSnapshots, readSnapshot } from '../src/node/snapshots.ts';
import { maintain, type Parts, sync } from '../src/pipeline.ts';
import { damageOf, setMeta } from '../src/snapshot/database.ts';
import { positionOf } from '../src/snapshot/follow.ts';
import { envOf, place, stillWorld, tempFolder, testHome } from './kit/home.ts';
import { openMemoryStore } from './kit/memory-store.ts';

const NOON = Date.UTC(2026, 2, 5, 12);
const HOUR = 3_600_000;

async function machine() {
  const folder = tempFolder('passes');
  const world = stillWorld(NOON);
  const store = openMemoryStore();
  const home = testHome(folder, 'one', () => store, world);
  await setUp(home, { runtimes: ['claude-code'], agentIds: { 'claude-code': 'one' } });
  const env = envOf(folder);
  const passes = async (maintains: boolean) => syncOnce(home, env, { maintains });
  return { home, env, world, store, passes };
}

const at = ({ folders }: Home, ...names: string[]) => join(folders.home, ...names);

async function leasesIn(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list('live/leases/')) keys.push(key);
  return keys;
}

describe('a sync that maintains', () => {
  test('makes a pass where the last one is an hour ago, and no other', async () => {
    const { store, world, passes } = await machine();
    const seen: number[] = [];
    for (const later of [0, 1, HOUR - 1, HOUR]) {
      world.set(NOON + later);
      const before = await leasesIn(store);
      await passes(true);
      const after = await leasesIn(store);
      if (after.join() !== before.join()) seen.push(later);
    }
    await passes(false);
    expect(seen).toEqual([0, HOUR]);
  });

  test('syncs all the same where no lease can be taken, and says that', async () => {
    const { home, store, passes } = await machine();
    await store.put('live/leases/maintenance/999999999999.json', Buffer.from('{}'));
    expect(await passes(true)).toMatchObject({ troubles: [] });
    expect(home.lastSync()).toMatchObject({ ok: false });
    // Not again at once.
    expect(await passes(true)).toMatchObject({ troubles: [] });
    expect(home.lastSync()).toMatchObject({ ok: true });
  });

  test('syncs all the same where it can’t note when it maintained', async () => {
    const { home, passes } = await machine();
    const stamp = at(home, 'run', 'maint.stamp');
    mkdirSync(join(stamp, 'x'), { recursive: true });
    utimesSync(stamp, 1, 1);
    expect(await passes(true)).toMatchObject({ troubles: [] });
    expect(home.lastSync()).toMatchObject({ ok: false, next: expect.stringContaining('move') });
  });
});

describe('a snapshot that is damaged', () => {
  const spoil = (path: string, from: number) => {
    const bytes = readFileSync(path);
    bytes.fill(0xa5, from);
    writeFileSync(path, bytes);
  };

  test.each([
    ['state.sqlite', 0],
    ['state.sqlite', 8_192],
    ['agent.sqlite', 0],
    ['agent.sqlite', 8_192],
  ])('is built again by the next sync: %s, from byte %i on', async (name, from) => {
    const { home, passes } = await machine();
    const before = await passes(false);
    spoil(at(home, name), from);
    expect(await passes(false)).toEqual(before);
    expect(home.lastSync()).toMatchObject({ ok: true });
    for (const which of ['state', 'agent'] as const)
      expect(readSnapshot(home, which, damageOf)).toBeUndefined();
  });

  test('is built again in the middle of the work, which is done once more', async () => {
    const { home, env, passes } = await machine();
    const { position } = (await passes(false)) ?? {};
    const seen: number[] = [];
    const work = async (parts: Parts) => {
      seen.push(positionOf(parts.state));
      if (seen.length === 1)
        throw new CredenceError('unavailable', 'sqlite.sqlite_corrupt_vtab', 'malformed');
      return (await sync(parts)).position;
    };
    expect(await withParts(home, work, env)).toEqual({ value: position });
    expect(seen).toEqual([position, 0]);
  });
});

describe('a snapshot that is built again from a mark', () => {
  test('that the ledger does not bear out: all is checked, by the same sync, and the mark is right again', async () => {
    const { home, passes } = await machine();
    const before = await passes(false);
    const path = at(home, 'verified.json');
    const text = readFileSync(path, 'utf8');
    const mark = JSON.parse(text) as { n: number };
    for (const wrong of [{ root: 'a'.repeat(64) }, { n: mark.n + 1 }, { fleet_id: 'other' }]) {
      writeFileSync(path, JSON.stringify({ ...mark, ...wrong }));
      deleteSnapshots(home);
      expect(await passes(false)).toEqual(before);
      expect(readFileSync(path, 'utf8')).toBe(text);
      expect(home.lastSync()).toMatchObject({ ok: true });
    }
  });

  test('is not read before it came to the mark’s commit', async () => {
    const { home, env, passes } = await machine();
    await passes(false);
    const mark = readFileSync(at(home, 'verified.json'), 'utf8');
    await withParts(home, async ({ state }) => setMeta(state, 'assumed', mark), env);
    expect(() => readSnapshot(home, 'state', positionOf)).toThrow('nothing has been followed');
    await passes(false);
    expect(readSnapshot(home, 'state', positionOf)).toBeGreaterThan(0);
  });
});

describe('what status hears', () => {
  test('of no sync where none was made', async () => {
    const { home, env } = await machine();
    await withParts(home, async () => undefined, env);
    expect(home.lastSync()).toBeUndefined();
    await withParts(home, sync, env);
    expect(home.lastSync()).toMatchObject({ ok: true });
  });

  test('of what a pass passed over: the sync, and the maintenance that goes on with it', async () => {
    const { home, env } = await machine();
    const troubles = Array.from({ length: 21 }, (_, n) => ({
      id: `s${n}`,
      code: 'part.missing',
      message: 'gone',
    }));
    await withParts(home, async (parts) => parts.synced?.(troubles, []), env);
    expect(home.lastSync()).toMatchObject({ ok: true, passed_over: 21 });
    expect(home.lastSync()?.troubles).toEqual(troubles.slice(0, 20));
    await withParts(home, maintain, env);
    expect(home.lastSync()).toEqual({ at: '2026-03-05T12:00:00.000Z', ok: true });
  });

  test.each<[string, (home: Home) => void]>([
    ['a lock that is no database', (home) => place(at(home, 'machine.sqlite'), 'x'.repeat(9_000))],
    ['a file where a folder has to be', (home) => place(at(home, 'run'), '')],
  ])('of a sync that could not begin: %s', async (_what, spoil) => {
    const { home, passes } = await machine();
    spoil(home);
    await expect(passes(false)).rejects.toThrow();
    expect(home.lastSync()).toMatchObject({ ok: false });
  });
});

test('whoever held the lock makes the sync that was asked for meanwhile', async () => {
  const { home, env, passes } = await machine();
  const mark = at(home, 'run', 'sync.again');
  const done = await withParts(
    home,
    async () => {
      expect(await passes(false)).toBeUndefined();
      expect(existsSync(mark)).toBe(true);
      return 'held';
    },
    env,
  );
  expect(done).toEqual({ value: 'held' });
  expect(existsSync(mark)).toBe(false);
  expect(home.lastSync()).toMatchObject({ ok: true });
});

test('a sync that can’t sign says so, also while another process is at work, which makes it all the same', async () => {
  const { home, env } = await machine();
  const mark = at(home, 'run', 'sync.again');
  const sealed = (name: string): Signer => ({
    address: home.keys.signer(name).address,
    get key(): never {
      throw new CredenceError('configuration', 'key.sealed', 'sealed');
    },
  });
  const shut = { ...home, keys: { ...home.keys, signer: sealed, peek: sealed } };
  const refused = { code: 'key.sealed' };
  await withParts(
    home,
    async () => {
      await expect(syncOnce(shut, env)).rejects.toMatchObject(refused);
      expect(home.lastSync()).toMatchObject({ ok: false, ...refused });
      expect(existsSync(mark)).toBe(true);
    },
    env,
  );
  expect(existsSync(mark)).toBe(false);
  expect(home.lastSync()).toMatchObject({ ok: true });
  await expect(syncOnce(shut, env)).rejects.toMatchObject(refused);
});
