import { describe, expect, test } from 'vitest';
import { householdOf, T0 } from '../../test/kit/fleet.ts';
import { citedFrom, GateScene } from '../../test/kit/gate.ts';
import { toInstant } from '../base/time.ts';
import { trustOf } from '../fold/belief.ts';
import { scoreAll } from './calibrate.ts';

const ann = householdOf('ann', ['cc', 'cu']);
const bob = householdOf('bob');
const DAY = 86_400_000;
const subject = ['resume test'];

function sceneOf(): { scene: GateScene; guess: string } {
  const scene = new GateScene(ann);
  scene.session(ann, 's');
  scene.session(bob, 't');
  const resolves_at = toInstant(T0 + DAY);
  const guess = scene.claim(ann, 'The `resume` test is unstable.', {
    claim_type: 'hypothesis',
    subject,
    resolves_at,
  });
  scene.judged(guess);
  return { scene, guess };
}

const scored = (scene: GateScene, now = T0) =>
  scoreAll({ reader: scene.state, now: toInstant(now), signer: ann.host }).map(({ body }) => [
    body['result'],
    body['totals'],
  ]);

describe('a hypothesis', () => {
  test.each([
    ['that came true', 'The `resume` test is unstable.', 'correct'],
    ['that did not', 'The `resume` test is not unstable.', 'incorrect'],
  ])('%s is scored by the outcome of another', (_, statement, result) => {
    const { scene } = sceneOf();
    const outcome = scene.claim(bob, statement, { claim_type: 'outcome', subject, session: 't' });
    scene.judged(outcome);
    expect(scored(scene)).toEqual([]);
    scene.gate();
    const totals = { correct: 0, incorrect: 0, expired: 0, [result]: 1 };
    expect(scored(scene)).toEqual([[result, totals]]);
    for (const record of scoreAll({ reader: scene.state, now: toInstant(T0), signer: ann.host }))
      scene.add(record);
    expect(scored(scene)).toEqual([]);
  });

  test.each([
    ['more', 'The `resume` test is unstable.', 1 / 26],
    ['less', 'The `resume` test is not unstable.', -1 / 26],
  ])('its agent’s word weighs %s once it is answered, and nobody else’s', (_, statement, by) => {
    const { scene } = sceneOf();
    scene.judged(scene.claim(bob, statement, { claim_type: 'outcome', subject, session: 't' }));
    scene.gate();
    expect(trustOf(scene.state, 'ann-cc')).toBe(1);
    for (const record of scoreAll({ reader: scene.state, now: toInstant(T0), signer: ann.host }))
      scene.add(record);
    expect(trustOf(scene.state, 'ann-cc')).toBeCloseTo(1 + by, 5);
    expect(trustOf(scene.state, 'bob-cc')).toBe(1);
  });

  test('nobody answers itself', () => {
    const { scene } = sceneOf();
    const own = scene.claim(ann, 'The `resume` test is unstable.', {
      claim_type: 'outcome',
      subject,
    });
    scene.judged(own);
    scene.gate();
    expect(scored(scene)).toEqual([]);
  });

  test('an outcome on another subject, or seen after its date, does not answer it', () => {
    const { scene } = sceneOf();
    const window = { first: toInstant(T0), last: toInstant(T0 + 3 * DAY) };
    scene.session(bob, 'late', [], { window });
    const late = { ...citedFrom('late'), observed_at: toInstant(T0 + 2 * DAY) };
    const said = 'The `resume` test is unstable.';
    const fields = { claim_type: 'outcome' } as const;
    scene.judged(scene.claim(bob, said, { ...fields, subject, evidence: [late] }));
    scene.judged(scene.claim(bob, said, { ...fields, subject: ['other'], session: 't' }));
    scene.gate(toInstant(T0 + 2 * DAY));
    const none = { correct: 0, incorrect: 0, expired: 1 };
    expect(scored(scene)).toEqual([]);
    expect(scored(scene, T0 + DAY + 1)).toEqual([['expired', none]]);
  });
});
