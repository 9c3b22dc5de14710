import type { LocalFiles } from '../runtime/port.ts';

/** What the hook may do to this machine. Nothing else, and no network. */
export interface HookFiles extends LocalFiles {
  /**
   * Appends in one write, and again if the file was renamed away meanwhile. Throws where the disk does not take it.
   * `path` is relative to the product's folder.
   */
  append(path: string, text: string): void;
  /** The last `bytes` of a file as text; empty where there is none. */
  tail(path: string, bytes: number): string;
  /** Where a path leads once its links are followed; undefined where it isn't there. */
  real(path: string): string | undefined;
  /** The names in a folder; none where it isn't there. */
  names(path: string): readonly string[];
  /** Milliseconds since a file was last written; undefined where it isn't there. */
  age(path: string): number | undefined;
  /** Writes a small file, replacing what was there. False where that fails. */
  mark(path: string, text: string): boolean;
}
