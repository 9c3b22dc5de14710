import { describe, expect, test } from 'vitest';
import { canonical } from '../src/base/canonical.ts';
import { toInstant } from '../src/base/time.ts';
import { uuid4 } from '../src/base/uuid.ts';
import { checkBundle } from '../src/ledger/bundle.ts';
import { commitPending } from '../src/ledger/committer.ts';
import { hostIdOf } from '../src/ledger/found.ts';
import { deposit } from '../src/ledger/inbox.ts';
import { foreignClaims, listOrigins } from '../src/query/foreign.ts';
import { positionMeant } from '../src/query/prove.ts';
import { recordId, seal } from '../src/record/record.ts';
import { type BundleFleet, bundleFleet } from './kit/bundle-fleet.ts';
import { claimBody } from './kit/claims.ts';
import { keyOf, T0 } from './kit/fleet.ts';
import { memberOf } from './kit/member.ts';

const [ann, bob, eve] = [keyOf('ann speaks'), keyOf('bob speaks'), keyOf('eve speaks')];
const scope = { space: 'lab', segment: null };
const refused = (code: string) => expect.objectContaining({ code });

/** A fleet in which Ann and Bob speak of one claim, Ann has revised and withdrawn others, and there is another space. */
async function origin() {
  const fleet = await bundleFleet('origin');
  const { base } = fleet;
  const seen = { scope, kind: 'outcome', content: 'it took 40 s' } as const;
  const episode = await base.observe(seen, ann);
  const say = (statement: string, more: object = {}) =>
    base.propose({ scope, kind: 'semantic', statement, ...more }, ann);
  const { claim: tests } = await say('The tests take 40 s', {
    episodes: [episode],
    topics: ['ci'],
    refs: [{ uri: 'repo://tidepool/justfile', kind: 'file' }],
  });
  const again = await base.observe({ ...seen, content: '41 s' }, bob);
  const agree = { verdict: 'corroborate' as const, basis: 'measured', episodes: [again] };
  const endorsement = await base.endorse(tests, agree, bob);
  const { claim: old } = await say('It listens on port 80');
  const { claim: port } = await say('It listens on port 443', { supersedes: old });
  const { claim: gone } = await say('The cache is cold');
  await base.retire(gone, 'it is warm', ann);
  return { fleet, tests, endorsement, old, port, gone, episode };
}

const heldOf = ({ reader }: BundleFleet) =>
  reader.where('held').map(({ context, taken }) => [context, taken === null ? 'held' : 'taken']);

describe('an export', () => {
  test('holds the claims with all that is said of them, and nothing else of the fleet', async () => {
    const { fleet, tests, endorsement, episode } = await origin();
    await fleet.base.propose({ scope, kind: 'semantic', statement: 'a secret' }, bob);
    const { bytes, checked, left } = await fleet.export({ claims: [tests] });
    expect(left).toEqual([]);
    expect(Buffer.from(bytes).toString()).not.toContain('a secret');
    expect(
      checked.records.map(({ record: { context }, speaker }) => [context, speaker.principal]),
    ).toEqual([
      ['episode', ann.address],
      ['claim', ann.address],
      ['episode', bob.address],
      ['endorsement', bob.address],
    ]);
    const ids = checked.records.map(({ record }) => record.id);
    expect(ids).toEqual(expect.arrayContaining([tests, endorsement]));
    expect(checked.records[0]?.record.body['id']).toBe(episode);
    expect(checked.exporter).toMatchObject({ principal: fleet.home.person.address });
    expect(checked.head.committer).toBe(fleet.home.host.address);
  });

  test.each<[string, (made: Awaited<ReturnType<typeof origin>>) => object, readonly string[]]>([
    ['what is promoted, with what it revises', () => ({}), ['tests', 'old', 'port']],
    ['all', () => ({ all: true }), ['tests', 'old', 'port', 'gone']],
    ['by topic', () => ({ topics: ['CI'] }), ['tests']],
    ['by repo', () => ({ repo: 'tidepool' }), ['tests']],
    ['by space', () => ({ spaces: ['lab'] }), ['tests', 'old', 'port']],
    ['by the beginning of an id', ({ gone }) => ({ claims: [gone.slice(0, 8)] }), ['gone']],
  ])('takes %s', async (_what, wish, expected) => {
    const made = await origin();
    const { checked } = await made.fleet.export(wish(made));
    const claims = checked.records.filter(({ record }) => record.context === 'claim');
    const ids = expected.map((name) => made[name as 'tests']);
    expect(claims.map(({ record }) => record.id)).toEqual(ids);
  });

  test('does not cross spaces unless each is named', async () => {
    const { fleet } = await origin();
    const other = { space: 'home', segment: null };
    await fleet.base.propose({ scope: other, kind: 'semantic', statement: 'x' }, ann);
    await expect(fleet.export()).rejects.toMatchObject({
      code: 'export.spaces',
      data: { spaces: ['home', 'lab'] },
    });
    expect((await fleet.export({ spaces: ['home'] })).checked.records).toHaveLength(1);
    expect((await fleet.export({ spaces: ['home', 'lab'] })).checked.records).toHaveLength(7);
  });

  test.each([
    ['nothing fits', { topics: ['none'] }, 'export.nothing'],
    ['no such claim', { claims: ['ffff'] }, 'claim.missing'],
    ['no id', { claims: ["' OR 1=1"] }, 'claim.missing'],
  ])('%s: refused', async (_what, wish, code) => {
    const { fleet } = await origin();
    await expect(fleet.export(wish)).rejects.toThrow(refused(code));
  });
});

