import { stemOf } from '../../src/base/stemmer.ts';
import type { Part, WordNet } from './wordnet.ts';

/** Senses of a lemma that count: rarer ones make words alike that nobody takes for each other. */
const SENSES_MAX = 2;
/** A noun is given its sisters from this count on, and sets above the size are kinds of nearly anything. */
const NOUN_COUNT_MIN = 3;
const SET_SIZE_MAX = 30;

const isPlain = (word: string) => /^[a-z]{2,20}$/.test(word);

/** `word:opposite,opposite`, sorted; of single words of which one at least is in use. */
export function antonymsOf(net: WordNet): string[] {
  const table = new Map<string, Set<string>>();
  for (const [id, { opposites }] of net.synsets) {
    const part = id.charAt(0) as Part;
    for (const { word, synset, at } of opposites) {
      const other = net.synsets.get(synset)?.words[at];
      if (other === undefined || !isPlain(word) || !isPlain(other)) continue;
      if (net.countOf(part, word) + net.countOf(part, other) === 0) continue;
      table.set(word, (table.get(word) ?? new Set()).add(other));
    }
  }
  return [...table].map(([word, others]) => `${word}:${[...others].sort().join(',')}`).sort();
}

/** `word:word`, sorted: words in use of which one is made of the other and their stems do not show it, as *width* of *wide*. */
export function derivedOf(net: WordNet): string[] {
  const pairs = new Set<string>();
  for (const [id, { derived }] of net.synsets) {
    const part = id.charAt(0) as Part;
    for (const { word, synset, at } of derived) {
      const other = net.synsets.get(synset)?.words[at];
      if (other === undefined || !isPlain(word) || !isPlain(other)) continue;
      const counts = [net.countOf(part, word), net.countOf(synset.charAt(0) as Part, other)];
      if (Math.min(...counts) === 0 || stemOf(word) === stemOf(other)) continue;
      // Who does it, and what is done with it, are others than what is done.
      if (/(?:er|or|ee|ist)s?$/.test(word) !== /(?:er|or|ee|ist)s?$/.test(other)) continue;
      pairs.add([word, other].sort().join(':'));
    }
  }
  return [...pairs].sort();
}

/** True where a synset is among the frequent senses of a word. */
function isFrequent(net: WordNet, part: Part, word: string, id: string): boolean {
  if (net.countOf(part, word) === 0) return false;
  return (net.senses.get(`${part}:${word}`) ?? []).slice(0, SENSES_MAX).includes(id);
}

/** `a,b,c`, sorted: the words of a synset of which it is a frequent sense. */
export function synonymsOf(net: WordNet): string[] {
  const sets = new Set<string>();
  for (const [id, { words }] of net.synsets) {
    const part = id.charAt(0) as Part;
    const known = [...new Set(words)].filter(
      (word) => isPlain(word) && isFrequent(net, part, word, id),
    );
    if (known.length > 1) sets.add(known.sort().join(','));
  }
  return [...sets].sort();
}

/** `a,b,c`, sorted: nouns whose first sense is a kind of the same. */
export function sistersOf(net: WordNet): string[] {
  const sets = new Map<string, Set<string>>();
  for (const [key, [first]] of net.senses) {
    const word = key.slice(2);
    if (!key.startsWith('n:') || !isPlain(word) || net.countOf('n', word) < NOUN_COUNT_MIN)
      continue;
    for (const kind of net.synsets.get(first ?? '')?.kinds ?? []) {
      sets.set(kind, (sets.get(kind) ?? new Set()).add(word));
    }
  }
  return [...sets.values()]
    .filter(({ size }) => size > 1 && size <= SET_SIZE_MAX)
    .map((words) => [...words].sort().join(','))
    .sort();
}

/** Verbs in use, sorted; with a `+` those that stand more often as nouns. */
export function verbsOf(net: WordNet): string[] {
  const lemmas = [...net.senses.keys()]
    .filter((key) => key.startsWith('v:'))
    .map((key) => key.slice(2));
  return lemmas
    .filter((word) => isPlain(word) && net.countOf('v', word) > 0)
    .map((word) => (net.countOf('n', word) > net.countOf('v', word) ? `${word}+` : word))
    .sort();
}
