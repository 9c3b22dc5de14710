import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryOf, fleetState, foldOnto } from '../../test/kit/fleet.ts';
import { areIndependent, footprintOf } from '../../test/kit/footprint.ts';
import { anyScene, anyStory, POSITIONS, type Scene } from '../../test/kit/story.ts';
import { anyCase } from '../../test/kit/story-belief.ts';
import { anyDebate } from '../../test/kit/story-knowledge.ts';
import type { MapState } from './map-state.ts';
import { COLUMNS, type Reader, type TableName } from './state.ts';

const TABLES = Object.keys(COLUMNS) as TableName[];

/** A position after two neighbours, the first at `at`, have changed places. */
const swapped = (position: unknown, at: number) =>
  position === at ? at + 1 : position === at + 1 ? at : position;

const BY_POSITION: ReadonlySet<string> = new Set(['unusable', 'contents', 'erased']);

/** Every row, with the positions `at` and `at + 1` exchanged. */
function dump(reader: Reader, at: number): unknown {
  return TABLES.map((table) =>
    reader
      .where(table)
      .map((row) => {
        const cells = Object.entries(row).map(([name, cell]) =>
          POSITIONS.has(name) ? [name, swapped(cell, at)] : [name, cell],
        );
        const named = Object.fromEntries(cells) as Record<string, unknown>;
        // What counts not is kept by its position, and so is what can be erased.
        return BY_POSITION.has(table) ? { ...named, key: String(named['at']) } : named;
      })
      .map((row) => JSON.stringify(row))
      .sort(),
  );
}

function fold(scenes: readonly Scene[]): MapState {
  return foldOnto(
    fleetState(),
    scenes.map(({ context, body }, i) => entryOf(i + 1, context, body)),
  );
}

/** Before every position. */
const NONE = -10;

const anyHistory = fc.oneof(anyStory, anyDebate, anyCase);

const KINDS = [
  'claim',
  'endorsement',
  'verdict',
  'proposal',
  'retirement',
  'episode',
  'policy',
  'artifact-change',
  'session',
  'handoff',
  'repo-map',
  'finding',
  'decision',
  'score',
  'extraction',
  'settlement',
  'trust',
];

/** Both orders of the neighbours at `at`: the states, with the positions of the second exchanged. */
function bothOrders(story: readonly Scene[], i: number): readonly [unknown, unknown] {
  const [first, second] = [story[i], story[i + 1]];
  if (!first || !second) throw new Error('there are two neighbours');
  const other = [...story.slice(0, i), second, first, ...story.slice(i + 2)];
  return [dump(fold(story), NONE), dump(fold(other), i + 1)];
}

describe('records that have nothing to do with each other', () => {
  test('can change places anywhere in a story: the states are equal, up to positions', () => {
    fc.assert(
      fc.property(anyHistory, (story) => {
        for (let i = 0; i + 1 < story.length; i++) {
          const [a, b] = story.slice(i, i + 2).map((scene) => footprintOf(scene, story));
          if (!a || !b || !areIndependent(a, b)) continue;
          const [one, other] = bothOrders(story, i);
          expect(other).toEqual(one);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('are many, of every two kinds', () => {
    const scenes = fc.sample(anyScene, { numRuns: 2_000, seed: 7 });
    const of = (kind: string) => scenes.filter(({ context }) => context === kind).slice(0, 12);
    const canBeApart = (a: string, b: string) =>
      of(a).some((one) =>
        of(b).some((other) => {
          const pair = [one, other];
          return areIndependent(footprintOf(one, pair), footprintOf(other, pair));
        }),
      );
    for (const [i, a] of KINDS.entries())
      for (const b of KINDS.slice(i + 1)) {
        // These may move what the other tells of.
        if (a === 'handoff' && b === 'repo-map') continue;
        expect([a, b, canBeApart(a, b)]).toEqual([a, b, true]);
      }
  });

  test('are not all: of every kind there are some that must keep their order', () => {
    const ordered = new Set<string>();
    const histories = [
      ...fc.sample(anyStory, { numRuns: 400, seed: 7 }),
      ...fc.sample(anyDebate, { numRuns: 100, seed: 7 }),
      ...fc.sample(anyCase, { numRuns: 100, seed: 7 }),
    ];
    for (const story of histories) {
      for (let i = 0; i + 1 < story.length; i++) {
        const pair = story.slice(i, i + 2);
        const [a, b] = pair.map((scene) => footprintOf(scene, story));
        const isNew = pair.some(({ context }) => !ordered.has(context));
        if (!a || !b || !isNew || areIndependent(a, b)) continue;
        const [one, other] = bothOrders(story, i);
        if (JSON.stringify(one) !== JSON.stringify(other))
          for (const { context } of pair) ordered.add(context);
      }
    }
    for (const kind of KINDS) expect(ordered).toContain(kind);
  });
});
