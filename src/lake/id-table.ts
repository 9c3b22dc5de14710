import { sha256Hex } from '../base/hash.ts';

const SLOTS_MIN = 1_024;
/** Fuller than this, looking for a free slot takes long. */
const LOAD_MAX = 0.75;
/** As much of a hash as a double holds exactly; of a million ids two are taken for one in 1 of 9,000 sessions. */
const HEX_DIGITS = 13;

/** Numbers ids in the order in which they come, in some 20 bytes each, however long they are: a session can have millions. */
export class IdTable {
  /** The number of the id that stands here, plus 1; 0 is an empty slot. */
  #slots = new Uint32Array(SLOTS_MIN);
  readonly #keys: number[] = [];

  /** The number of an id, or undefined. */
  numberOf(id: string): number | undefined {
    const found = this.#slots[this.#slotOf(idKey(id))] ?? 0;
    return found === 0 ? undefined : found - 1;
  }

  /** The number of an id: the next one where it has none yet. */
  add(id: string): number {
    const key = idKey(id);
    const at = this.#slotOf(key);
    const found = this.#slots[at] ?? 0;
    if (found > 0) return found - 1;
    const number = this.#keys.push(key) - 1;
    this.#slots[at] = number + 1;
    if (this.#keys.length > this.#slots.length * LOAD_MAX) this.#grow();
    return number;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (const [number, key] of this.#keys.entries()) this.#slots[this.#slotOf(key)] = number + 1;
  }

  /** The slot that holds a key, or the empty one where it would stand. */
  #slotOf(key: number): number {
    let at = key % this.#slots.length;
    for (;;) {
      const found = this.#slots[at] ?? 0;
      if (found === 0 || this.#keys[found - 1] === key) return at;
      at = (at + 1) % this.#slots.length;
    }
  }
}

/** A number that stands for an id, hashed whatever it looks like: whoever writes a part chooses its ids, and could choose them to share slots. */
export function idKey(id: string): number {
  return Number.parseInt(sha256Hex(id).slice(0, HEX_DIGITS), 16);
}
