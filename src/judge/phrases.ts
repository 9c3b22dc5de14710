import { IDIOMS } from './idioms.ts';
import { PHRASES } from './phrase-table.ts';

/** A pattern, word by word, each with its alternatives, and what it is rewritten to. */
export interface Phrase {
  readonly pattern: ReadonlyArray<ReadonlySet<string>>;
  readonly output: readonly string[];
}

function phraseOf(line: string): Phrase {
  const [left = '', right = ''] = line.split('>');
  const words = (text: string) => text.trim().split(' ').filter(Boolean);
  return { pattern: words(left).map((word) => new Set(word.split('/'))), output: words(right) };
}

function byFirstWord(): Map<string, Phrase[]> {
  const table = new Map<string, Phrase[]>();
  for (const line of `${PHRASES.trim()}\n${IDIOMS.trim()}`.split('\n')) {
    const phrase = phraseOf(line);
    for (const first of phrase.pattern[0] ?? []) {
      table.set(first, [...(table.get(first) ?? []), phrase]);
    }
  }
  for (const found of table.values()) found.sort((a, b) => b.pattern.length - a.pattern.length);
  return table;
}

const TABLE = byFirstWord();

/** The longest phrase that starts at a place of a text; undefined where none does. */
export function phraseAt(words: readonly string[], at: number): Phrase | undefined {
  return TABLE.get(words[at] ?? '')?.find(({ pattern }) =>
    pattern.every((alternatives, i) => alternatives.has(words[at + i] ?? '')),
  );
}
