import { expect, test } from 'vitest';
import { similarity } from './similarity.ts';

test('what contradicts a claim is as near to it as what repeats it', () => {
  const near = similarity('The cache is enabled in prod.', 'In production the cache is disabled.');
  expect(near).toBe(1);
  expect(similarity('The cache is enabled.', 'Invoices are mailed.')).toBe(0);
  expect(similarity('', '')).toBe(0);
});

test('an embedding can bring texts nearer, never apart', () => {
  const [a, b] = ['The cache is full.', 'The cache is slow.'];
  expect(similarity(a, b)).toBe(0.5);
  expect(similarity(a, b, 0.9)).toBe(0.9);
  expect(similarity(a, b, -1)).toBe(0.5);
  expect(similarity(a, b, Number.NaN)).toBe(0.5);
  expect(similarity(a, b, 7)).toBe(1);
});
