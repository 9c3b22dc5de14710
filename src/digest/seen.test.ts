import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SeenIds } from './seen.ts';

test('knows what was added, and nothing else', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string(), { maxLength: 50 }),
      fc.array(fc.string(), { maxLength: 50 }),
      (added, others) => {
        const seen = new SeenIds();
        for (const id of [...added, ...added]) seen.add(id);
        for (const id of [...added, ...others]) expect(seen.has(id)).toBe(added.includes(id));
      },
    ),
  );
});

test('grows', () => {
  const seen = new SeenIds();
  for (let i = 0; i < 20_000; i++) seen.add(`id ${i}`);
  for (let i = 0; i < 20_000; i++) expect(seen.has(`id ${i}`)).toBe(true);
  for (let i = 20_000; i < 22_000; i++) expect(seen.has(`id ${i}`)).toBe(false);
});
