import { join } from 'node:path';
import { jsonIn } from '../base/unknown.ts';
import { Cursor, cursorName } from '../lake/import.ts';
import { readIfThere, writeFileDurably } from './small-file.ts';

/** How far each transcript is imported, under `<home>/imports/`. */
export function openCursors(home: string) {
  const pathOf = (path: string) => join(home, 'imports', `${cursorName(path)}.json`);
  return {
    read(path: string): Cursor | undefined {
      // One that is damaged is as none: the import begins again, and adds nothing that is there.
      return Cursor.safeParse(jsonIn(readIfThere(pathOf(path)) ?? '')).data;
    },
    write: (cursor: Cursor): void => writeFileDurably(pathOf(cursor.path), JSON.stringify(cursor)),
  };
}

/** A number that only grows, kept in a file: written before it is used, so that no crash gives one twice. */
export function openCounter(path: string): () => number {
  return () => {
    const known = Number(readIfThere(path) ?? 0);
    const next = (Number.isSafeInteger(known) ? known : 0) + 1;
    writeFileDurably(path, String(next));
    return next;
  };
}
