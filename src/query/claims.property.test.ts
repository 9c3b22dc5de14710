import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Debate, type Known } from '../../test/kit/debate.ts';
import { entryOf, fleetRows, fleetState, foldOnto, householdOf, T0 } from '../../test/kit/fleet.ts';
import { newSql } from '../../test/kit/member.ts';
import type { Scene } from '../../test/kit/story.ts';
import { anyDebate, SPACES } from '../../test/kit/story-knowledge.ts';
import type { Reader } from '../fold/state.ts';
import { step } from '../fold/step.ts';
import { applyChanges, readerOf } from '../snapshot/database.ts';
import { listClaims } from './claims.ts';

const homes = [householdOf('ann'), householdOf('bob')];
const NOW = T0 + 60_000;

/** What the queries say of each space. */
function told(reader: Reader): Known[][] {
  return SPACES.map((space) =>
    listClaims(reader, space, { now: NOW }).map((claim) => ({
      id: claim.id,
      principal: claim.principal,
      promotion: claim.promotion,
      status: claim.status,
      seq: claim.seq,
      confidence: claim.confidence,
      staleness_seconds: claim.staleness_seconds,
      suspect: claim.suspect,
      corroborations: claim.corroborations,
      contradictions: claim.contradictions,
    })),
  );
}

function derived(scenes: readonly Scene[]): Known[][] {
  const debate = new Debate(homes, scenes);
  return SPACES.map((space) => debate.claims(space, NOW));
}

describe('claims are what reading the whole history again says', () => {
  test('in memory', () => {
    fc.assert(
      fc.property(anyDebate, (scenes) => {
        const entries = scenes.map(({ context, body }, i) => entryOf(i + 1, context, body));
        expect(told(foldOnto(fleetState(), entries))).toEqual(derived(scenes));
      }),
      { numRuns: 200 },
    );
  });

  test('in SQLite', () => {
    fc.assert(
      fc.property(anyDebate, (scenes) => {
        const sql = newSql();
        const reader = readerOf(sql);
        applyChanges(sql, fleetRows());
        for (const [i, { context, body }] of scenes.entries())
          applyChanges(sql, step(reader, entryOf(i + 1, context, body)));
        expect(told(reader)).toEqual(derived(scenes));
      }),
      { numRuns: 30 },
    );
  });

  test('of which there are all kinds', () => {
    const seen = new Set<string>();
    for (const scenes of fc.sample(anyDebate, { numRuns: 300, seed: 1 }))
      for (const { status, suspect, corroborations, contradictions } of derived(scenes).flat())
        for (const one of [
          status,
          `suspect ${suspect}`,
          `${corroborations} for`,
          `${contradictions} against`,
        ])
          seen.add(one);
    for (const one of ['candidate', 'promoted', 'rejected', 'retired', 'superseded'])
      expect(seen).toContain(one);
    for (const one of ['suspect true', '2 for', '2 against']) expect(seen).toContain(one);
  });
});
