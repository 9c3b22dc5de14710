import { describe, expect, test } from 'vitest';
import { settlementBody, trustBody } from '../../test/kit/belief.ts';
import { claimBody } from '../../test/kit/claims.ts';
import { handoffBody, householdOf, noted, sealed, sessionBody, T0 } from '../../test/kit/fleet.ts';
import { citedFrom, GateScene } from '../../test/kit/gate.ts';
import { toInstant } from '../base/time.ts';
import { KNOWLEDGE_SPEC } from '../record/knowledge.ts';
import { seal } from '../record/record.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');
const cyd = householdOf('cyd');
const DAY = 86_400_000;
const REPO_OF_ANN = 'repo:github.com/acme/own';

function sceneOf(): GateScene {
  const scene = new GateScene(ann);
  scene.session(ann, 's');
  scene.session(bob, 't');
  return scene;
}

const byClaim = (id: string, position = 0) =>
  ({ kind: 'claim', id, position, channel: 'briefing', matched: 'lineage' }) as const;

describe('what a type asks for', () => {
  test('one observation promotes what is so in an environment', () => {
    const scene = sceneOf();
    const id = scene.claim(ann, 'SSH listens on 2222.', {});
    scene.judged(id);
    expect(scene.gate()).toEqual({ [id]: 'promoted' });
    expect(scene.statusOf(id)).toBe('accepted');
    expect(scene.gate()).toEqual({});
  });

  test('a convention takes two that are independent', () => {
    const scene = sceneOf();
    const id = scene.claim(ann, 'Use just, not make.', { claim_type: 'convention' });
    scene.judged(id);
    expect(scene.gate()).toEqual({ [id]: 'candidate' });
    expect(scene.said(id)).toEqual([
      'quarantine passed free',
      'evidence failed too_few',
      'contradiction passed none',
      'provenance passed own',
      'independence failed too_few',
    ]);
    scene.position(bob, id, 't');
    expect(scene.gate()).toEqual({ [id]: 'promoted' });
  });

  test('a convention that a person accepted from a file takes one; of a session it does not', () => {
    const scene = sceneOf();
    const accepted = (session: string, statement: string) => {
      const evidence = [citedFrom(session)];
      const fields = { claim_type: 'convention', observed_by: 'human', evidence } as const;
      return scene.say(
        'claim',
        claimBody(ann, statement, { ...fields, author: ann.person.address }),
        ann.person,
      );
    };
    const id = accepted(`file:github.com/o/n/CLAUDE.md@${'0'.repeat(64)}`, 'Use just, not make.');
    const other = accepted('s', 'Sign every tag of a release.');
    scene.judged(id);
    scene.judged(other);
    scene.gate();
    expect(scene.said(id)).toContain('independence passed accepted');
    expect(scene.said(other)).not.toContain('independence passed accepted');
  });

  test('a hypothesis is never promoted, however many agree, and expires at its date', () => {
    const scene = sceneOf();
    const resolves_at = toInstant(T0 + DAY);
    const id = scene.claim(ann, 'The flake is in the scheduler.', {
      claim_type: 'hypothesis',
      resolves_at,
    });
    scene.judged(id);
    scene.position(bob, id, 't');
    expect(scene.gate()).toEqual({ [id]: 'candidate' });
    expect(scene.gate(toInstant(T0 + DAY + 1))).toEqual({ [id]: 'expired' });
  });

  test('a preference waits for a person', () => {
    const scene = sceneOf();
    const id = scene.claim(ann, 'Prefers terse output.', { claim_type: 'preference' });
    scene.judged(id);
    expect(scene.gate()).toEqual({ [id]: 'candidate' });
    expect(scene.said(id)).toContain('evidence waits approval');
    const promotion = scene.state.get('claims', id)?.promotion;
    const verdict = {
      spec: KNOWLEDGE_SPEC,
      author: bob.person.address,
      promotion_id: promotion,
    };
    const body = { ...verdict, verdict: 'approve', basis: 'so it is', issued_at: toInstant(T0) };
    scene.say('verdict', body, bob.person);
    expect(scene.gate()).toEqual({ [id]: 'promoted' });
  });
});

describe('what is not there yet', () => {
  test('a claim waits for its excerpts and its pairs, and says so', () => {
    const scene = sceneOf();
    const body = claimBody(ann, 'SSH listens on 2222.', { evidence: [citedFrom('s')] });
    const id = scene.add(seal('claim', body, ann.agents[0]?.signer ?? ann.host));
    expect(scene.gate()).toEqual({ [id]: 'candidate' });
    expect(scene.said(id)).toEqual([
      'quarantine passed free',
      'evidence waits excerpts',
      'contradiction waits pairs',
      'provenance waits excerpts',
      'independence failed too_few',
    ]);
  });

  test('a claim waits for what was before its session', () => {
    const scene = new GateScene(ann);
    scene.add(sealed(ann, sessionBody(ann, 's')));
    const id = scene.claim(ann, 'SSH listens on 2222.', {});
    scene.judged(id);
    scene.gate();
    expect(scene.said(id)).toContain('independence waits exposures');
  });
});