describe('an import', () => {
  test('is held apart: no claim of this fleet, no briefing, no conflict, no principal', async () => {
    const { fleet, tests, gone } = await origin();
    const { bytes } = await fleet.export({ all: true });
    const here = await bundleFleet('here');
    const report = await here.import(bytes);
    expect(report).toMatchObject({ claims: 4, records: 8, known: 0 });
    expect(report.said).toHaveLength(1);
    expect(report.speakers.map(({ keys }) => keys.map((key) => key.here))).toEqual([
      [null],
      [null],
    ]);
    expect(await here.base.claims('lab')).toEqual([]);
    expect(await here.base.claim(tests)).toBeUndefined();
    expect((await here.base.brief(scope)).items).toEqual([]);
    expect(here.reader.get('principals', ann.address)).toBeUndefined();
    const [found] = listOrigins(here.reader);
    expect(found).toMatchObject({ fleetId: 'fleet', claims: 4, taken: 0 });
    const shown = found ? foreignClaims(here.reader, found, T0) : [];
    expect(shown.find(({ id }) => id === tests)).toMatchObject({
      principal: `foreign:fleet/${ann.address}`,
      corroborations: 1,
      retired: false,
    });
    expect(shown.find(({ id }) => id === gone)).toMatchObject({ retired: true });
  });

  test('that comes twice, or once more as part of another, says only what is new', async () => {
    const { fleet, tests } = await origin();
    const here = await bundleFleet('here');
    const { bytes } = await fleet.export({ claims: [tests] });
    await here.import(bytes);
    const before = [heldOf(here), await here.entries()];
    expect(await here.import(bytes)).toMatchObject({ records: 4, known: 4, said: [] });
    expect([heldOf(here), await here.entries()]).toEqual(before);
    const all = await here.import((await fleet.export({ all: true })).bytes);
    expect([all.records, all.known]).toEqual([8, 4]);
    expect(heldOf(here)).toHaveLength(8);
  });

  test('that is only tried stores nothing', async () => {
    const { fleet } = await origin();
    const here = await bundleFleet('here');
    const before = await here.entries();
    const report = await here.import((await fleet.export()).bytes, here.home.person, true);
    expect(report).toMatchObject({ claims: 3, known: 0, said: [] });
    expect([heldOf(here), await here.entries()]).toEqual([[], before]);
  });

  test('of one’s own fleet is refused, and by who may not propose in a closed one too', async () => {
    const { fleet } = await origin();
    const { bytes } = await fleet.export();
    await expect(fleet.import(bytes)).rejects.toThrow(refused('import.own'));
    const here = await bundleFleet('closed', 'closed');
    await expect(here.import(bytes, here.home.host)).rejects.toThrow(refused('import.role'));
    await expect(here.import(bytes, eve)).rejects.toThrow(refused('record.admission'));
    expect(heldOf(here)).toEqual([]);
  });
});

