import { join } from 'node:path';
import { Cursor, cursorName } from '../lake/import.ts';
import { readIfThere, writeFileAtomically } from './small-file.ts';

/** How far each transcript is imported, under `<home>/imports/`. */
export function openCursors(home: string) {
  const pathOf = (path: string) => join(home, 'imports', `${cursorName(path)}.json`);
  return {
    read(path: string): Cursor | undefined {
      const text = readIfThere(pathOf(path));
      return text === undefined ? undefined : Cursor.safeParse(JSON.parse(text)).data;
    },
    write: (cursor: Cursor): void =>
      writeFileAtomically(pathOf(cursor.path), JSON.stringify(cursor)),
  };
}

/** A number that only grows, kept in a file: written before it is used, so that no crash gives one twice. */
export function openCounter(path: string): () => number {
  return () => {
    const next = Number(readIfThere(path) ?? 0) + 1;
    writeFileAtomically(path, String(next));
    return next;
  };
}
