import { sha256Hex } from '../base/hash.ts';

const SLOTS_MIN = 1_024;
/** As much of a hash as a double holds exactly; of a million events two are taken for one in 1 of 9,000 sessions. */
const HEX_DIGITS = 13;

/** Ids that were seen, in 16 to 32 bytes each, however long they are: a session can have millions. */
export class SeenIds {
  #slots = new Float64Array(SLOTS_MIN);
  #count = 0;

  has(id: string): boolean {
    const key = keyOf(id);
    return this.#slots[slotOf(this.#slots, key)] === key;
  }

  add(id: string): void {
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    if (place(this.#slots, keyOf(id))) this.#count += 1;
  }

  #grow(): void {
    const larger = new Float64Array(this.#slots.length * 2);
    for (const key of this.#slots) if (key !== 0) place(larger, key);
    this.#slots = larger;
  }
}

/** From 1 on, since 0 is an empty slot. */
function keyOf(id: string): number {
  return Number.parseInt(sha256Hex(id).slice(0, HEX_DIGITS), 16) + 1;
}

/** The slot that holds a key, or the empty one where it would stand. */
function slotOf(slots: Float64Array, key: number): number {
  let at = key % slots.length;
  while (slots[at] !== 0 && slots[at] !== key) at = (at + 1) % slots.length;
  return at;
}

function place(slots: Float64Array, key: number): boolean {
  const at = slotOf(slots, key);
  if (slots[at] === key) return false;
  slots[at] = key;
  return true;
}