describe('a claim that its host extracted', () => {
  test('leaves with who was spoken for, and comes in', async () => {
    const fleet = await bundleFleet('origin');
    const { host, hostId, person } = fleet.home;
    const heard = claimBody(fleet.home, 'The tests need redis.', { author: host.address });
    const told = {
      author: person.address,
      observed_by: 'human',
      claim_type: 'convention',
    } as const;
    const accepted = claimBody(fleet.home, 'Redis is started first.', told);
    await deposit(fleet.store, hostId, 90, [
      seal('claim', heard, host),
      seal('claim', accepted, person),
    ]);
    await commitPending(memberOf(fleet.store, fleet.home, fleet.world).parts);
    const { bytes, left } = await fleet.export({ all: true });
    expect(left).toEqual([]);
    const here = await bundleFleet('here');
    expect(await here.import(bytes)).toMatchObject({ claims: 2, records: 2 });
    expect(heldOf(here)).toEqual([
      ['claim', 'held'],
      ['claim', 'held'],
    ]);
  });
});

describe('what was erased here', () => {
  test('does not come back in a bundle, nor what rests on it; the rest does', async () => {
    const { fleet, tests, port } = await origin();
    const { bytes } = await fleet.export();
    const here = await bundleFleet('here');
    await here.import(bytes);
    await here.erase(await here.entries());
    expect(heldOf(here)).toEqual([]);
    expect(await here.import(bytes)).toMatchObject({ records: 6, known: 0, erased: 6, said: [] });
    const { bytes: more } = await fleet.export({ all: true });
    expect(await here.import(more)).toMatchObject({ records: 8, erased: 6 });
    const there = await bundleFleet('there');
    const seen = { scope, kind: 'outcome', content: 'IT took  40 s' } as const;
    await there.base.observe(seen, bob);
    await there.erase(await there.entries());
    expect(await there.import(bytes)).toMatchObject({ records: 6, erased: 3 });
    const [found] = listOrigins(there.reader);
    const held = found ? foreignClaims(there.reader, found, T0).map(({ id }) => id) : [];
    expect([held.includes(tests), held.includes(port)]).toEqual([false, true]);
  });

  test('is not let in by whoever imports, with what waits in the inbox', async () => {
    const { fleet } = await origin();
    const here = await bundleFleet('here');
    const at = { scope, kind: 'outcome', content: 'the code is 4711' } as const;
    await here.base.observe(at, bob);
    await here.erase(await here.entries());
    const { host } = here.home;
    const body = { spec: 'credence/v1', author: bob.address, id: uuid4(Buffer.alloc(16, 3)) };
    const again = {
      ...body,
      ...at,
      refs: [],
      issued_at: toInstant(T0),
      occurred_at: toInstant(T0),
    };
    await deposit(here.store, hostIdOf(host.address), 900, [seal('episode', again, bob)]);
    await here.import((await fleet.export()).bytes);
    expect(here.reader.where('episodes')).toEqual([]);
  });
});

