import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entriesOf, fleetRows, householdOf } from '../../test/kit/fleet.ts';
import { anyCommand, anyMet, tell } from '../../test/kit/gate-story.ts';
import { newSql } from '../../test/kit/member.ts';
import { canonical } from '../base/canonical.ts';
import { toInstant } from '../base/time.ts';
import { step } from '../fold/step.ts';
import { decide } from '../gate/run.ts';
import type { DecisionBody } from '../record/decision.ts';
import { applyChanges, readerOf, setMeta } from './database.ts';
import { dueClaims, noteSeen } from './touched.ts';

const { host } = householdOf('cyd');
/** As often as not a run follows on the same day: on another one all are due. */
const anySoon = anyCommand.map((one) =>
  one.do === 'gate' && one.days % 4 > 0 ? { ...one, days: 0 } : one,
);
const told = ({ after: _, ...body }: DecisionBody) => canonical(body);

test('what is decided of the claims that are due is what would be decided of all', () => {
  let [few, all] = [0, 0];
  fc.assert(
    fc.property(fc.array(anySoon, { minLength: 10, maxLength: 40 }), anyMet, (commands, met) => {
      const { scene, runs } = tell(commands, met);
      const entries = entriesOf(scene.records);
      const sql = newSql();
      applyChanges(sql, fleetRows());
      const reader = readerOf(sql);
      let folded = 0;
      const foldTo = (position: number) => {
        for (; folded < position; folded++)
          applyChanges(sql, step(reader, entries[folded] ?? { seq: 0, context: '', fault: '' }));
        setMeta(sql, 'position', String(position));
      };
      for (const { basis, now, decisions } of runs) {
        foldTo(basis);
        const { claims, isAll } = dueClaims(sql, now);
        if (!isAll) [few, all] = [few + claims.length, all + reader.where('claims').length];
        const again: string[] = [];
        const parts = { reader, position: basis, now: toInstant(now), author: host.address };
        decide(
          parts,
          claims.map(({ key }) => key),
          (body, isRepeated) => {
            if (isRepeated) return undefined;
            again.push(told(body));
            return body;
          },
        );
        expect(again).toEqual(decisions.map(({ body }) => told(body)));
        noteSeen(sql, basis, isAll, now);
        foldTo(basis + decisions.length);
      }
      sql.close();
    }),
    { numRuns: 60 },
  );
  // It is no test where all are always due.
  expect(few).toBeLessThan(all);
});
