import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type FleetOptions, memoryStore, openFleet, type Retriever } from '../src/fleet.ts';
import { envOf, tempFolder } from './kit/home.ts';
import { auditLedger } from './kit/member.ts';

vi.setConfig({ testTimeout: 60_000 });

const scope = { space: 'lab', segment: null };
const claim = (statement: string) => ({ scope, kind: 'semantic', statement }) as const;

async function open(options: FleetOptions) {
  const fleet = await openFleet(options);
  onTestFinished(() => fleet.close());
  return fleet;
}

/** A retriever that notes what it is told, and refuses what `refuses` says. */
function listener(refuses: (said: string) => boolean = () => false) {
  const heard: string[] = [];
  const hear = async (said: string) => {
    if (refuses(said)) throw new TypeError(`no room for ${said}`);
    heard.push(said);
  };
  const retriever: Retriever = {
    search: () => undefined,
    index: ({ statement, id }) => hear(`+${statement} ${id}`),
    remove: (id) => hear(`-${id}`),
  };
  return { heard, retriever };
}

describe('a retriever that keeps an index', () => {
  test('hears what is accepted and what is withdrawn, from whoever says it, each once', async () => {
    const store = memoryStore();
    const { heard, retriever } = listener();
    const ann = await open({ store, retriever, agent: 'ann' });
    const bob = await open({ store, agent: 'bob' });
    const one = await ann.propose(claim('one'));
    expect(heard).toEqual([`+one ${one.claim}`]);
    const two = await bob.propose(claim('two'));
    const three = await ann.propose({ ...claim('three'), supersedes: one.claim });
    await bob.retire(two.claim, '');
    await ann.brief(scope);
    // Withdrawn a second way, it changes, and was taken back already.
    await ann.retire(one.claim, 'for good');
    await ann.brief(scope);
    expect(heard.slice(1).sort()).toEqual(
      [`+three ${three.claim}`, `+two ${two.claim}`, `-${one.claim}`, `-${two.claim}`].sort(),
    );
  });

  test('is not told of what nobody is shown: pending, rejected, withdrawn before it was accepted', async () => {
    const store = memoryStore();
    const { heard, retriever } = listener();
    const ann = await open({ store, retriever });
    const bob = await open({ store });
    await ann.setPolicy(scope, { mode: 'review' });
    const [pending, rejected, accepted] = [
      await ann.propose(claim('pending')),
      await ann.propose(claim('rejected')),
      await ann.propose(claim('accepted')),
    ];
    await bob.review(rejected.id, 'reject', '');
    await ann.retire(pending.claim, '');
    await ann.propose({
      ...claim('in the fleet’s own space'),
      scope: { space: 'local', segment: null },
    });
    await ann.brief(scope);
    expect(heard).toEqual([]);
    await bob.review(accepted.id, 'approve', '');
    await ann.brief(scope);
    expect(heard).toEqual([`+accepted ${accepted.claim}`]);
  });

  test('is told all of it again in the next process, and nothing twice in a home either', async () => {
    const env = envOf(tempFolder('seams'));
    const { heard, retriever } = listener();
    const before = await open({ env, retriever });
    const { claim: id } = await before.propose(claim('x'));
    const gone = await before.propose(claim('y'));
    await before.retire(gone.claim, '');
    await before.brief(scope);
    const once = [`+x ${id}`, `+y ${gone.claim}`, `-${gone.claim}`];
    expect(heard).toEqual(once);
    const next = listener();
    await (await open({ env, retriever: next.retriever })).brief(scope);
    expect(next.heard.sort()).toEqual([`+x ${id}`, `-${gone.claim}`].sort());
  });

  test('that throws takes nothing from the ledger: what was said stands, and the briefing says why not', async () => {
    const store = memoryStore();
    let isFull = true;
    const { heard, retriever } = listener((said) => isFull && said.startsWith('+two'));
    const fleet = await open({ store, retriever });
    const one = await fleet.propose(claim('one'));
    const two = await fleet.propose(claim('two'));
    expect(two.status).toBe('accepted');
    const three = await fleet.propose(claim('three'));
    const { records } = await auditLedger(store, 'local');
    await expect(fleet.brief(scope)).rejects.toThrow(
      new TypeError(`no room for +two ${two.claim}`),
    );
    expect(await fleet.claims('lab')).toHaveLength(3);
    isFull = false;
    expect((await fleet.brief(scope)).items).toHaveLength(3);
    expect(heard).toEqual([`+one ${one.claim}`, `+two ${two.claim}`, `+three ${three.claim}`]);
    expect((await auditLedger(store, 'local')).records).toEqual(records);
  });

  test('is told what an oracle that walks the verbs says, whatever they are', async () => {
    const verb = fc.tuple(fc.constantFrom('propose', 'retire', 'replace', 'brief'), fc.nat(5));
    await fc.assert(
      fc.asyncProperty(fc.array(verb, { maxLength: 12 }), async (verbs) => {
        const shown = new Map<string, boolean>();
        const { heard, retriever } = listener();
        const fleet = await openFleet({ store: memoryStore(), retriever });
        for (const [i, [what, n]] of verbs.entries()) {
          const standing = [...shown].filter(([, isShown]) => isShown).map(([id]) => id);
          const old = standing[n % Math.max(1, standing.length)];
          if (what === 'brief') await fleet.brief(scope);
          else if (what === 'propose') shown.set((await fleet.propose(claim(`${i}`))).claim, true);
          else if (old !== undefined) {
            if (what === 'retire') await fleet.retire(old, '');
            else {
              const next = await fleet.propose({ ...claim(`${i}`), supersedes: old });
              shown.set(next.claim, true);
            }
            shown.set(old, false);
          }
        }
        await fleet.close();
        const added = heard
          .filter((said) => said.startsWith('+'))
          .map((said) => said.split(' ')[1]);
        const removed = heard.filter((said) => said.startsWith('-')).map((said) => said.slice(1));
        expect(added.sort()).toEqual([...shown.keys()].sort());
        const withdrawn = [...shown].filter(([, isShown]) => !isShown).map(([id]) => id);
        expect(removed.sort()).toEqual(withdrawn.sort());
      }),
      { numRuns: 15 },
    );
  });
});

