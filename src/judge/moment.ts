/** Dates, times of day and commits, as texts name them. */
const MOMENT =
  /\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b/g;

const momentsIn = (text: string) => new Set(text.slice(0, 2_000).match(MOMENT) ?? []);

/** True for two outcomes that each say when they came out, and not at one moment: a test that passed then can fail now. */
export function areOfTwoMoments(one: string, other: string): boolean {
  const [a, b] = [momentsIn(one), momentsIn(other)];
  if (a.size === 0 || b.size === 0) return false;
  return a.size !== b.size || [...a].some((moment) => !b.has(moment));
}
