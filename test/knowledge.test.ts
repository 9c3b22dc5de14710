import { describe, expect, test } from 'vitest';
import { verifyHere } from '../src/base/ed25519.ts';
import { toInstant } from '../src/base/time.ts';
import type { ObjectStore } from '../src/lake/objects.ts';
import { keywordRetriever } from '../src/query/retriever.ts';
import { KnowledgeBase } from '../src/verbs/knowledge.ts';
import type { Proposition } from '../src/verbs/knowledge-bodies.ts';
import { householdOf, keyOf, T0, type TestWorld, worldAt } from './kit/fleet.ts';
import { auditLedger, foundOn, newSql } from './kit/member.ts';
import { openMemoryStore } from './kit/memory-store.ts';

const founder = householdOf('ann');
const [ann, bob, eve, dan] = ['ann', 'bob', 'eve', 'dan'].map((name) =>
  keyOf(`${name} speaks`),
) as [
  ReturnType<typeof keyOf>,
  ReturnType<typeof keyOf>,
  ReturnType<typeof keyOf>,
  ReturnType<typeof keyOf>,
];
const scope = { space: 'lab', segment: null };
const DAY = 24 * 3_600_000;

function baseOn(store: ObjectStore, world: TestWorld) {
  let counter = 0;
  return new KnowledgeBase({
    store,
    state: newSql(),
    fleetId: 'fleet',
    verifyAll: verifyHere,
    followed: () => {},
    world,
    host: founder.host,
    hostId: founder.hostId,
    nextCounter: () => ++counter,
    retriever: keywordRetriever,
  });
}

async function lab() {
  const store = openMemoryStore();
  await foundOn(store, founder, 'open');
  const world = worldAt(T0);
  const base = baseOn(store, world);
  let moment = 0;
  /** Each claim at a moment of its own, so that no two are one. */
  const claim = (statement: string, more: Partial<Proposition> = {}): Proposition => ({
    scope,
    kind: 'semantic',
    statement,
    assertedAt: toInstant(T0 - 1_000 + ++moment),
    ...more,
  });
  const entries = async () => (await auditLedger(store)).records.length;
  return { store, world, base, claim, entries };
}
const refused = (code: string) => expect.objectContaining({ code });

describe('proposing', () => {
  test('is accepted at once where no policy was set, and is one claim however often it is said', async () => {
    const { base, claim, entries } = await lab();
    const body = claim('The build takes two minutes', { topics: ['Build', 'CI', 'build'] });
    const promotion = await base.propose(body, ann);
    expect(promotion).toMatchObject({ attempt: 1, status: 'accepted', proposer: ann.address });
    const before = await entries();
    expect(await base.propose(body, ann)).toEqual(promotion);
    expect(await entries()).toBe(before);
    expect(await base.claim(promotion.claim)).toMatchObject({
      status: 'promoted',
      topics: ['build', 'ci'],
      confidence: 0.5,
      staleness_seconds: 0,
    });
  });

  test('in the fleet’s own space waits for its gates', async () => {
    const { base, claim } = await lab();
    const own = claim('x', { scope: { space: 'fleet', segment: null } });
    expect(await base.propose(own, ann)).toMatchObject({ status: 'pending' });
  });

  test('a protected topic waits for review, others do not', async () => {
    const { base, claim } = await lab();
    const policy = { mode: 'auto', protected_topics: ['Security'] } as const;
    await base.setPolicy(scope, policy, founder.person);
    const secured = claim('a', { topics: ['security'] });
    expect(await base.propose(secured, ann)).toMatchObject({ status: 'pending' });
    expect(await base.propose(claim('b'), ann)).toMatchObject({ status: 'accepted' });
  });

  test('supersedes one’s own claim, in its space, and hides nothing before it is accepted', async () => {
    const { base, claim } = await lab();
    const old = await base.propose(claim('port 80'), ann);
    const supersedes = old.claim;
    for (const [by, more, code] of [
      [bob, {}, 'claim.author'],
      [ann, { scope: { space: 'other', segment: null } }, 'scope.crossed'],
      [ann, { supersedes: 'f'.repeat(64) }, 'claim.unknown'],
    ] as const) {
      await expect(base.propose(claim('port 443', { supersedes, ...more }), by)).rejects.toThrow(
        refused(code),
      );
    }
    await base.setPolicy(scope, { mode: 'review' }, founder.person);
    const next = await base.propose(claim('port 443', { supersedes }), ann);
    expect(await base.claim(old.claim)).toMatchObject({ status: 'promoted' });
    await base.review(next.id, 'approve', '', bob);
    expect(await base.claim(old.claim)).toMatchObject({ status: 'superseded' });
    expect((await base.brief(scope)).items.map(({ claim_id }) => claim_id)).toEqual([next.claim]);
  });

  test('rests on episodes of its own space', async () => {
    const { base, claim, entries } = await lab();
    const seen = { kind: 'observation', content: 'it hung' } as const;
    const here = await base.observe({ scope, ...seen }, ann);
    const there = await base.observe({ scope: { space: 'other', segment: null }, ...seen }, ann);
    expect(await base.propose(claim('x', { episodes: [here] }), bob)).toMatchObject({ attempt: 1 });
    const before = await entries();
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const [id, code] of [
      [there, 'scope.crossed'],
      [unknown, 'episode.unknown'],
    ] as const)
      await expect(base.propose(claim('y', { episodes: [id] }), bob)).rejects.toThrow(
        refused(code),
      );
    expect(await entries()).toBe(before);
  });

  test.each([
    ['an empty statement', { statement: ' ' }, 'record.body'],
    ['65,537 bytes', { statement: 'x'.repeat(65_537) }, 'record.text_size'],
    ['a date more than 300 s ahead', { assertedAt: toInstant(T0 + 300_001) }, 'record.future'],
  ])('is refused before anything is stored: %s', async (_what, more, code) => {
    const { base, claim, entries } = await lab();
    const before = await entries();
    await expect(base.propose(claim('x', more), ann)).rejects.toThrow(refused(code));
    expect(await entries()).toBe(before);
  });
});

