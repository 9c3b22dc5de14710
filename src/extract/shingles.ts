import type { Span } from '../capture/fence.ts';

/** Words of a shingle, and how much of a text has to stand in another one for that to carry it. Source: design page 6, "Independence". */
const WORDS = 8;
const CONTAINMENT_MIN = 0.5;
/** A text of fewer words than a shingle is one; of so few it is no text of anybody's own. */
const WORDS_MIN = 5;
/** What is looked through of one text. */
const LENGTH_MAX = 200_000;

/** A text of the fleet's that another one can repeat. */
export interface Shingled {
  readonly kind: 'claim' | 'handoff';
  readonly id: string;
  /** When it was written: nothing repeats it before. */
  readonly since: string;
}

function wordsOf(text: string): string[] {
  return (
    text
      .slice(0, LENGTH_MAX)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The runs of so many words in a text, each once. */
function shinglesOf(words: readonly string[], size: number): Set<string> {
  const shingles = new Set<string>();
  for (let i = 0; i + size <= words.length; i++) shingles.add(words.slice(i, i + size).join(' '));
  return shingles;
}

/** The words of a text with a space around each: where a run of words can be looked for. */
export function wordLine(text: string): string {
  return ` ${wordsOf(text).join(' ')} `;
}

/** True for a line of words that holds at least half of another text's shingles. */
export function repeats(line: string, text: string): boolean {
  const words = wordsOf(text);
  if (words.length < WORDS_MIN) return false;
  const shingles = [...shinglesOf(words, Math.min(WORDS, words.length))];
  const met = shingles.filter((shingle) => line.includes(` ${shingle} `)).length;
  return met >= shingles.length * CONTAINMENT_MIN;
}

interface Text extends Shingled {
  readonly shingles: number;
  readonly size: number;
}

/** A word of a text, and where it stands. */
interface Word {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

function wordsAt(text: string): Word[] {
  const found = text.slice(0, LENGTH_MAX).matchAll(/[\p{L}\p{N}]+/gu);
  return [...found].map(({ 0: word, index }) => {
    return { word: word.toLowerCase(), start: index, end: index + word.length };
  });
}

/** An index of texts by their shingles. */
export class ShingleIndex {
  readonly #texts: Text[] = [];
  readonly #places = new Map<string, number[]>();
  readonly #sizes = new Set<number>();

  add(item: Shingled, text: string): void {
    const words = wordsOf(text);
    if (words.length < WORDS_MIN) return;
    const size = Math.min(WORDS, words.length);
    const shingles = shinglesOf(words, size);
    const place = this.#texts.push({ ...item, shingles: shingles.size, size }) - 1;
    this.#sizes.add(size);
    for (const shingle of shingles) {
      const known = this.#places.get(shingle);
      if (known) known.push(place);
      else this.#places.set(shingle, [place]);
    }
  }

  /** The texts of which at least half stands in this one. */
  repeatedIn(text: string): Shingled[] {
    return [...this.#repeated(wordsOf(text))].flatMap((place) => {
      const known = this.#texts[place];
      return known ? [{ kind: known.kind, id: known.id, since: known.since }] : [];
    });
  }

  /** Where a text says what those of which at least half stands in it say, in order and apart from each other. */
  spansIn(text: string): Span[] {
    const words = wordsAt(text);
    const repeated = this.#repeated(words.map(({ word }) => word));
    const isTold = new Uint8Array(words.length);
    for (const size of repeated.size > 0 ? this.#sizes : [])
      for (let i = 0; i + size <= words.length; i++) {
        const run = words.slice(i, i + size);
        const places = this.#places.get(run.map(({ word }) => word).join(' ')) ?? [];
        if (places.some((place) => repeated.has(place))) isTold.fill(1, i, i + size);
      }
    const spans: Span[] = [];
    words.forEach(({ start, end }, i) => {
      const last = spans.at(-1);
      if (isTold[i] !== 1) return;
      if (last && isTold[i - 1] === 1) spans[spans.length - 1] = { start: last.start, end };
      else spans.push({ start, end });
    });
    return spans;
  }

  #repeated(words: readonly string[]): Set<number> {
    const met = new Map<number, number>();
    for (const size of this.#texts.length === 0 ? [] : this.#sizes)
      for (const shingle of shinglesOf(words, size))
        for (const place of this.#places.get(shingle) ?? [])
          met.set(place, (met.get(place) ?? 0) + 1);
    const isRepeated = ([place, count]: [number, number]) =>
      count >= (this.#texts[place]?.shingles ?? Number.POSITIVE_INFINITY) * CONTAINMENT_MIN;
    return new Set([...met].filter(isRepeated).map(([place]) => place));
  }
}
