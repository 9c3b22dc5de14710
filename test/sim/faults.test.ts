import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { setUp } from '../../src/home/set-up.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { openHome } from '../../src/node/node.ts';
import { withParts } from '../../src/node/passes.ts';
import { maintain, type Parts, sync } from '../../src/pipeline.ts';
import { faultSweep } from '../kit/flaky-store.ts';
import { envOf, stillWorld, testHome } from '../kit/home.ts';
import { Killed, Mortality } from '../kit/killed.ts';
import { openMemoryStore } from '../kit/memory-store.ts';
import { happen, outcome, SYNCED } from './story.ts';

const root = mkdtempSync(join(tmpdir(), 'credence-faults-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let runs = 0;

/** A home in which the story has happened, and that nobody has synced. */
function freshHome(store: () => ObjectStore) {
  // One path for all: paths are part of what is compared.
  const folder = join(root, 'home');
  rmSync(folder, { recursive: true, force: true });
  runs += 1;
  const world = stillWorld(SYNCED);
  const home = { ...testHome(folder, 'one', store, world), world };
  happen(home, folder);
  return { folder, home, env: envOf(folder) };
}

type Made = ReturnType<typeof freshHome>;

/** What a machine does in the end: joins, syncs, keeps the fleet in order. */
async function work(
  { home, env, folder }: Made,
  over: (parts: Parts) => Parts = (parts) => parts,
): Promise<void> {
  await setUp(home, { runtimes: ['claude-code'], agentIds: { 'claude-code': 'cc-01' } });
  const settled = { ...home, settings: openHome({}, envOf(folder)).settings };
  const done = await withParts(
    settled,
    async (parts) => {
      await sync(over(parts));
      return maintain(over(parts));
    },
    env,
  );
  if (!done?.value) throw new Error('somebody else holds the lock or the lease');
}

test('every store operation of founding, sync, seal and maintenance fails once, in both ways', {
  timeout: 240_000,
}, async () => {
  let made: Made | undefined;
  let current: ObjectStore | undefined;
  const store = () => {
    if (!current) throw new Error('no store');
    return current;
  };
  let clean: object | undefined;
  await faultSweep(
    async (given) => {
      current = given;
      made ??= freshHome(store);
      await work(made);
    },
    () => {
      made = undefined;
      return openMemoryStore({
        immutable: (key) => key.startsWith('ledger/') || key.endsWith('.parquet'),
      });
    },
    async (inner) => {
      if (!made) throw new Error('nothing ran');
      const after = await outcome(made.home, inner);
      clean ??= after;
      expect(after).toEqual(clean);
    },
  );
  expect(clean).toMatchObject({ outbox: 0, unsealed: 0, tables: { unusable: [] } });
  expect(runs).toBeGreaterThan(100);
});

test('a process that dies at any step on its own disk is followed by one that ends the same', {
  timeout: 240_000,
}, async () => {
  const runDying = async (at: number, when: 'before' | 'after') => {
    const store = openMemoryStore();
    const made = freshHome(() => store);
    const mortality = new Mortality(at, when);
    const watched = (parts: Parts): Parts => ({
      ...parts,
      store: mortality.watch(parts.store, false),
      spool: mortality.watch(parts.spool),
      outbox: mortality.watch(parts.outbox),
      rendered: mortality.watch(parts.rendered),
    });
    const died = await work(made, watched).then(
      () => false,
      (error: unknown) => {
        if (error instanceof Killed) return true;
        throw error;
      },
    );
    if (died) await work(made);
    return { after: await outcome(made.home, store), calls: mortality.count, died };
  };
  const clean = await runDying(0, 'before');
  expect(clean.died).toBe(false);
  expect(clean.calls).toBeGreaterThan(40);
  for (let at = 1; at <= clean.calls; at++) {
    for (const when of ['before', 'after'] as const) {
      const { after, died } = await runDying(at, when);
      expect({ at, when, died }).toEqual({ at, when, died: true });
      expect(after, `died ${when} call ${at}`).toEqual(clean.after);
    }
  }
});