describe('who is admitted', () => {
  test('counts from then on, its claims as candidates whatever the policy, with the standing that they had', async () => {
    const { fleet, tests, port, gone } = await origin();
    const here = await bundleFleet('here');
    await here.import((await fleet.export({ all: true })).bytes);
    await here.admit(bob.address);
    // Its position is on a claim whose author is foreign still.
    expect(heldOf(here).filter(([, how]) => how === 'taken')).toEqual([['episode', 'taken']]);
    await here.admit(ann.address, { principal: 'ann-there' });
    expect(heldOf(here).filter(([, how]) => how === 'held')).toEqual([]);
    fleet.world.set(T0 + 90_000);
    here.world.set(T0 + 90_000);
    const standing = async (of: BundleFleet, id: string) => {
      const { confidence, staleness_seconds, corroborations, contradictions } =
        (await of.base.claim(id)) ?? {};
      return { confidence, staleness_seconds, corroborations, contradictions };
    };
    for (const id of [tests, port, gone])
      expect(await standing(here, id)).toEqual(await standing(fleet, id));
    const statuses = Object.fromEntries(
      (await here.base.claims('lab')).map(({ id, status, principal }) => [id, [status, principal]]),
    );
    expect(statuses[tests]).toEqual(['candidate', 'ann-there']);
    expect(statuses[gone]).toEqual(['retired', 'ann-there']);
    expect((await here.base.brief(scope)).items).toEqual([]);
    const { promotion = '' } = (await here.base.claim(tests)) ?? {};
    await expect(here.base.review(promotion, 'approve', '', ann)).rejects.toThrow(
      refused('verdict.own'),
    );
    await here.base.review(promotion, 'approve', 'seen', bob);
    expect((await here.base.brief(scope)).items).toMatchObject([{ claim_id: tests }]);
  });

  test('by its own first word, in an open fleet', async () => {
    const { fleet, tests } = await origin();
    const here = await bundleFleet('here');
    await here.import((await fleet.export()).bytes);
    await here.base.observe({ scope, kind: 'outcome', content: 'hello' }, ann);
    expect(await here.base.claim(tests)).toMatchObject({ status: 'candidate', corroborations: 0 });
    // Bob is foreign, and so is what he says of it.
    expect((await here.base.claim(tests))?.foreign).toEqual({
      corroborations: 1,
      contradictions: 0,
    });
  });

  test('before the bundle comes speaks in it as here, and not as the bundle says', async () => {
    const { fleet, tests } = await origin();
    const here = await bundleFleet('here');
    await here.admit(ann.address, { principal: 'ann-here' });
    await here.import((await fleet.export()).bytes);
    expect(await here.base.claim(tests)).toMatchObject({
      principal: 'ann-here',
      status: 'candidate',
    });
  });

  test('in a closed fleet too', async () => {
    const { fleet, tests } = await origin();
    const here = await bundleFleet('closed', 'closed');
    await here.import((await fleet.export()).bytes);
    expect(await here.base.claim(tests)).toBeUndefined();
    await here.admit(ann.address);
    expect(await here.base.claim(tests)).toMatchObject({ status: 'candidate' });
  });

  test('without the role to propose brings nothing in', async () => {
    const { fleet, tests } = await origin();
    const here = await bundleFleet('closed', 'closed');
    await here.import((await fleet.export()).bytes);
    await here.admit(ann.address, { roles: [] });
    expect(await here.base.claim(tests)).toBeUndefined();
    await here.admit(ann.address);
    expect(await here.base.claim(tests)).toMatchObject({ status: 'candidate' });
  });
});

describe('what was imported', () => {
  test('is not this fleet’s to pass on, or to prove, also once it counts', async () => {
    const { fleet, tests } = await origin();
    const here = await bundleFleet('here');
    await here.import((await fleet.export()).bytes);
    await here.admit(ann.address);
    await expect(here.export({ claims: [tests] })).rejects.toThrow(refused('claim.foreign'));
    await expect(here.export({ all: true })).rejects.toThrow(refused('export.nothing'));
    expect(() => positionMeant(here.state, tests)).toThrow(refused('entry.missing'));
  });

  test('by a fleet that gives another’s key a name of its own withdraws nothing of anybody', async () => {
    const { fleet, tests } = await origin();
    const here = await bundleFleet('here');
    const text = await copyOf(fleet, tests);
    // There Ann's key speaks for the same principal as Eve's, who withdraws the claim.
    const evil = await bundleFleet('evil', 'closed');
    await evil.admit(ann.address, { principal: 'both' });
    await evil.admit(eve.address, { principal: 'both' });
    await deposit(evil.store, evil.home.hostId, 90, text);
    await commitPending(memberOf(evil.store, evil.home, evil.world).parts);
    await evil.base.retire(tests, 'it is not so', eve);
    expect(await evil.base.claim(tests)).toMatchObject({ status: 'retired' });
    await here.import((await evil.export({ all: true })).bytes);
    await here.import((await fleet.export()).bytes);
    await here.admit(ann.address);
    await here.admit(eve.address);
    expect(await here.base.claim(tests)).toMatchObject({
      status: 'candidate',
      author: ann.address,
    });
    expect(heldOf(here)).toContainEqual(['retirement', 'held']);
    const statusIn = (name: string) =>
      listOrigins(here.reader)
        .flatMap((one) => foreignClaims(here.reader, one, T0).map((claim) => ({ one, claim })))
        .filter(({ claim }) => claim.id === tests)
        .map(({ claim }) => [claim.principal.includes(name), claim.retired]);
    expect(statusIn('both').sort()).toEqual([
      [false, false],
      [true, true],
    ]);
  });
});

/** A claim's record, and those that it rests on, as they stand in a fleet's ledger. */
async function copyOf(fleet: BundleFleet, claim: string) {
  const { checked } = await fleet.export({ claims: [claim] });
  return checked.records.slice(0, 2).map(({ record }) => record.signed);
}