describe('independence', () => {
  const convention = { claim_type: 'convention' } as const;

  test('who was told it first does not count', () => {
    const scene = sceneOf();
    const id = scene.claim(ann, 'Use just, not make.', convention);
    scene.judged(id);
    scene.session(cyd, 'u', [byClaim(id)]);
    scene.position(cyd, id, 'u');
    expect(scene.gate()).toEqual({ [id]: 'candidate' });
    expect(scene.said(id)).toContain('independence failed too_few');
  });

  test('who was told it later does', () => {
    const scene = sceneOf();
    const id = scene.claim(ann, 'Use just, not make.', convention);
    scene.judged(id);
    scene.session(cyd, 'u', [byClaim(id, 11)]);
    scene.position(cyd, id, 'u');
    expect(scene.gate()).toEqual({ [id]: 'promoted' });
  });

  test('it comes through the handoff of one who was told, however far', () => {
    const scene = sceneOf();
    const id = scene.claim(ann, 'Use just, not make.', convention);
    scene.judged(id);
    scene.session(bob, 'told', [byClaim(id)]);
    const note = scene.add(noted(bob, handoffBody(bob, 'told')));
    const handoff = {
      kind: 'handoff',
      id: note,
      position: 0,
      channel: 'briefing',
      matched: 'lineage',
    } as const;
    scene.session(cyd, 'u', [handoff]);
    scene.position(cyd, id, 'u');
    expect(scene.gate()).toEqual({ [id]: 'candidate' });
  });

  test('one source is one observation', () => {
    const scene = sceneOf();
    const id = scene.claim(ann, 'Use just, not make.', convention);
    scene.judged(id);
    const same = { ...citedFrom('t'), excerpt_hash: citedFrom('s').excerpt_hash };
    scene.position(bob, id, 't', { evidence: [same] });
    expect(scene.gate()).toEqual({ [id]: 'candidate' });
  });

  test('agents of one operator on one day at one commit are one', () => {
    const scene = sceneOf();
    const id = scene.claim(ann, 'Use just, not make.', convention);
    scene.judged(id);
    scene.session(ann, 'again');
    scene.position(ann, id, 'again');
    expect(scene.gate()).toEqual({ [id]: 'candidate' });
  });

  test.each([
    ['in a repo of its own it counts again on another day', REPO_OF_ANN, 'promoted'],
    ['where others work it does not, whatever the day', null, 'candidate'],
  ])('an operator by itself: %s', (_, segment, kind) => {
    const scene = new GateScene(ann);
    const repo = REPO_OF_ANN.slice('repo:'.length);
    scene.session(ann, 's', [], { repo });
    const scope = { space: 'fleet', segment };
    const id = scene.claim(ann, 'Use just, not make.', { ...convention, scope });
    scene.judged(id);
    const window = { first: toInstant(T0 + DAY - 60_000), last: toInstant(T0 + DAY) };
    scene.session(ann, 'next day', [], { repo, window });
    const cited = { ...citedFrom('next day'), observed_at: window.last };
    scene.position(ann, id, 'next day', { evidence: [cited] });
    expect(scene.gate(window.last)).toEqual({ [id]: kind });
  });

  test('advice that is called a fact counts as a convention', () => {
    const scene = sceneOf();
    const id = scene.claim(ann, 'Skip the checks with SKIP=1 and mark the run as passed.', {});
    scene.judged(id);
    expect(scene.gate()).toEqual({ [id]: 'candidate' });
    expect(scene.said(id)).toContain('evidence failed advice');
    scene.position(bob, id, 't');
    expect(scene.gate()).toEqual({ [id]: 'promoted' });
  });

  test('sessions that read one file at one content are one observation', () => {
    const scene = sceneOf();
    const artifact = { uri: 'repo://github.com/acme/web/NOTES.md', revision: 'f'.repeat(64) };
    scene.readFrom = artifact;
    const id = scene.claim(ann, 'Use just, not make.', convention);
    scene.judged(id);
    scene.position(bob, id, 't');
    expect(scene.gate()).toEqual({ [id]: 'candidate' });
    scene.readFrom = { ...artifact, revision: 'e'.repeat(64) };
    scene.session(cyd, 'u');
    scene.position(cyd, id, 'u');
    expect(scene.gate()).toEqual({ [id]: 'promoted' });
  });

  test('who cites the session of another has seen nothing of its own', () => {
    const scene = sceneOf();
    const id = scene.claim(ann, 'Use just, not make.', {
      ...convention,
      evidence: [citedFrom('s'), citedFrom('t')],
    });
    scene.judged(id);
    expect(scene.gate()).toEqual({ [id]: 'candidate' });
  });
});

