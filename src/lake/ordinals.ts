import { sha256Hex } from '../base/hash.ts';
import type { Manifest } from './manifest.ts';

/** Bytes of a key's hash. Where two keys share them, an ordinal is passed over; no two events are taken for one. */
const HASH_BYTES = 6;

function hashOf(key: string): number {
  return Number.parseInt(sha256Hex(key).slice(0, 2 * HASH_BYTES), 16);
}

/**
 * How many events of each counted native key a session has had. Most keys have one, and a transcript can have millions of
 * them: of those only a few bytes of the hash are kept.
 */
export class Ordinals {
  readonly #several = new Map<string, number>();
  readonly #once = new Set<number>();

  constructor(saved: Partial<Pick<Manifest, 'ordinals' | 'once'>> = {}) {
    const bytes = Buffer.from(saved.once ?? '', 'base64');
    for (let at = 0; at + HASH_BYTES <= bytes.length; at += HASH_BYTES) {
      this.#once.add(bytes.readUIntBE(at, HASH_BYTES));
    }
    for (const [key, count] of Object.entries(saved.ordinals ?? {})) this.raise(key, count);
  }

  /** What the key's next event gets. */
  countOf(key: string): number {
    return this.#several.get(key) ?? (this.#once.has(hashOf(key)) ? 1 : 0);
  }

  /** Counts up to here, where fewer were known. True where that was so. */
  raise(key: string, count: number): boolean {
    if (count <= this.countOf(key)) return false;
    if (count === 1) this.#once.add(hashOf(key));
    else this.#several.set(key, count);
    return true;
  }

  /** The ordinal of the key's next event, which is counted. */
  next(key: string): number {
    const ordinal = this.countOf(key);
    this.raise(key, ordinal + 1);
    return ordinal;
  }

  /** As a manifest keeps them. */
  saved(): Pick<Manifest, 'ordinals' | 'once'> {
    const bytes = Buffer.alloc(this.#once.size * HASH_BYTES);
    let at = 0;
    for (const hash of this.#once) at = bytes.writeUIntBE(hash, at, HASH_BYTES);
    return { ordinals: Object.fromEntries(this.#several), once: bytes.toString('base64') };
  }
}
