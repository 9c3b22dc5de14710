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
  /** The bytes under a key, or undefined. */
  get(key: string): Promise<Uint8Array | undefined>;
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
