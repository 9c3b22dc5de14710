import { stemOf } from '../base/stemmer.ts';

/** What a retriever reads of a claim. */
export interface Retrievable {
  readonly id: string;
  readonly statement: string;
  readonly topics: readonly string[];
}

/** What is looked for. */
export interface Sought {
  readonly task: string;
  readonly topics: readonly string[];
}

/**
 * Tells how relevant claims are to a query: the one thing about a briefing that may be replaced. A stateful one is
 * told what is accepted and what is withdrawn, and all of it again in the next process. What it throws is told to whoever asked
 * for the briefing, and nothing is said in the ledger by it. It may not call the fleet that calls it: that waits for it.
 */
export interface Retriever {
  /** Relevance by claim id, 0 to 1, absent for none; undefined where the query says nothing to look for. */
  search(
    query: Sought,
    candidates: readonly Retrievable[],
  ): ReadonlyMap<string, number> | undefined | Promise<ReadonlyMap<string, number> | undefined>;
  /** A claim was accepted. Told once, after it stands, by whichever verb comes upon it; again, where it threw, at the next briefing. */
  index?(claim: Retrievable): void | Promise<void>;
  /** An accepted claim was retired or superseded. Told once, also of such as this process never told to `index`. */
  remove?(claimId: string): void | Promise<void>;
}

const STOP_WORDS = new Set(
  (
    'a an and are as at be but by for from has have how i in into is it its of on or that the their then there these ' +
    'they this to was were what when which who will with you your'
  ).split(' '),
);

/** Runs of letters and digits of the lower-cased text, without stop words, stemmed. */
function termsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word)).map(stemOf);
}

/** Okapi BM25's saturation of repeated terms, and its share of length. Source: the reference's parameters. */
const K1 = 1.5;
const B = 0.75;

/** Okapi BM25 over the candidates of each query, a topic's terms counted twice; scores divided by the best. */
export function keywordRelevance(
  query: Sought,
  candidates: readonly Retrievable[],
): ReadonlyMap<string, number> | undefined {
  const terms = new Set([query.task, ...query.topics].flatMap(termsOf));
  if (terms.size === 0) return undefined;
  const counted = candidates.map(({ id, statement, topics }) => {
    const topicTerms = topics.flatMap(termsOf);
    const words = [...termsOf(statement), ...topicTerms, ...topicTerms];
    const counts = new Map<string, number>();
    for (const word of words) if (terms.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { id, length: words.length, counts };
  });
  const mean = counted.reduce((sum, { length }) => sum + length, 0) / counted.length;
  const idf = new Map(
    [...terms].map((term) => {
      const df = counted.filter(({ counts }) => counts.has(term)).length;
      return [term, Math.max(0, Math.log(1 + (counted.length - df + 0.5) / (df + 0.5)))];
    }),
  );
  const scores = new Map<string, number>();
  for (const { id, length, counts } of counted) {
    const norm = K1 * (1 - B + (B * length) / mean);
    let score = 0;
    for (const [term, tf] of counts) score += ((idf.get(term) ?? 0) * tf * (K1 + 1)) / (tf + norm);
    if (score > 0) scores.set(id, score);
  }
  const best = Math.max(...scores.values());
  return new Map([...scores].map(([id, score]) => [id, score / best]));
}

/** The retriever where no other is given: by words alone, without a state. */
export const keywordRetriever: Retriever = { search: keywordRelevance };
