import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Labelled, readPairs, scoreOf } from '../../bench/kit/pairs.ts';
import { describeShared } from '../../test/kit/shared.ts';
import { judge } from './judge.ts';
import type { Verdict } from './rules.ts';

/*
 * How often the judge is right, as floors a little below what was measured (docs/judge.md): a change that makes it worse
 * fails here. Of our own pairs one half was never looked at while the rules were made.
 */

const ours = (a: string, b: string): Verdict => judge({ text: a }, { text: b }).verdict;

function unrelatedCalledSame(pairs: readonly Labelled[]): number {
  const unrelated = pairs.filter(({ label }) => label === 'unrelated');
  return unrelated.filter(({ a, b }) => ours(a, b) === 'same').length / unrelated.length;
}

function floors(pairs: readonly Labelled[], precision: number, recall: number, same: number): void {
  const contradicts = scoreOf(pairs, ours, 'contradicts');
  expect(contradicts.precision).toBeGreaterThanOrEqual(precision);
  expect(contradicts.recall).toBeGreaterThanOrEqual(recall);
  expect(scoreOf(pairs, ours, 'same').f1).toBeGreaterThanOrEqual(same);
  expect(unrelatedCalledSame(pairs)).toBeLessThanOrEqual(0.05);
}

describe('our own pairs', () => {
  const pairs = readPairs('test/judge/own-pairs.tsv');
  test('those that rules were made by', () => {
    floors(
      pairs.filter(({ half }) => half !== 'held'),
      0.97,
      0.8,
      0.87,
    );
  });
  test('those that were held back', () => {
    floors(
      pairs.filter(({ half }) => half === 'held'),
      0.9,
      0.87,
      0.86,
    );
  });
  test('each is there once, with a label, and half of the first 240 are held back', () => {
    expect(new Set(pairs.map(({ a, b }) => `${a}|${b}`)).size).toBe(pairs.length);
    const first = pairs.filter(({ half }) => half !== 'late');
    expect(first.length).toBeGreaterThanOrEqual(240);
    expect(first.filter(({ half }) => half === 'held').length).toBeGreaterThanOrEqual(120);
    expect(pairs.filter(({ label }) => !/^(?:same|contradicts|unrelated)$/.test(label))).toEqual(
      [],
    );
  });
});

describe("another writer's pairs", () => {
  const [read, held] = ['second-pairs', 'second-pairs-held'].map((name) =>
    readPairs(`test/judge/${name}.tsv`),
  );
  test('those that rules were mended by', () => floors(read ?? [], 0.97, 0.86, 0.61));
  test('those of which only the figures were looked at, three times', () =>
    floors(held ?? [], 0.79, 0.7, 0.48));
  test('each half has 240, with a label', () => {
    for (const pairs of [read, held]) {
      expect(pairs).toHaveLength(240);
      expect(pairs?.every(({ label }) => /^(?:same|contradicts|unrelated)$/.test(label))).toBe(
        true,
      );
    }
  });
});

describeShared('pairs of the field', (shared) => {
  test('the targets hold: precision 0.90 at a recall of 0.85', () => {
    floors(readPairs(join(shared, 'data', 'nli', 'field-pairs.tsv')), 0.9, 0.85, 0.82);
  });
});
