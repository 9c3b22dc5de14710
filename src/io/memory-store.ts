import { LIMIT } from '../base/limits.ts';
import { assertKey, assertPrefix } from '../lake/key.ts';
import { assertFits, type ObjectStore } from '../lake/objects.ts';

/**
 * An object store that lives as long as the process, shared by whoever holds it. Every operation is one step: no other comes
 * between. Methods reject with CredenceError `incorrect`, `store.key` for what is no key, `store.too_large`.
 */
export function memoryStore(): ObjectStore {
  return new MemoryStore();
}

class MemoryStore implements ObjectStore {
  readonly name = 'memory';
  readonly #objects = new Map<string, Uint8Array>();

  async get(
    key: string,
    bytesMax: number = LIMIT.object_bytes_max,
  ): Promise<Uint8Array | undefined> {
    assertKey(key);
    const bytes = this.#objects.get(key);
    assertFits(this.name, key, bytes?.length ?? 0, bytesMax);
    return bytes && new Uint8Array(bytes);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    assertKey(key);
    this.#objects.set(key, new Uint8Array(bytes));
  }

  async putIfAbsent(key: string, bytes: Uint8Array): Promise<boolean> {
    assertKey(key);
    if (this.#objects.has(key)) return false;
    this.#objects.set(key, new Uint8Array(bytes));
    return true;
  }

  /** The keys as they are when the first one is asked for. */
  async *list(prefix: string): AsyncGenerator<string> {
    assertPrefix(prefix);
    // Keys are ASCII, so that the order of code units is the order of code points.
    yield* [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    this.#objects.delete(key);
  }

  async time(): Promise<undefined> {
    return undefined;
  }
}
