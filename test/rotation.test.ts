import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { principalOf } from '../src/fold/view.ts';
import type { Home } from '../src/home/home.ts';
import { rotate } from '../src/home/rotation.ts';
import { setUp } from '../src/home/set-up.ts';
import { openKeyring } from '../src/io/keys.ts';
import type { ObjectStore } from '../src/lake/objects.ts';
import { openHome } from '../src/node/node.ts';
import { withParts } from '../src/node/passes.ts';
import { sync } from '../src/pipeline.ts';
import { readerOf } from '../src/snapshot/database.ts';
import { envOf, stillWorld, tempFolder, testHome } from './kit/home.ts';
import { auditLedger } from './kit/member.ts';
import { openMemoryStore } from './kit/memory-store.ts';

const START = Date.UTC(2026, 2, 4, 5);

/** A home with keys on disk, whose n-th change of anything fails: before it happens, or once it has. */
async function machine(folder: string) {
  const inner = openMemoryStore({ immutable: (key) => key.startsWith('ledger/') });
  const fault = { nth: Number.POSITIVE_INFINITY, happens: false, changes: 0 };
  const changing =
    <A extends unknown[], R>(change: (...given: A) => R) =>
    (...given: A): R => {
      fault.changes += 1;
      const isNow = fault.changes === fault.nth;
      if (isNow && !fault.happens) throw new Error('died before');
      const value = change(...given);
      if (isNow) throw new Error('died after');
      return value;
    };
  const store: ObjectStore = {
    name: inner.name,
    get: (...given) => inner.get(...given),
    list: (...given) => inner.list(...given),
    time: () => inner.time(),
    put: changing((...given: Parameters<ObjectStore['put']>) => inner.put(...given)),
    putIfAbsent: changing((...given: Parameters<ObjectStore['putIfAbsent']>) =>
      inner.putIfAbsent(...given),
    ),
    delete: changing((...given: Parameters<ObjectStore['delete']>) => inner.delete(...given)),
  };
  const world = stillWorld(START);
  const config = envOf(folder)['CREDENCE_CONFIG_HOME'] ?? '';
  const open = (): Home => {
    const home = testHome(folder, 'ann', () => store, world);
    const keys = openKeyring(config);
    return {
      ...home,
      settings: openHome({}, envOf(folder)).settings,
      writePin: changing(home.writePin),
      keys: { ...keys, turn: changing(keys.turn) },
    };
  };
  await setUp(open(), { runtimes: ['claude-code'], agentIds: { 'claude-code': 'cc-01' } });
  const run = (key?: string) =>
    withParts(
      open(),
      async (parts): Promise<unknown> =>
        key === undefined ? sync(parts) : rotate(open(), parts, key),
      envOf(folder),
    );
  return { inner, fault, open, run, config };
}

test.each(['host', 'person', 'agent-cc-01'])(
  'the key of %s is one that the ledger has, whatever moment the process dies at',
  async (key) => {
    let died = 0;
    for (let nth = 1; nth < 40; nth++) {
      for (const happens of [false, true]) {
        const { inner, fault, open, run, config } = await machine(tempFolder('rotation'));
        await run();
        const before = open().keys.signer(key).address;
        const hostId = open().readPin()?.hostId;
        Object.assign(fault, { nth, happens, changes: 0 });
        const isDead = await run(key).then(
          () => false,
          () => true,
        );
        fault.nth = Number.POSITIVE_INFINITY;
        await run();
        const { address } = open().keys.signer(key);
        const found = await withParts(
          open(),
          async ({ state, identity }) => ({
            now: principalOf(readerOf(state), address),
            old: principalOf(readerOf(state), before),
            hostId: identity.hostId,
          }),
          {},
        );
        const where = `change ${nth}, ${happens ? 'after' : 'before'}`;
        expect([where, found?.value.now?.revoked]).toEqual([where, undefined]);
        expect([where, found?.value.now?.roles]).toEqual([where, expect.any(Array)]);
        expect(found?.value.now?.principal).toBe(found?.value.old?.principal);
        if (address !== before) expect(found?.value.old?.revoked).toEqual(expect.any(Number));
        expect(hostId ?? found?.value.hostId).toBe(found?.value.hostId);
        expect(open().readPin()?.rotating ?? []).toEqual([]);
        const file = join(config, 'keys', `${key}.json`);
        expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ address });
        if (address !== before) expect(existsSync(`${file}.next`)).toBe(false);
        await auditLedger(inner, 'local');
        if (!isDead) {
          expect(address).not.toBe(before);
          expect(died).toBeGreaterThan(5);
          return;
        }
        died += 1;
      }
    }
    throw new Error('no run came to its end');
  },
  120_000,
);
