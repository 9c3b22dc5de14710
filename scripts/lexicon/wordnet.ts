/*
 * WordNet's database as its manual describes it (wndb(5WN), senseidx(5WN)): `index.<part of speech>` gives the
 * synsets of a lemma with the most frequent first, `data.<part of speech>` the words and pointers of a synset.
 */

/** Parts of speech by their letter in the database. */
export const PARTS = { n: 'noun', v: 'verb', a: 'adj', r: 'adv' } as const;
export type Part = keyof typeof PARTS;

/** From one of a synset's words to a word of another synset. */
export interface Pointer {
  readonly word: string;
  readonly synset: string;
  readonly at: number;
}

export interface Synset {
  readonly words: readonly string[];
  readonly opposites: readonly Pointer[];
  /** Words of another part of speech that are made of one of these, or the other way round. */
  readonly derived: readonly Pointer[];
  /** The synsets that this one is a kind of. */
  readonly kinds: readonly string[];
}

export interface WordNet {
  /** By part of speech and offset: `n00012345`. */
  readonly synsets: ReadonlyMap<string, Synset>;
  /** By part of speech and lemma, `n:dog`: its synsets, the most frequent first. */
  readonly senses: ReadonlyMap<string, readonly string[]>;
  /** How often a lemma stands as that part of speech in the texts that WordNet's makers tagged. */
  countOf(part: Part, lemma: string): number;
}

function synsetOf(line: string): Synset {
  const fields = (line.split(' | ')[0] ?? '').split(' ');
  const count = Number.parseInt(fields[3] ?? '0', 16);
  const words = Array.from({ length: count }, (_, i) =>
    (fields[4 + 2 * i] ?? '').replace(/\(.*/, '').toLowerCase(),
  );
  const opposites: Pointer[] = [];
  const derived: Pointer[] = [];
  const kinds: string[] = [];
  const start = 4 + 2 * count;
  const pointers = Number(fields[start]);
  for (let i = 0; i < pointers; i++) {
    const [symbol, offset, part, places] = fields.slice(start + 1 + 4 * i, start + 5 + 4 * i);
    const synset = `${part === 's' ? 'a' : part}${offset}`;
    if (symbol === '@' || symbol === '@i') kinds.push(synset);
    const word = words[Number.parseInt(places?.slice(0, 2) ?? '', 16) - 1];
    if (word === undefined) continue;
    const pointer = { word, synset, at: Number.parseInt(places?.slice(2) ?? '', 16) - 1 };
    if (symbol === '!') opposites.push(pointer);
    if (symbol === '+') derived.push(pointer);
  }
  return { words, opposites, derived, kinds };
}

/** Reads the database; `read` gives the text of one of its files. */
export function readWordNet(read: (name: string) => string): WordNet {
  const synsets = new Map<string, Synset>();
  const senses = new Map<string, readonly string[]>();
  const counts = new Map<string, number>();
  const linesOf = (name: string) =>
    read(name)
      .split('\n')
      .filter((line) => /^[^ ]/.test(line));
  for (const [part, name] of Object.entries(PARTS)) {
    for (const line of linesOf(`data.${name}`)) {
      synsets.set(`${part}${line.slice(0, 8)}`, synsetOf(line));
    }
    for (const line of linesOf(`index.${name}`)) {
      const fields = line.trim().split(' ');
      const offsets = fields.slice(-Number(fields[2]));
      senses.set(
        `${part}:${fields[0]}`,
        offsets.map((offset) => `${part}${offset}`),
      );
    }
  }
  for (const line of linesOf('index.sense')) {
    const [key = '', , , count] = line.split(' ');
    const [lemma, rest = ''] = key.split('%');
    const of = `${'nvara'.charAt(Number(rest.charAt(0)) - 1)}:${lemma}`;
    counts.set(of, (counts.get(of) ?? 0) + Number(count));
  }
  return { synsets, senses, countOf: (part, lemma) => counts.get(`${part}:${lemma}`) ?? 0 };
}
