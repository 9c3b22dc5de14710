import fc from 'fast-check';
import { expect, test } from 'vitest';
import { areTopics, topicsOf } from './knowledge.ts';

const anyTopic = fc.oneof(
  fc.constantFrom('a', 'A', 'b', 'ab', '', 'İ', 'ß', 'ẞ', '\uffff', '\u{1f98a}', 'σ', 'ς', 'Σ'),
  fc.string({ unit: 'binary', maxLength: 3 }),
);

test('topics stand as they are where making topics of them changes nothing, and nowhere else', () => {
  const check = (topics: readonly string[]) =>
    expect(areTopics(topics)).toBe(JSON.stringify(topics) === JSON.stringify(topicsOf(topics)));
  fc.assert(
    fc.property(fc.array(anyTopic, { maxLength: 5 }), (topics) => {
      check(topics);
      check(topicsOf(topics));
    }),
    { numRuns: 2_000 },
  );
});
