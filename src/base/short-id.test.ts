import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortId } from './short-id.ts';

test('short ids stay as they are', () => {
  for (const id of ['', 'a', 'é'.repeat(60), 'x'.repeat(120)]) expect(shortId(id)).toBe(id);
});

test('long ones are bounded, well-formed, told apart, and shortened once', () => {
  const long = fc.string({ unit: 'binary', minLength: 121, maxLength: 400 });
  fc.assert(
    fc.property(long, long, (a, b) => {
      const short = shortId(a);
      expect(short.length).toBeLessThanOrEqual(120);
      expect(short.isWellFormed()).toBe(true);
      expect(shortId(short)).toBe(short);
      expect(shortId(a.slice(0, 80) + b) === short).toBe(a.slice(0, 80) + b === a);
    }),
  );
});