describe('reviewing', () => {
  const reviewed = async (approvals = 1) => {
    const made = await lab();
    const policy = { mode: 'review', required_approvals: approvals } as const;
    await made.base.setPolicy(scope, policy, founder.person);
    const promotion = await made.base.propose(made.claim('x'), ann);
    return { ...made, promotion };
  };

  test('takes as many distinct approvals as the policy says, none by the proposer, none twice', async () => {
    const { base, promotion } = await reviewed(2);
    const say = (by: typeof ann) => base.review(promotion.id, 'approve', 'looked', by);
    await expect(say(ann)).rejects.toThrow(refused('verdict.own'));
    expect(await say(bob)).toMatchObject({ status: 'pending', approvals: 1 });
    const again = base.review(promotion.id, 'reject', 'looked again', bob);
    await expect(again).rejects.toThrow(refused('verdict.repeated'));
    expect(await say(eve)).toMatchObject({ status: 'accepted', approvals: 2 });
    await expect(say(dan)).rejects.toThrow(refused('promotion.decided'));
    await expect(base.review('0'.repeat(8), 'approve', '', bob)).rejects.toThrow(
      refused('record.body'),
    );
  });

  test('one rejection rejects; then the same claim can be proposed again, as another attempt', async () => {
    const { base, promotion, claim } = await reviewed(2);
    const body = claim('again');
    const first = await base.propose(body, ann);
    expect(await base.review(first.id, 'reject', 'no', bob)).toMatchObject({ status: 'rejected' });
    const second = await base.propose(body, ann);
    expect(second).toMatchObject({ claim: first.claim, attempt: 2, status: 'pending' });
    expect(second.id).not.toBe(first.id);
    // A new attempt is a new vote.
    expect(await base.review(second.id, 'approve', '', bob)).toMatchObject({ approvals: 1 });
    expect((await base.promotions(first.claim)).map(({ status }) => status)).toEqual([
      'rejected',
      'pending',
    ]);
    expect(await base.promotions(promotion.claim)).toHaveLength(1);
  });

  test('is decided once, whoever reviews at the same moment', async () => {
    const { store, world, base, promotion } = await reviewed(1);
    const others = [baseOn(store, world), baseOn(store, world), base];
    const verdicts = await Promise.allSettled(
      [bob, eve, dan].map((by, i) => others[i]?.review(promotion.id, 'approve', '', by)),
    );
    const won = verdicts.filter(({ status }) => status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const verdict of verdicts) {
      if (verdict.status === 'rejected')
        expect(verdict.reason).toMatchObject({ code: 'promotion.decided' });
    }
    expect(await base.promotions(promotion.claim)).toMatchObject([
      { status: 'accepted', approvals: 1 },
    ]);
  });

  test('a stricter policy takes nothing back', async () => {
    const { base, claim } = await lab();
    const { claim: id } = await base.propose(claim('x'), ann);
    await base.setPolicy(scope, { mode: 'review' }, founder.person);
    expect(await base.claim(id)).toMatchObject({ status: 'promoted' });
  });

  test('only an admin says how', async () => {
    const { base } = await lab();
    await base.observe({ scope, kind: 'surprise', content: '?' }, ann);
    await expect(base.setPolicy(scope, { mode: 'auto' }, ann)).rejects.toThrow(
      refused('policy.role'),
    );
  });
});

