import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CredenceError } from '../src/base/errors.ts';
import { doctorChecks, type Tried } from '../src/home/doctor.ts';
import { setUp } from '../src/home/set-up.ts';
import { syncOnce } from '../src/node/passes.ts';
import { readSnapshot } from '../src/node/snapshots.ts';
import { damageOf } from '../src/snapshot/database.ts';
import { envOf, stillWorld, tempFolder, testHome } from './kit/home.ts';
import { openMemoryStore } from './kit/memory-store.ts';

/** A home that has synced, and what doctor says of one thing. */
async function patient() {
  const folder = tempFolder('doctor');
  const store = openMemoryStore();
  const home = testHome(folder, 'one', () => store, stillWorld(Date.UTC(2026, 2, 5, 12)));
  await setUp(home, { runtimes: ['claude-code'], agentIds: { 'claude-code': 'one' } });
  await syncOnce(home, envOf(folder));
  const check = async (name: string, other: Partial<Tried> = {}) => {
    const checks = await doctorChecks({
      home,
      tryToWrite: () => {},
      isFile: () => true,
      installed: () => ({ path: '', events: [], fault: null }),
      damage: (which) => readSnapshot(home, which, damageOf),
      model: () => 'no model is asked',
      named: () => [],
      found: () => {},
      ...other,
    });
    return checks.find((one) => one.name === name);
  };
  return { home, store, check };
}

describe('doctor', () => {
  test.each(['state', 'agent'])('reads %s.sqlite whole', async (which) => {
    const { home, check } = await patient();
    expect(await check('snapshot')).toMatchObject({ ok: true });
    const path = join(home.folders.home, `${which}.sqlite`);
    const bytes = readFileSync(path);
    // Not the tables that opening reads.
    bytes.fill(0xa5, bytes.length - 8_192);
    writeFileSync(path, bytes);
    expect(await check('snapshot')).toEqual({
      name: 'snapshot',
      ok: false,
      says: expect.stringContaining(`${which}.sqlite`),
      next: expect.stringMatching(/remove (?:it|the file).*|credence sync --once/),
    });
  });

  test('lists the parts that the ledger names and the store has lost', async () => {
    const { store, check } = await patient();
    const keys = Array.from({ length: 22 }, (_, n) => `sessions/dt=2026-03-05/part-${10 + n}`);
    for (const key of keys) await store.put(key, Buffer.from('x'));
    const heard: string[] = [];
    const named = () => [
      { session: 'a\u001b[31m', keys: keys.slice(0, 1) },
      { session: 'b', keys: keys.slice(1) },
    ];
    const found = (n: number, of: number) => void heard.push(`${n} of ${of}`);
    expect(await check('parts', { named, found })).toEqual({
      name: 'parts',
      ok: true,
      says: 'all 22 that the ledger names are in the store',
    });
    expect(heard.at(-1)).toBe('22 of 22');
    await store.delete(keys[0] ?? '');
    const lost = await check('parts', { named, found });
    expect(lost).toMatchObject({ ok: false, next: expect.stringContaining('backup') });
    expect(lost?.says).toMatch(/^1 of 22 [^\n]+\n {4}a[^\n]*: sessions\/dt=2026-03-05\/part-10$/);
    expect(lost?.says).not.toContain('\u001b');
    for (const key of keys) await store.delete(key);
    expect((await check('parts', { named, found }))?.says).toMatch(/\n {4}and 2 more$/);
  });

  test('looks for no parts where the fleet is not there', async () => {
    const { store, check } = await patient();
    for await (const key of store.list('')) await store.delete(key);
    const found = await check('parts');
    expect(found).toMatchObject({ ok: false, says: 'not tried without the fleet' });
  });

  test('says of a store without room what helps there', async () => {
    const { store, check } = await patient();
    const next = 'Free some space there; then do it again.';
    store.putIfAbsent = async () => {
      throw new CredenceError('unavailable', 'store.full', 'no room left', { next });
    };
    expect(await check('store')).toMatchObject({ ok: false, says: 'no room left', next });
  });
});
