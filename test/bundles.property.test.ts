import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { toInstant } from '../src/base/time.ts';
import { commitPending } from '../src/ledger/committer.ts';
import { deposit } from '../src/ledger/inbox.ts';
import { KNOWLEDGE_SPEC } from '../src/record/knowledge.ts';
import { recordId, type SignedRecord, seal } from '../src/record/record.ts';
import { type BundleFleet, bundleFleet } from './kit/bundle-fleet.ts';
import { keyOf, T0 } from './kit/fleet.ts';
import { memberOf } from './kit/member.ts';

// Each run founds three fleets.
vi.setConfig({ testTimeout: 240_000 });

const speakers = ['ann', 'bob', 'eve'].map((name) => keyOf(`${name} speaks`));
const [first] = speakers;
const scope = { space: 'lab', segment: null };

/** One thing that somebody says; `of` picks a claim among those before. */
interface Said {
  readonly what: 'claim' | 'claim' | 'corroborate' | 'contradict' | 'retire' | 'revise';
  readonly by: number;
  readonly of: number;
}
const anySaid: fc.Arbitrary<Said> = fc.record({
  what: fc.constantFrom('claim', 'claim', 'corroborate', 'contradict', 'retire', 'revise'),
  by: fc.nat(2),
  of: fc.nat(20),
});

/** The records of a story, each at a moment of its own. What the rules refuse of them is not in the ledger. */
function recordsOf(story: readonly Said[]): { records: SignedRecord[]; claims: string[] } {
  const claims: { id: string; by: number }[] = [];
  const records = story.flatMap(({ what, by, of }, i): SignedRecord[] => {
    const signer = speakers[by] ?? keyOf('nobody');
    const at = toInstant(T0 - 100_000 + i * 1_000);
    const base = { spec: KNOWLEDGE_SPEC, author: signer.address };
    const about = claims[of % Math.max(1, claims.length)];
    if (what === 'claim' || what === 'revise') {
      const supersedes = what === 'revise' && about?.by === by ? about.id : null;
      const rest = { kind: 'semantic', statement: `no. ${i}`, topics: [], refs: [], episodes: [] };
      const body = { ...base, scope, ...rest, asserted_at: at, supersedes };
      claims.push({ id: recordId('claim', body), by });
      return [seal('claim', body, signer)];
    }
    if (!about) return [];
    const on = { ...base, claim_id: about.id, issued_at: at };
    if (what === 'retire') return [seal('retirement', { ...on, reason: '' } as typeof on, signer)];
    const position = { ...on, verdict: what, basis: '', episodes: [] };
    return [seal('endorsement', position, signer)];
  });
  return { records, claims: claims.map(({ id }) => id) };
}

/** What a fleet holds of others, and what counts here of it, without where and when it came. */
const heldOf = ({ reader }: BundleFleet) =>
  reader.where('held').map(({ at: _at, taken, ...row }) => ({ ...row, isTaken: taken !== null }));
async function knowledgeOf({ base, reader }: BundleFleet) {
  const claims = await base.claims('lab');
  return {
    claims: claims.map(({ seq: _seq, ...claim }) => claim),
    endorsements: reader.where('endorsements').map(({ at: _at, ...row }) => row),
    decided: reader.where('decided', undefined).filter(({ context }) => context === 'held').length,
  };
}

type Step = { readonly admit: number } | { readonly of: readonly number[] };
const anySteps = fc.array(fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }), { maxLength: 4 });

test('whatever bundles, in whatever parts and order, and whenever who is admitted: the same in the end, and as it was', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anySaid, { minLength: 2, maxLength: 14 }),
      anySteps,
      fc.array(fc.nat(2), { maxLength: 3 }),
      fc.infiniteStream(fc.nat(99)),
      async (story, parts, early, random) => {
        const origin = await bundleFleet('origin');
        const { records, claims } = recordsOf(story);
        await deposit(origin.store, origin.home.hostId, 90, records);
        await commitPending(memberOf(origin.store, origin.home, origin.world).parts);
        await origin.base.claims('lab');
        if (claims.length === 0) return;
        const whole = (await origin.export({ all: true })).checked;

        const once = await bundleFleet('once');
        await once.import(whole);
        for (const { address } of speakers) await once.admit(address);

        const piecewise = await bundleFleet('piecewise');
        const steps: Step[] = [
          ...parts.map((of) => ({ of })),
          ...early.map((admit) => ({ admit })),
        ];
        const shuffled = steps
          .map((step) => ({ step, by: random.next().value ?? 0 }))
          .sort((a, b) => a.by - b.by);
        for (const { step } of shuffled) {
          if ('admit' in step)
            await piecewise.admit((speakers[step.admit] ?? first)?.address ?? '');
          else {
            const some = step.of.map((i) => claims[i % claims.length] ?? '');
            await piecewise.import((await origin.export({ claims: [...new Set(some)] })).bytes);
          }
        }
        await piecewise.import(whole);
        for (const { address } of [...speakers].reverse()) await piecewise.admit(address);

        expect(heldOf(piecewise)).toEqual(heldOf(once));
        expect(heldOf(once).every(({ isTaken }) => isTaken)).toBe(true);
        expect(await knowledgeOf(piecewise)).toEqual(await knowledgeOf(once));
        const there = await origin.base.claims('lab');
        const standing = there.map(({ id, confidence, corroborations, contradictions }) => ({
          ...{ id, confidence, corroborations, contradictions },
        }));
        expect(await once.base.claims('lab')).toMatchObject(standing);
        const staleness = (all: typeof there) => all.map((claim) => claim.staleness_seconds);
        expect(staleness(await once.base.claims('lab'))).toEqual(staleness(there));
        const ledger = await piecewise.entries();
        expect(await piecewise.import(whole)).toMatchObject({ said: [] });
        expect(await piecewise.entries()).toBe(ledger);
      },
    ),
    { numRuns: 20 },
  );
});
