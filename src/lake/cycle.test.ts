import fc from 'fast-check';
import { expect, test } from 'vitest';
import { components } from './cycle.ts';

test('two nodes share a component exactly where each reaches the other', () => {
  const anyGraph = fc.integer({ min: 1, max: 9 }).chain((size) => {
    return fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), {
      minLength: size,
      maxLength: size,
    });
  });
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const reach = graph.map((to, from) =>
        graph.map((_, node) => node === from || to.includes(node)),
      );
      for (const k of graph.keys()) {
        for (const row of reach) {
          if (row[k]) for (const j of graph.keys()) row[j] ||= reach[k]?.[j] ?? false;
        }
      }
      const component = components(graph);
      for (const a of graph.keys()) {
        for (const b of graph.keys()) {
          expect(component[a] === component[b]).toBe(reach[a]?.[b] && reach[b]?.[a]);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('a chain of 300,000 nodes is no cycle', () => {
  const size = 300_000;
  const chain = Array.from({ length: size }, (_, i) => (i + 1 < size ? [i + 1] : []));
  expect(new Set(components(chain)).size).toBe(size);
});