describe('what a retriever finds', () => {
  const found = (answer: unknown) => ({ search: async () => answer }) as unknown as Retriever;

  test('orders a briefing; what it does not name is left out', async () => {
    const store = memoryStore();
    const writer = await open({ store });
    const [a, b] = [await writer.propose(claim('a')), await writer.propose(claim('b'))];
    await writer.propose(claim('c'));
    const scores = new Map([
      [a.claim, 0.5],
      [b.claim, 1],
      ['f'.repeat(64), 1],
    ]);
    const reader = await open({ store, retriever: found(scores) });
    const { items } = await reader.brief(scope, { task: 'anything' });
    expect(items.map(({ claim_id }) => claim_id)).toEqual([b.claim, a.claim]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, '1'])(
    'is refused where it is no relevance: %s',
    async (score) => {
      const store = memoryStore();
      const { claim: id } = await (await open({ store })).propose(claim('a'));
      const reader = await open({ store, retriever: found(new Map([[id, score]])) });
      const brief = reader.brief(scope, { task: 'a' });
      await expect(brief).rejects.toMatchObject({
        code: 'retriever.relevance',
        data: { claim: id },
      });
    },
  );

  test('is its own error where it finds nothing but that', async () => {
    const error = new RangeError('no index');
    const retriever: Retriever = {
      search: () => {
        throw error;
      },
    };
    const fleet = await open({ store: 'memory:', retriever });
    await expect(fleet.brief(scope, { task: 'x' })).rejects.toBe(error);
    expect((await fleet.propose(claim('x'))).status).toBe('accepted');
  });
});

describe('the weight of a source', () => {
  const weighed = async (weight: (identity: string) => number) => {
    const store = memoryStore();
    const [ann, bob] = [await open({ store }), await open({ store })];
    const { claim: id } = await ann.propose(claim('x'));
    await bob.endorse(id, { verdict: 'contradict', basis: '' });
    const reader = await open({
      store,
      sourceWeight: (identity) => (identity === bob.address ? weight(identity) : 1),
    });
    return { reader, id, bob };
  };

  test.each([
    [0, 0.5],
    [0.5, 1 / 3],
    [1, 0.25],
    [7, 1 / 16],
  ])('%d of one who contradicts leaves a confidence of %d, and counts as one', async (by, left) => {
    const { reader, id } = await weighed(() => by);
    const found = await reader.claim(id);
    expect(found?.confidence).toBeCloseTo(left, 12);
    expect(found?.contradictions).toBe(1);
  });

  test.each([-1, -Number.MIN_VALUE, Number.NaN, Number.POSITIVE_INFINITY, '1', undefined])(
    'is refused by every read that uses it, and by no verb that writes: %s',
    async (weight) => {
      const { reader, id, bob } = await weighed(() => weight as number);
      for (const read of [
        () => reader.claim(id),
        () => reader.claims('lab'),
        () => reader.conflicts('lab'),
        () => reader.brief(scope),
      ])
        await expect(read()).rejects.toMatchObject({
          code: 'weight.invalid',
          data: { identity: bob.address },
        });
      expect((await reader.propose(claim('y'))).status).toBe('accepted');
      expect(await reader.promotions(id)).toHaveLength(1);
    },
  );
});