describe('a record of an import that somebody forged', () => {
  const forged = async (change: (body: Record<string, unknown>) => object) => {
    const { fleet } = await origin();
    const here = await bundleFleet('here');
    const { bytes } = await fleet.export({ all: true });
    await here.import(bytes);
    const rows = here.reader.where('held');
    const other = await bundleFleet('other');
    const { checked } = { checked: checkBundle(bytes) };
    const { n, size, root, committer } = checked.head;
    const body = {
      spec: 'credence/v1',
      author: other.home.person.address,
      issued_at: toInstant(T0),
      origin: {
        ...{ fleet: checked.fleet, fleet_id: 'fleet', exporter: checked.exporter.address },
        ...{ n, size, root, committer },
      },
      records: checked.records.map(({ seq, record, speaker: { principal, kind, operator } }) => ({
        ...{ seq, principal, kind, operator, record: record.signed },
      })),
    };
    const record = seal(
      'bundle-import',
      { ...body, ...change(body) } as typeof body,
      other.home.person,
    );
    await deposit(other.store, other.home.hostId, 90, [record]);
    await commitPending(memberOf(other.store, other.home, other.world).parts);
    await other.base.claims('');
    const decided = other.reader.get('decided', recordId(record.context, record.body));
    return { code: decided?.code, held: other.reader.where('held').length, rows: rows.length };
  };
  type Body = {
    records: {
      seq: number;
      principal: string;
      record: { context: string; body: object; signature: string };
    }[];
  };
  const records =
    (change: (all: Body['records']) => unknown) => (body: Record<string, unknown>) => ({
      records: change((body as unknown as Body).records),
    });

  test('holds as it is where nothing was changed', async () => {
    const { code, held, rows } = await forged(() => ({}));
    expect([code, held]).toEqual([null, rows]);
  });

  test.each<[string, string, (body: Record<string, unknown>) => object]>([
    [
      'a statement',
      'record.signature',
      records((all) =>
        all.map((one) => ({
          ...one,
          record: { ...one.record, body: { ...one.record.body, statement: 'x' } },
        })),
      ),
    ],
    [
      'another context',
      'import.context',
      records((all) =>
        all.map((one) => ({ ...one, record: { ...one.record, context: 'policy' } })),
      ),
    ],
    ['an order', 'import.order', records(([a, b, c, ...rest]) => [a, c, b, ...rest])],
    ['one twice', 'import.order', records((all) => [...all, all.at(-1)])],
    [
      'a principal of the author of what is withdrawn',
      'claim.author',
      records((all) =>
        all.map((one) => (one.record.context === 'retirement' ? { ...one, principal: 'x' } : one)),
      ),
    ],
    [
      'an episode that is left out',
      'import.incomplete',
      records((all) => all.filter(({ record }) => record.context !== 'episode')),
    ],
    ['no record', 'record.body', () => ({ records: [] })],
    ['a field too many', 'record.body', () => ({ more: 1 })],
    [
      'a fleet that is no hash',
      'record.body',
      (body) => ({ origin: { ...(body['origin'] as object), fleet: 'x' } }),
    ],
    [
      'more than it may hold',
      'import.size',
      records((all) =>
        all.map((one) => ({
          ...one,
          principal: 'x'.repeat(100),
          record: { ...one.record, body: { ...one.record.body, more: 'x'.repeat(200_000) } },
        })),
      ),
    ],
  ])('%s: refused whole, by its code', async (_what, code, change) => {
    expect(await forged(change)).toMatchObject({ code, held: 0 });
  });
});

test('a bundle of many claims is said in as many records as it takes', async () => {
  const fleet = await bundleFleet('origin');
  const statement = (i: number) => `${i} ${'x'.repeat(60_000)}`;
  const records = Array.from({ length: 40 }, (_, i) =>
    seal(
      'claim',
      {
        spec: 'fg-agent-knowledge/v1',
        author: ann.address,
        ...{ scope, kind: 'semantic', statement: statement(i), topics: [], refs: [], episodes: [] },
        ...{ asserted_at: toInstant(T0), supersedes: null },
      } as { spec: string; author: string },
      ann,
    ),
  );
  await deposit(fleet.store, fleet.home.hostId, 90, records);
  await commitPending(memberOf(fleet.store, fleet.home, fleet.world).parts);
  const here = await bundleFleet('here');
  const { bytes } = await fleet.export();
  const { said, claims } = await here.import(bytes);
  expect([claims, said.length]).toEqual([40, 3]);
  expect(heldOf(here)).toHaveLength(40);
  expect(Buffer.byteLength(canonical(records[0]))).toBeGreaterThan(60_000);
});
