import { framesOf } from './frame.ts';

/** The keys of what a text says, without what says little. */
function keysOf(text: string): Set<string> {
  const units = framesOf(text).flatMap((frame) => frame.units);
  return new Set(units.filter(({ weight }) => weight > 0.5).map(({ key }) => key));
}

/**
 * How likely two texts are of the same thing, from 0 to 1: the share of the words of the one that says less, by their
 * stems and synonyms; or the cosine of their embeddings, where it is given and larger. It finds pairs that are worth
 * judging, and says nothing of which way: what contradicts a claim is as near to it as what repeats it.
 */
export function similarity(one: string, other: string, cosine = 0): number {
  const [a, b] = [keysOf(one), keysOf(other)];
  const least = Math.min(a.size, b.size);
  const shared = [...a].filter((key) => b.has(key)).length;
  const overlap = least === 0 ? 0 : shared / least;
  return Math.min(1, Math.max(overlap, Number.isFinite(cosine) ? cosine : 0));
}
