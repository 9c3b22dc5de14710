import { expect, test, vi } from 'vitest';
import { listOrigins } from '../src/query/foreign.ts';
import { bundleFleet } from './kit/bundle-fleet.ts';
import { faultSweep } from './kit/flaky-store.ts';
import { keyOf, T0 } from './kit/fleet.ts';
import { auditLedger, inboxOf, newSql } from './kit/member.ts';
import { openMemoryStore } from './kit/memory-store.ts';

vi.setConfig({ testTimeout: 240_000 });

const ann = keyOf('ann speaks');

test('an import that is cut off at any operation of the store is done whole by the next one, and nothing of it is there twice', async () => {
  const origin = await bundleFleet('origin');
  const scope = { space: 'lab', segment: null };
  const { claim } = await origin.base.propose({ scope, kind: 'semantic', statement: 'x' }, ann);
  await origin.base.endorse(claim, { verdict: 'corroborate', basis: '' }, keyOf('bob speaks'));
  const { checked } = await origin.export();
  await faultSweep(
    async (store, attempt) => {
      const here = await bundleFleet('here', 'open', newSql(), store);
      // Another moment is another record of the same import.
      here.world.set(T0 + attempt * 1_000);
      await here.import(checked);
      const [found] = listOrigins(here.reader);
      expect([found?.claims, here.reader.where('held').length]).toEqual([1, 2]);
      expect(here.reader.where('unusable')).toEqual([]);
    },
    openMemoryStore,
    async (store) => {
      await auditLedger(store);
      expect(await inboxOf(store)).toEqual([]);
      const later = await bundleFleet('here', 'open', newSql(), store);
      expect(await later.import(checked)).toMatchObject({ known: 2, said: [] });
    },
  );
});
