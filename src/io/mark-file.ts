import { join } from 'node:path';
import { MARK_FILE } from '../base/home-file.ts';
import { type MarkFile, parseMark } from '../snapshot/mark.ts';
import { deleteFile, readIfThere, writeFileDurably } from './small-file.ts';

/** The mark of a home. One that is torn or not ours counts as none: then all is checked, which is right whatever became of it. */
export function openMarkFile(home: string): MarkFile {
  const path = join(home, MARK_FILE);
  return {
    read: () => parseMark(readIfThere(path) ?? ''),
    write: (mark) => writeFileDurably(path, `${JSON.stringify(mark)}\n`),
    remove: () => deleteFile(path),
  };
}
