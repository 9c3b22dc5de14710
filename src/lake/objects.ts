import { CredenceError, codeOf } from '../base/errors.ts';

/**
 * The one store port: immutable objects under keys, as S3, a directory or a table can offer them. Keys are
 * `/`-separated, of the characters `A-Z a-z 0-9 . _ - = %`, with no empty, `.` or `..` part.
 *
 * Every method rejects with a CredenceError of category `unavailable` where the outcome is UNKNOWN: the
 * operation may or may not have happened, and the caller has to look. Nothing retries inside.
 */
export interface ObjectStore {
  /** Names the store in messages, without credentials. */
  readonly name: string;
  /** The bytes under a key, or undefined. Rejects with `store.too_large` for more than `bytesMax`: `LIMIT.object_bytes_max` unless told. */
  get(key: string, bytesMax?: number): Promise<Uint8Array | undefined>;
  /** Writes or replaces, atomically: a reader sees the old bytes or the new ones, durably once it resolves. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Writes where nothing is; false where something was. Of many callers at once exactly one gets true. */
  putIfAbsent(key: string, bytes: Uint8Array): Promise<boolean>;
  /** Keys that begin with a prefix, in code point order. May be stale: late to show what is new, or to drop what is deleted. */
  list(prefix: string): AsyncIterable<string>;
  /** Deletes; no error where nothing is. */
  delete(key: string): Promise<void>;
  /** The store's own time in milliseconds, where it has one better than the caller's clock. */
  time(): Promise<number | undefined>;
}

/** Refuses an object that is larger than its reader takes. Throws CredenceError `incorrect`, `store.too_large`. */
export function assertFits(store: string, key: string, bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  throw new CredenceError(
    'incorrect',
    'store.too_large',
    `${key} in the store ${store} has ${bytes} bytes; ${bytesMax} are read at most`,
    {
      data: { key, bytes },
      next: 'nothing that credence writes is so large: see who put it there, and remove it',
    },
  );
}

/** What keeps one object from being read, and says nothing of the others. */
const OWN_FAULTS: ReadonlySet<string> = new Set(['store.too_large', 'store.denied']);

/** The bytes of one object among many: also undefined, and told to `note`, where it can't be read and the others can. */
export async function getOrNote(
  store: ObjectStore,
  key: string,
  bytesMax: number,
  note: (error: unknown) => void,
): Promise<Uint8Array | undefined> {
  try {
    return await store.get(key, bytesMax);
  } catch (error) {
    if (!OWN_FAULTS.has(codeOf(error))) throw error;
    note(error);
    return undefined;
  }
}
