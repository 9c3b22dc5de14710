import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setUp } from '../src/home/set-up.ts';
import { openHome } from '../src/node/node.ts';
import { withParts } from '../src/node/passes.ts';
import { envOf, place, stillWorld, tempFolder, testHome } from './kit/home.ts';
import { openMemoryStore } from './kit/memory-store.ts';

const NOON = Date.UTC(2026, 2, 5, 12);
const DAY = 24 * 3_600_000;

test('what crashes left in home and store is looked for once a day, by whoever works with them', async () => {
  const folder = tempFolder('daily');
  const world = stillWorld(NOON);
  const store = openMemoryStore();
  const home = testHome(folder, 'one', () => store, world);
  await setUp(home, { runtimes: ['claude-code'], agentIds: { 'claude-code': 'one' } });
  const left = [
    join(folder, 'lake', 'sessions', '.tmp-0123'),
    join(home.folders.home, '.credence-1-0123abcd.tmp'),
    join(home.folders.config, 'keys', '.credence-1-0123abcd.tmp'),
  ];
  const leave = () => {
    for (const path of left) {
      place(path, 'half');
      utimesSync(path, 1, 1);
    }
  };
  const found = async (now: number) => {
    world.set(now);
    await withParts(home, async () => undefined, envOf(folder));
    return left.filter((path) => existsSync(path)).length;
  };
  leave();
  expect(await found(NOON)).toBe(0);
  leave();
  expect([await found(NOON + 1), await found(NOON + DAY - 1)]).toEqual([left.length, left.length]);
  expect(await found(NOON + DAY)).toBe(0);
});

test('a store that is opened is not looked through', () => {
  const folder = tempFolder('opened');
  const left = join(folder, 'lake', '.tmp-0123');
  place(left, 'half');
  utimesSync(left, 1, 1);
  openHome({}, envOf(folder)).store({ make: true });
  expect(existsSync(left)).toBe(true);
});
