import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyRivalry, runRivalry } from '../kit/rivalry.ts';
import { holds } from '../kit/seeds.ts';
import { faultsOf } from '../kit/settled.ts';

const HERE = 'test/sim/rivals.test.ts';

test('four committers on one store make one order, whatever fails and whoever stalls', {
  timeout: 3_600_000,
}, async () => {
  const property = fc.asyncProperty(anyRivalry, async (rivalry) => {
    const outcome = await runRivalry(rivalry);
    try {
      expect(await faultsOf(outcome)).toEqual([]);
    } finally {
      for (const rival of outcome.rivals) rival.close();
    }
  });
  await holds(property, 60, HERE);
});
