import fc from 'fast-check';
import { expect, test } from 'vitest';
import { popHeap, pushHeap } from './heap.ts';

test('a heap gives the smallest number of those in it, as a sorted list does', () => {
  // A number is pushed, undefined pops.
  const anySteps = fc.array(fc.option(fc.nat(20), { nil: undefined }), { maxLength: 60 });
  fc.assert(
    fc.property(anySteps, (steps) => {
      const heap: number[] = [];
      let model: number[] = [];
      for (const step of steps) {
        if (step === undefined) {
          expect(popHeap(heap)).toBe(model.shift());
        } else {
          pushHeap(heap, step);
          model = [...model, step].sort((a, b) => a - b);
        }
      }
      for (const value of model) expect(popHeap(heap)).toBe(value);
      expect(popHeap(heap)).toBeUndefined();
    }),
  );
});
