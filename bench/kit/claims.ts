import type { ClaimRow } from '../../src/fold/knowledge-rows.ts';

/*
 * Claims in words that are as often as words are: the n-th word 1/n as often as the first (Zipf). Among them names, ports and
 * paths. Without a clock or chance from outside: every run has the same.
 */

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const SYLLABLES = 'ka lo mi ter san vo rin del pu gar ne shi bo lat wen'.split(' ');
const WORDS = 20_000;

/** The n-th word: its syllables are the digits of n. The commonest are the shortest. */
export function wordOf(n: number): string {
  const syllable = SYLLABLES[n % SYLLABLES.length] ?? '';
  return n < SYLLABLES.length ? syllable : wordOf(Math.floor(n / SYLLABLES.length) - 1) + syllable;
}

/** The sums of 1/n up to each word. */
const sums = new Float64Array(WORDS);
for (let n = 0, sum = 0; n < WORDS; n++) {
  sum += 1 / (n + 1);
  sums[n] = sum;
}

/** A word as often as it is. */
function drawn(chance: () => number): string {
  const at = chance() * (sums[WORDS - 1] ?? 0);
  let [low, high] = [0, WORDS - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return wordOf(low);
}

/** One word in eight is the name of a thing. */
function token(chance: () => number): string {
  const kind = Math.floor(chance() * 24);
  if (kind === 0) return `port ${1_024 + Math.floor(chance() * 8_000)}`;
  if (kind === 1) return `src/${drawn(chance)}/${drawn(chance)}.ts`;
  if (kind === 2) return `${drawn(chance)}_${drawn(chance)}`;
  return drawn(chance);
}

/** So many words as lie between two counts. */
export function sentence(chance: () => number, least: number, most: number): string {
  const count = least + Math.floor(chance() * (most - least + 1));
  return Array.from({ length: count }, () => token(chance)).join(' ');
}

/** The row of the i-th claim, promoted, of 8 to 20 words. One in ten is another agent's candidate. */
export function claimRow(i: number, chance: () => number, space: string): ClaimRow {
  const isCandidate = i % 10 === 0;
  return {
    key: `claim-${String(i).padStart(7, '0')}`,
    at: i + 1,
    seq: i + 1,
    spec: 'bench',
    space,
    segment: `repo:example.com/team/repo-${i % 10}`,
    kind: 'semantic',
    statement: sentence(chance, 8, 20),
    topics: JSON.stringify([`topic-${i % 50}`]),
    refs: '[]',
    episodes: '[]',
    author: `author-${i % 8}`,
    principal: `agent-${i % 8}`,
    asserted_at: '2026-03-01T00:00:00.000Z',
    supersedes: null,
    status: isCandidate ? 'pending' : 'accepted',
    promoted_at: isCandidate ? null : i + 1,
    against: '[]',
    independent: null,
    witnesses: '[]',
    joined_into: null,
    promotion: '',
    attempt: 0,
    retired: null,
    superseded_by: null,
    claim_type: 'fact',
    subject: JSON.stringify([wordOf(100 + (i % 5_000))]),
    observed_by: `agent-${i % 8}`,
    fact: null,
    resolves_at: null,
    said: `said-${i}`,
  };
}
