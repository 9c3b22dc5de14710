import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Ordinals } from './ordinals.ts';

const anyKey = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'turn_end'), fc.uuid());

describe('ordinals', () => {
  test('count each key on, wherever they are saved between', () => {
    const anySteps = fc.array(fc.record({ key: anyKey, saves: fc.boolean() }), { maxLength: 30 });
    fc.assert(
      fc.property(anySteps, (steps) => {
        const counts = new Map<string, number>();
        let ordinals = new Ordinals();
        for (const { key, saves } of steps) {
          if (saves) ordinals = new Ordinals(JSON.parse(JSON.stringify(ordinals.saved())));
          const count = counts.get(key) ?? 0;
          expect(ordinals.next(key)).toBe(count);
          counts.set(key, count + 1);
        }
        for (const [key, count] of counts) expect(ordinals.countOf(key)).toBe(count);
      }),
    );
  });

  test('are only raised', () => {
    const ordinals = new Ordinals({ ordinals: { a: 1, b: 3 } });
    expect([ordinals.raise('a', 1), ordinals.raise('b', 2), ordinals.raise('c', 0)]).toEqual([
      false,
      false,
      false,
    ]);
    expect([ordinals.raise('a', 2), ordinals.raise('b', 4), ordinals.raise('c', 1)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(['a', 'b', 'c', 'd'].map((key) => ordinals.countOf(key))).toEqual([2, 4, 1, 0]);
  });

  test('of a manifest that named every key are what they were', () => {
    const { ordinals, once } = new Ordinals({ ordinals: { a: 1, b: 3 } }).saved();
    expect(ordinals).toEqual({ b: 3 });
    expect(new Ordinals({ ordinals, once }).countOf('a')).toBe(1);
  });

  test('of many different keys take 8 characters each', () => {
    const ordinals = new Ordinals();
    for (let n = 0; n < 1_000; n++) ordinals.next(`prompt:${n}`);
    expect(ordinals.saved()).toEqual({ ordinals: {}, once: expect.stringMatching(/^.{8000}$/) });
  });
});
