/** The little of a file system that repository identity needs. Synchronous: the hook lives for milliseconds. */
export interface LocalFiles {
  /** The text of a small file, or undefined where it cannot be read. */
  read(path: string): string | undefined;
  /** What stands at a path. */
  kind(path: string): 'file' | 'directory' | undefined;
  /** Creates a file that is not there; false where it is, or where it can't be written. */
  create(path: string, text: string): boolean;
}