describe('what stands', () => {
  test('an identity has one position, its latest; a contradiction stays visible and is a conflict from two on', async () => {
    const { base, claim } = await lab();
    const { claim: id } = await base.propose(claim('x'), ann);
    const say = (by: typeof ann, verdict: 'corroborate' | 'contradict', at: number) =>
      base.endorse(id, { verdict, basis: '', issued_at: toInstant(T0 + at) }, by);
    await say(bob, 'corroborate', 1);
    await say(bob, 'contradict', 2);
    await say(ann, 'corroborate', 3);
    expect(await base.claim(id)).toMatchObject({
      corroborations: 1,
      contradictions: 1,
      confidence: 0.4,
    });
    expect((await base.brief(scope)).conflicts).toEqual([id]);
    expect(await base.conflicts('lab')).toEqual([]);
    await say(eve, 'contradict', 4);
    expect(await base.conflicts('lab')).toEqual([{ claim_id: id, scope, contradictions: 2 }]);
    await expect(
      base.endorse('f'.repeat(64), { verdict: 'contradict', basis: '' }, bob),
    ).rejects.toThrow(refused('claim.unknown'));
  });

  test('a changed artifact makes its claims suspect until somebody meets them again', async () => {
    const { base, claim, world } = await lab();
    const uri = 'repo://lab/rates.yaml';
    const { claim: id } = await base.propose(claim('x', { refs: [{ uri, kind: null }] }), ann);
    world.set(T0 + DAY);
    await base.invalidate('lab', uri, toInstant(T0 + DAY), bob);
    await base.invalidate('elsewhere', uri, toInstant(T0 + DAY), bob);
    expect(await base.claim(id)).toMatchObject({ suspect: true, staleness_seconds: 86_400 });
    expect((await base.brief(scope)).items).toMatchObject([{ verify_first: true }]);
    world.set(T0 + 2 * DAY);
    await base.endorse(id, { verdict: 'corroborate', basis: 'still so' }, bob);
    expect(await base.claim(id)).toMatchObject({ suspect: false, staleness_seconds: 0 });
  });

  test('only its author withdraws a claim, once; it leaves briefings, and stays on record', async () => {
    const { base, claim } = await lab();
    const { claim: id } = await base.propose(claim('x'), ann);
    await expect(base.retire(id, 'wrong', bob)).rejects.toThrow(refused('claim.author'));
    await base.retire(id, 'it moved', ann);
    await expect(base.retire(id, 'again', ann)).rejects.toThrow(refused('claim.retired'));
    expect((await base.brief(scope)).items).toEqual([]);
    expect(await base.claim(id)).toMatchObject({ status: 'retired', statement: 'x' });
  });

  test('a segment narrows: its own claims and those of none are shown in it', async () => {
    const { base, claim } = await lab();
    const at = (segment: string | null) => ({ space: 'lab', segment });
    const all = await base.propose(claim('all'), ann);
    const web = await base.propose(claim('web', { scope: at('web') }), ann);
    const ids = async (segment: string | null) =>
      (await base.brief(at(segment))).items.map(({ claim_id }) => claim_id).sort();
    expect(await ids('web')).toEqual([all.claim, web.claim].sort());
    expect(await ids('api')).toEqual([all.claim]);
    expect(await ids(null)).toEqual([all.claim]);
  });

  test('what has nothing to do with the query is left out; a shared reference brings it in', async () => {
    const { base, claim } = await lab();
    const uri = 'repo://lab/a.ts';
    await base.propose(claim('deploys take an hour', { refs: [{ uri, kind: null }] }), ann);
    await base.propose(claim('the cache is warm'), ann);
    const found = (wish: object) => base.brief(scope, wish);
    expect((await found({ task: 'deploying' })).items).toHaveLength(1);
    expect((await found({ task: 'lunch' })).items).toEqual([]);
    expect((await found({ task: 'lunch', refs: [uri] })).items).toHaveLength(1);
    expect((await found({ task: 'the of and' })).items).toHaveLength(2);
  });
});
