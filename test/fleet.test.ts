import { expect, test, vi } from 'vitest';
import { toInstant } from '../src/base/time.ts';
import { openFleet } from '../src/fleet.ts';
import { envOf, tempFolder } from './kit/home.ts';

// Each verb opens the home's files.
vi.setConfig({ testTimeout: 60_000 });

const scope = { space: 'lab', segment: null };

test('the verbs work with no server, no key and no configuration, and what they said is there for the next process', async () => {
  const env = envOf(tempFolder('library'));
  const ann = await openFleet({ env, agent: 'ann' });
  const bob = await openFleet({ env, agent: 'bob' });
  expect(ann.id).toBe('local');
  const episode = await ann.observe({ scope, kind: 'outcome', content: '`npm test` took 40 s' });
  const claim = { scope, kind: 'semantic', statement: 'The tests take 40 s' } as const;
  const { claim: id, status } = await ann.propose({ ...claim, episodes: [episode] });
  expect(status).toBe('accepted');
  // Two at once wait for each other.
  await Promise.all([
    bob.endorse(id, { verdict: 'corroborate', basis: 'measured' }),
    ann.invalidate('lab', 'repo://lab/package.json', toInstant(Date.now())),
  ]);
  const later = await openFleet({ env });
  expect(await later.claim(id)).toMatchObject({ corroborations: 1, status: 'promoted' });
  expect((await later.brief(scope, { task: 'how long do tests take' })).items).toMatchObject([
    { claim_id: id, verify_first: false },
  ]);
  expect(await later.conflicts('lab')).toEqual([]);
  expect(await later.claims('lab')).toHaveLength(1);
  await later.setPolicy(scope, { mode: 'review' });
  const pending = await bob.propose({ ...claim, statement: 'The build takes a minute' });
  expect(pending.status).toBe('pending');
  expect(await ann.review(pending.id, 'approve', 'so it does')).toMatchObject({
    status: 'accepted',
  });
  expect(await later.promotions(pending.claim)).toHaveLength(1);
  await ann.retire(id, 'they are faster now');
  await expect(bob.retire(id, 'no')).rejects.toMatchObject({ code: 'claim.author' });
});
