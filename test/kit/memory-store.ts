import { memoryStore } from '../../src/io/memory-store.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';

/** What a test may ask of the memory store. */
export interface MemoryStoreOptions {
  /** Keys whose objects may be written again with the same bytes only. */
  readonly immutable?: (key: string) => boolean;
}

/**
 * The memory store. Where `immutable` holds and other bytes are put on an existing key, `put` rejects with a plain Error, since
 * that is a bug of the caller.
 */
export function openMemoryStore({ immutable }: MemoryStoreOptions = {}): ObjectStore {
  const store = memoryStore();
  if (!immutable) return store;
  const put = store.put.bind(store);
  return Object.assign(store, {
    async put(key: string, bytes: Uint8Array): Promise<void> {
      const old = immutable(key) ? await store.get(key) : undefined;
      if (old && Buffer.compare(old, bytes) !== 0)
        throw new Error(`the immutable object ${key} was written again with other bytes`);
      await put(key, bytes);
    },
  });
}
