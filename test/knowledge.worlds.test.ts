import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signerOf } from '../src/base/ed25519.ts';
import { toInstant } from '../src/base/time.ts';
import { assemble } from '../src/brief/knowledge.ts';
import { deposit } from '../src/ledger/inbox.ts';
import { conflictsIn, eligibleClaims, getClaim, horizonOf } from '../src/query/claims.ts';
import { keywordRetriever } from '../src/query/retriever.ts';
import type { EpisodeBody, PolicyBody } from '../src/record/governance.ts';
import type { KnowledgeClaim, Scope } from '../src/record/knowledge.ts';
import { type SignedRecord, SPEC, seal } from '../src/record/record.ts';
import { readerOf } from '../src/snapshot/database.ts';
import { householdOf, worldAt } from './kit/fleet.ts';
import { auditLedger, foundOn, memberOf } from './kit/member.ts';
import { openMemoryStore } from './kit/memory-store.ts';
import { describeShared } from './kit/shared.ts';

/** What the reference implementation derives, as worlds.json has it. */
interface World {
  readonly identities: readonly { readonly seed_hex: string; readonly address: string }[];
  readonly now: string;
  readonly records: readonly WorldRecord[];
  readonly expected: {
    readonly standing: Readonly<Record<string, { readonly confidence: number }>>;
    readonly briefings: readonly {
      readonly query: {
        readonly scope: Scope;
        readonly task: string;
        readonly topics: readonly string[];
        readonly refs: readonly string[];
        readonly limit: number;
      };
      readonly items: readonly { readonly confidence: number; readonly score: number }[];
      readonly conflicts: readonly string[];
    }[];
    readonly conflicts: readonly { readonly claim_id: string }[];
  };
}

type WorldRecord =
  | {
      readonly type: 'policy';
      readonly scopes: readonly Scope[];
      readonly mode: 'auto' | 'review';
      readonly required_approvals: number;
      readonly protected_topics: readonly string[];
      readonly staleness_horizon_seconds: number | null;
    }
  | { readonly type: 'claim'; readonly body: KnowledgeClaim; readonly signature: string }
  | {
      readonly type: 'endorsement' | 'retirement';
      readonly body: SignedRecord['body'];
      readonly signature: string;
    }
  | {
      readonly type: 'invalidation';
      readonly space: string;
      readonly uri: string;
      readonly changed_at: string;
    };

const ann = householdOf('ann');
const OLD = toInstant(Date.UTC(2026, 0, 1));

/** The records of a world as ours: what the reference keeps unsigned is signed by the founder. */
function recordsOf(world: World): SignedRecord[] {
  const signers = new Map(
    world.identities.map(({ seed_hex, address }) => [
      address,
      signerOf(Buffer.from(seed_hex, 'hex')),
    ]),
  );
  const episodes = new Set<string>();
  const by = ann.person;
  return world.records.flatMap((record): SignedRecord[] => {
    switch (record.type) {
      case 'policy':
        return record.scopes.map((scope) => {
          const body: PolicyBody = {
            spec: SPEC,
            author: by.address,
            issued_at: OLD,
            scope,
            mode: record.mode,
            required_approvals: record.required_approvals,
            protected_topics: [...record.protected_topics],
            ...(record.staleness_horizon_seconds === null
              ? {}
              : { staleness_horizon_seconds: record.staleness_horizon_seconds }),
          };
          return seal('policy', body, by);
        });
      case 'invalidation': {
        const { type: _, ...change } = record;
        const body = {
          spec: SPEC,
          author: ann.host.address,
          issued_at: record.changed_at,
          ...change,
        };
        return [seal('artifact-change', body, ann.host)];
      }
      default: {
        const { type: context, body, signature } = record;
        const cited = context === 'claim' ? record.body.episodes : [];
        const fresh = cited.filter((id) => !episodes.has(id));
        for (const id of fresh) episodes.add(id);
        const signer = signers.get(body.author);
        if (!signer) throw new Error('a record by nobody');
        const observed = fresh.map((id) => {
          const episode: EpisodeBody = {
            spec: SPEC,
            author: body.author,
            issued_at: OLD,
            id,
            scope: (body as KnowledgeClaim).scope,
            kind: 'observation',
            content: 'seen',
            refs: [],
            occurred_at: OLD,
          };
          return seal('episode', episode, signer);
        });
        return [...observed, { context, body, signature }];
      }
    }
  });
}

const near = (value: number, expected: number) =>
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-9 * Math.abs(expected));

describeShared('the worlds of the reference implementation, through our ledger', (shared) => {
  const path = join(shared, 'conformance/agent-knowledge/worlds.json');
  const { worlds } = JSON.parse(readFileSync(path, 'utf8')) as { worlds: World[] };
  test('there are some', () => expect(worlds).toHaveLength(24));

  test.each(worlds.map((world, i) => ({ i, world })))(
    'world $i: standing, briefings, conflicts',
    async ({ world }) => {
      const now = Date.parse(world.now);
      const store = openMemoryStore();
      await foundOn(store, ann, 'open');
      const member = memberOf(store, ann, worldAt(now));
      await deposit(store, ann.hostId, 1, recordsOf(world));
      expect(await member.commit()).toEqual([]);
      const { records } = await auditLedger(store);
      expect(records.filter(({ context }) => context === 'rejection')).toEqual([]);

      const reader = readerOf(member.state);
      for (const [id, expected] of Object.entries(world.expected.standing)) {
        const found = getClaim(reader, id, { now });
        expect(found, id).toMatchObject({ ...expected, confidence: found?.confidence });
        near(found?.confidence ?? Number.NaN, expected.confidence);
      }
      for (const { query, items, conflicts } of world.expected.briefings) {
        const { scope } = query;
        const brief = await assemble(
          query,
          eligibleClaims(reader, scope, { now }),
          keywordRetriever,
          horizonOf(reader, scope),
        );
        const plain = (list: readonly object[]) =>
          list.map((item) => ({ ...item, score: 0, confidence: 0 }));
        expect(plain(brief.items), JSON.stringify(query)).toEqual(plain(items));
        for (const [i, item] of brief.items.entries()) {
          near(item.score, items[i]?.score ?? Number.NaN);
          near(item.confidence, items[i]?.confidence ?? Number.NaN);
        }
        expect(brief.conflicts).toEqual(conflicts);
      }
      const [space = ''] = world.expected.briefings.map(({ query }) => query.scope.space);
      const conflicts = conflictsIn(reader, space, { now });
      expect(
        conflicts.map(({ claim_id, contradictions }) => ({ claim_id, contradictions })),
      ).toEqual([...world.expected.conflicts].sort((a, b) => (a.claim_id < b.claim_id ? -1 : 1)));
    },
  );
});
