import { describe, expect, test } from 'vitest';
import { cited, claimBody, positionBody } from '../../test/kit/claims.ts';
import { householdOf, stateOf, T0 } from '../../test/kit/fleet.ts';
import { toInstant } from '../base/time.ts';
import type { ClaimBody } from '../record/claim.ts';
import { episodeIdOf } from '../record/evidence.ts';
import { promotionId } from '../record/governance.ts';
import { recordId, SPEC, seal } from '../record/record.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');
const agent = (home: typeof ann) => home.agents[0]?.signer ?? home.host;
const said = (statement: string, fields: Partial<ClaimBody> = {}) =>
  seal('claim', claimBody(ann, statement, fields), agent(ann));
const idOf = (record: ReturnType<typeof said>) => recordId(record.context, record.body);
const policy = (mode: 'auto' | 'review') =>
  seal(
    'policy',
    {
      spec: SPEC,
      author: ann.person.address,
      issued_at: toInstant(T0),
      scope: { space: 'fleet', segment: null },
      mode,
      required_approvals: 1,
      protected_topics: [],
    } as { spec: string; author: string },
    ann.person,
  );
const approval = (claim: string) =>
  seal(
    'verdict',
    {
      spec: 'fg-agent-knowledge/v1',
      author: bob.person.address,
      promotion_id: promotionId(claim, 1),
      verdict: 'approve',
      basis: 'yes',
      issued_at: toInstant(T0),
    } as { spec: string; author: string },
    bob.person,
  );

describe('a claim with evidence', () => {
  test('is a candidate where gates decide, with its citations as rows', () => {
    const evidence = [cited('s'), { ...cited('s', 'm2'), range: { start: 3, end: 9 } }];
    const record = said('SSH listens on 2222.', { evidence, subject: ['staging'] });
    const state = stateOf([record]);
    const id = idOf(record);
    expect(state.get('claims', id)).toMatchObject({
      status: 'pending',
      claim_type: 'environment',
      subject: '["staging"]',
      observed_by: 'ann-cc',
      principal: 'ann-cc',
    });
    expect(state.where('citations', 'claim', id)).toMatchObject(
      evidence
        .map((one, i) => ({
          record: id,
          session: 's',
          message: one.message_id,
          range: i === 1 ? '3-9' : null,
          excerpt_hash: one.excerpt_hash,
          episode: episodeIdOf(one),
          verdict: 'corroborate',
        }))
        .sort((a, b) => (a.episode < b.episode ? -1 : 1)),
    );
  });

  test('says the same as another whose words differ in white space alone', () => {
    const [a, b, c] = [
      said('SSH  listens\non 2222. '),
      said('SSH listens on 2222.'),
      said('SSH listens on 2223.'),
    ];
    const state = stateOf([a, b, c]);
    const of = (record: typeof a) => state.get('claims', idOf(record))?.said;
    expect(of(a)).toBe(of(b));
    expect(of(a)).not.toBe(of(c));
  });

  test.each(['auto', 'review'] as const)('a hypothesis is never promoted: %s', (mode) => {
    const supposed = said('It is the scheduler.', { claim_type: 'hypothesis' });
    const fact = said('It is on 2222.');
    const state = stateOf([
      policy(mode),
      supposed,
      fact,
      approval(idOf(supposed)),
      approval(idOf(fact)),
    ]);
    expect(state.get('claims', idOf(supposed))?.status).toBe('pending');
    expect(state.get('claims', idOf(fact))?.status).toBe('accepted');
  });

  test('a position brings its own citations', () => {
    const record = said('SSH listens on 2222.');
    const against = positionBody(bob, idOf(record), { verdict: 'contradict' });
    const position = seal('endorsement', against, agent(bob));
    const state = stateOf([record, position]);
    expect(state.where('endorsements', 'claim', idOf(record))).toMatchObject([
      { key: idOf(position), observed_by: 'bob-cc', verdict: 'contradict' },
    ]);
    expect(state.where('citations', 'session', 't')).toMatchObject([
      { claim: idOf(record), record: idOf(position), verdict: 'contradict', observed_by: 'bob-cc' },
    ]);
  });
});
