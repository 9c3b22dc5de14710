import { expect, test } from 'vitest';
import { scoreBody } from '../../test/kit/belief.ts';
import { handoffBody, householdOf, T0 } from '../../test/kit/fleet.ts';
import { GateScene } from '../../test/kit/gate.ts';
import { recordId } from '../record/record.ts';
import { getClaim } from './claims.ts';
import { whyOf } from './why.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');
const cyd = householdOf('cyd');

test('a session that had a note of the first before it is the same observation, and why says how', () => {
  const scene = new GateScene(ann);
  const note = handoffBody(ann, 's');
  const path = { kind: 'handoff', position: 0, channel: 'briefing', matched: 'lineage' } as const;
  scene.session(ann, 's');
  scene.say('handoff', note, ann.agents[0]?.signer ?? ann.host);
  const handoff = recordId('handoff', note);
  scene.session(bob, 't', [{ ...path, id: handoff }]);
  scene.session(cyd, 'u');
  const id = scene.claim(ann, 'Use just, not make.', { claim_type: 'convention' });
  scene.judged(id);
  scene.position(bob, id, 't');
  expect(whyOf(scene.state, id)).toMatchObject({
    sessions: 2,
    independent: 1,
    needs: 2,
    classes: [
      {
        counts: true,
        sessions: [{ session: 's' }, { session: 't', agent: 'bob-cc' }],
        merges: [
          {
            why: 'exposed',
            session: 't',
            from: 's',
            path: [{ session: 't', kind: 'handoff', id: handoff, channel: 'briefing' }],
          },
        ],
      },
    ],
  });
  scene.position(cyd, id, 'u');
  expect(whyOf(scene.state, id)).toMatchObject({ sessions: 3, independent: 2 });
  // What the gate decides by is the same count.
  expect(scene.gate()).toEqual({ [id]: 'promoted' });
  expect(getClaim(scene.state, id, { now: T0 })?.independentCount).toBe(2);
  expect(whyOf(scene.state, 'f'.repeat(64))).toBeUndefined();
});

test('an observation weighs as whoever made it was right before', () => {
  const scene = new GateScene(ann);
  scene.session(ann, 's');
  const guess = scene.claim(ann, 'It is the scheduler.', { claim_type: 'hypothesis' });
  const id = scene.claim(ann, 'SSH listens on 2222.', {});
  scene.judged(guess);
  scene.judged(id);
  scene.gate();
  const confidence = () => getClaim(scene.state, id, { now: T0 })?.confidence;
  // One observation by an agent without a record: (1 + 1) / (2 + 1).
  expect(confidence()).toBeCloseTo(2 / 3, 12);
  scene.say('score', scoreBody(ann.host, 'ann-cc', guess, { result: 'expired' }), ann.host);
  expect(confidence()).toBeCloseTo(2 / 3, 12);
  const other = scene.claim(ann, 'It is the cache.', { claim_type: 'hypothesis' });
  const outcome = scene.claim(bob, 'It was not the cache.', { claim_type: 'outcome' });
  const totals = { correct: 0, incorrect: 1, expired: 1 };
  const wrong = { result: 'incorrect', outcome_id: outcome, totals } as const;
  scene.say('score', scoreBody(ann.host, 'ann-cc', other, wrong), ann.host);
  // One wrong of one: s = (12 · 0.5 + 1) / 13, and what it says weighs 1.5 - s.
  const trust = 1.5 - Math.round((7 / 13) * 1e6) / 1e6;
  expect(confidence()).toBeCloseTo((1 + trust) / (2 + trust), 9);
});
