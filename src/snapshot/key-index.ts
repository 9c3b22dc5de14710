/** Slots at first. */
const SLOTS_MIN = 1_024;

/** Of five slots one is free, so that a key is not looked for long. */
const LOAD_MAX = 0.8;

/**
 * Where the row of each key stands, in eight bytes a key and no key itself: a hash of it, and its row. Whoever asks
 * compares the keys of the rows that it names, since two keys can have one hash.
 */
export class KeyIndex {
  readonly #seed: number;
  /** Pairs of hash and row, row 0 in a slot that is free; a key stands in the first free one from its hash on. */
  #slots = new Uint32Array(SLOTS_MIN * 2);
  #count = 0;

  /** `seed` makes the hashes of this index its own, so that nobody can name keys that all have one. */
  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The row for which `isIt` says that its key is this one; undefined where there is none. */
  find(key: string, isIt: (row: number) => boolean): number | undefined {
    const hash = this.#hash(key);
    for (let at = this.#start(hash); ; at = this.#next(at)) {
      const row = this.#slots[at + 1] ?? 0;
      if (row === 0) return undefined;
      if (this.#slots[at] === hash && isIt(row)) return row;
    }
  }

  /** Adds a key that is not there. `row` is from 1 to 2^32 - 1. */
  add(key: string, row: number): void {
    if (this.#count >= (this.#slots.length / 2) * LOAD_MAX) this.#grow();
    this.#put(this.#hash(key), row);
    this.#count++;
  }

  #put(hash: number, row: number): void {
    let at = this.#start(hash);
    while (this.#slots[at + 1] !== 0) at = this.#next(at);
    this.#slots[at] = hash;
    this.#slots[at + 1] = row;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += 2) {
      const [hash = 0, row = 0] = before.subarray(at, at + 2);
      if (row !== 0) this.#put(hash, row);
    }
  }

  // The number of slots is a power of two.
  #start(hash: number): number {
    return (hash * 2) & (this.#slots.length - 1);
  }

  #next(at: number): number {
    return (at + 2) & (this.#slots.length - 1);
  }

  /** FNV-1a over the characters, mixed at the end since slots are chosen by its low bits. */
  #hash(key: string): number {
    let hash = this.#seed;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) >>> 0;
  }
}
