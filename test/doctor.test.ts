import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { doctorChecks, type Tried } from '../src/doctor.ts';
import { readSnapshot } from '../src/node.ts';
import { syncOnce } from '../src/passes.ts';
import { setUp } from '../src/set-up.ts';
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
});
