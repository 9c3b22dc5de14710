import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCommand, anyMet, GateStory, tell } from '../../test/kit/gate-story.ts';
import type { ClaimRow } from '../fold/knowledge-rows.ts';
import type { MapState } from '../fold/map-state.ts';
import type { DecisionBody } from '../record/decision.ts';
import { type Recorded, tellAgain } from './replay.ts';

/*
 * Whatever a fleet does, in whatever order: what holds of every decision, told by what the state shows and not by the gate's own code.
 */

const isHeld = (state: MapState, name: string) =>
  (state.get('trust', name)?.quarantined ?? null) !== null;
const passed = ({ gates }: DecisionBody) => gates.every(({ outcome }) => outcome === 'passed');

/** Sessions that speak for a claim, or for one that was joined into it, of people who saw it themselves. */
function speaking(state: MapState, claim: ClaimRow): Set<string> {
  const ids = [claim.key, ...state.where('claims', 'joined_into', claim.key).map(({ key }) => key)];
  const cited = ids.flatMap((id) => state.where('citations', 'claim', id));
  return new Set(cited.map(({ session }) => session));
}

test('every decision keeps the laws, and comes out the same when it is told again', () => {
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 40 }), anyMet, (commands, exposed) => {
      const told = tell(commands, exposed);
      for (const { basis, decisions } of told.runs) {
        const before = told.stateAt(basis);
        expect(tellAgain(before, decisions)).toEqual([]);
        for (const { seq, body } of decisions) {
          const claim = told.stateAt(seq).get('claims', body.claim_id) as ClaimRow;
          const has = body.gates.find(({ gate }) => gate === 'independence')?.has ?? 0;
          expect(has).toBeLessThanOrEqual(speaking(told.stateAt(seq), claim).size);
          if (body.kind !== 'promoted') continue;
          expect(passed(body)).toBe(true);
          expect(claim.claim_type).not.toBe('hypothesis');
          expect(isHeld(before, claim.observed_by)).toBe(false);
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('where nothing is new nothing is decided, and what is contested is so on both sides', () => {
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 40 }), anyMet, (commands, exposed) => {
      const told = tell(commands, exposed);
      const { state } = told.scene;
      for (const claim of state.where('claims')) {
        if (isHeld(state, claim.observed_by)) expect(claim.status).not.toBe('accepted');
        if (claim.status !== 'contested') continue;
        for (const id of JSON.parse(claim.against) as string[]) {
          const other = state.get('claims', id);
          if (other?.status === 'contested') expect(JSON.parse(other.against)).toContain(claim.key);
        }
      }
      // What one run promotes another claim of the same run may still rest on: a second run settles that.
      told.gate(0);
      told.gate(0);
      expect(told.runs.at(-1)?.decisions).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('a decision that is not what its basis gives is found out', () => {
  const told = new GateStory();
  told.do({ do: 'claim', session: 0, type: 0, text: 1 }, []);
  told.do({ do: 'claim', session: 1, type: 1, text: 2 }, []);
  told.gate(0);
  const [run] = told.runs;
  const { basis = 0, decisions = [] } = run ?? {};
  const [first, second] = decisions;
  if (!first || !second) throw new Error('two were decided');
  const forged = [first, { ...second, body: { ...second.body, kind: 'promoted', segment: null } }];
  expect(tellAgain(told.stateAt(basis), forged as Recorded[])).toMatchObject([
    { seq: second.seq, again: { kind: 'candidate' } },
  ]);
  const gates = second.body.gates.map((one) => ({ ...one, outcome: 'passed' as const }));
  const relabelled = [first, { ...second, body: { ...second.body, gates } }];
  expect(tellAgain(told.stateAt(basis), relabelled)).toHaveLength(1);
});