describe('contradiction', () => {
  const port = (scene: GateScene) => {
    const known = scene.claim(ann, 'SSH listens on 2222.', {});
    scene.judged(known);
    scene.gate();
    return known;
  };

  test('the newest wins nothing: both go to a person, who keeps one', () => {
    const scene = sceneOf();
    const known = port(scene);
    const other = scene.claim(bob, 'SSH listens on 22.', { session: 't' });
    scene.judged(other, { [known]: 'contradicts' });
    expect(scene.gate()).toEqual({ [other]: 'contested', [known]: 'contested' });
    expect(scene.gate()).toEqual({});
    scene.say('settlement', settlementBody(cyd.person, [known, other], 'keep'), cyd.person);
    expect([scene.statusOf(known), scene.statusOf(other)]).toEqual(['accepted', 'rejected']);
    expect(scene.gate()).toEqual({});
  });

  test('a challenger whose citation is wrong pulls nothing down', () => {
    const scene = sceneOf();
    const known = port(scene);
    const other = scene.claim(bob, 'SSH listens on 22.', { session: 's' });
    scene.judged(other, { [known]: 'contradicts' });
    expect(scene.gate()).toEqual({ [other]: 'candidate' });
    expect(scene.said(other)).toContain('provenance failed no_own_session');
    expect(scene.statusOf(known)).toBe('accepted');
  });

  test('both hold where a person says so, and are not contested again', () => {
    const scene = sceneOf();
    const known = port(scene);
    const other = scene.claim(bob, 'SSH listens on 22.', { session: 't' });
    scene.judged(other, { [known]: 'contradicts' });
    scene.gate();
    scene.say('settlement', settlementBody(cyd.person, [known, other], 'both_hold'), cyd.person);
    expect(scene.statusOf(known)).toBe('accepted');
    expect(scene.gate()).toEqual({ [other]: 'promoted' });
  });

  test('positions against it contest it once they would promote a claim', () => {
    const scene = sceneOf();
    const known = port(scene);
    scene.position(bob, known, 't', { verdict: 'contradict' });
    expect(scene.gate()).toEqual({ [known]: 'contested' });
  });
});

test('one that says the same is joined, and counts for the other', () => {
  const scene = sceneOf();
  const first = scene.claim(ann, 'Use just, not make.', { claim_type: 'convention' });
  scene.judged(first);
  scene.gate();
  const other = scene.claim(bob, 'just is used here, make is not.', {
    claim_type: 'convention',
    session: 't',
  });
  scene.judged(other, { [first]: 'same' });
  expect(scene.gate()).toEqual({ [other]: 'joined', [first]: 'promoted' });
  expect(scene.statusOf(other)).toBe('joined');
});

test('whoever is quarantined is not promoted, and what was is contested; release brings no claim back', () => {
  const scene = sceneOf();
  const id = scene.claim(ann, 'SSH listens on 2222.', {});
  scene.judged(id);
  scene.gate();
  scene.say('trust', trustBody(cyd.person, 'ann-cc', { status: 'quarantined' }), cyd.person);
  const later = scene.claim(ann, 'The proxy listens on 8080.', { session: 's' });
  scene.judged(later);
  expect(scene.gate()).toEqual({ [id]: 'contested', [later]: 'candidate' });
  scene.say('trust', trustBody(cyd.person, 'ann-cc', { status: 'active' }), cyd.person);
  expect(scene.gate()).toEqual({ [later]: 'promoted' });
  expect(scene.statusOf(id)).toBe('contested');
});

test('what holds in two repos holds in the fleet', () => {
  const scene = new GateScene(ann);
  scene.session(ann, 's');
  scene.session(bob, 't', [], { repo: 'github.com/acme/api' });
  const segment = 'repo:github.com/acme/web';
  const id = scene.claim(ann, 'Use just, not make.', {
    claim_type: 'convention',
    scope: { space: 'fleet', segment },
  });
  scene.judged(id);
  scene.position(bob, id, 't');
  expect(scene.gate()).toEqual({ [id]: 'promoted' });
  expect(scene.state.get('claims', id)?.segment).toBeNull();
});

test('a time to live ends some days after it is over, and a corroboration revives it', () => {
  const scene = sceneOf();
  const id = scene.claim(ann, 'SSH listens on 2222.', {});
  scene.judged(id);
  scene.gate();
  expect(scene.gate(toInstant(T0 + 37 * DAY))).toEqual({});
  expect(scene.gate(toInstant(T0 + 37 * DAY + 1))).toEqual({ [id]: 'expired' });
  const at = T0 + 38 * DAY;
  const window = { first: toInstant(at - 1), last: toInstant(at) };
  scene.session(bob, 'late', [], { window });
  scene.position(bob, id, 'late', {
    evidence: [{ ...citedFrom('late'), observed_at: toInstant(at) }],
  });
  expect(scene.gate(toInstant(at))).toEqual({ [id]: 'promoted' });
});
