import { canonical } from '../base/canonical.ts';
import { LIMIT } from '../base/limits.ts';
import type { Digest } from '../record/digest.ts';

const LISTS = ['commands', 'files', 'tests', 'commits', 'friction', 'models'] as const;

/** Which items of a list are kept: the first, since lists are sorted with what matters first; of commits the newest. */
function keep<T>(name: (typeof LISTS)[number], items: readonly T[], count: number): readonly T[] {
  return name === 'commits' ? items.slice(items.length - count) : items.slice(0, count);
}

/**
 * Cuts a digest to `bytesMax` of canonical JSON: the list that takes most room gives up its least item, again and
 * again. What was left out is counted.
 */
export function cutToSize(digest: Digest, bytesMax: number = LIMIT.digest_bytes_max): Digest {
  const size = Buffer.byteLength(canonical(digest));
  if (size <= bytesMax) return digest;
  const kept = LISTS.map((name) => {
    const costs = digest[name].map((item) => Buffer.byteLength(canonical(item)) + 1);
    if (name === 'commits') costs.reverse();
    return { name, costs, total: costs.reduce((sum, cost) => sum + cost, 0) };
  });
  // Room for the counts themselves.
  let excess = size - bytesMax + 120;
  while (excess > 0) {
    const longest = kept.reduce((a, b) => (b.total > a.total ? b : a));
    const cost = longest.costs.pop();
    if (cost === undefined) break;
    longest.total -= cost;
    excess -= cost;
  }
  const lists = Object.fromEntries(
    kept.map(({ name, costs }) => [name, keep<unknown>(name, digest[name], costs.length)]),
  );
  const omitted = Object.fromEntries(
    kept.flatMap(({ name, costs }) => {
      const count = digest[name].length - costs.length;
      return count > 0 ? [[name, count]] : [];
    }),
  );
  return { ...digest, ...lists, omitted };
}
