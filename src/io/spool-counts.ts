import { join } from 'node:path';
import { type Instant, isInstant } from '../base/time.ts';
import { countOf, jsonIn, listOf, objectOf } from '../base/unknown.ts';
import type { Odd } from '../lake/port.ts';
import { readIfThere, writeFileDurably } from './small-file.ts';

/** A file is said twice only around a crash, so that few need to be known. */
const FILES_MAX = 100;

interface Counts extends Odd {
  readonly last_at?: Instant;
  /** The files counted last. */
  readonly files: readonly string[];
}

/** Counts that are damaged begin again. */
function parseCounts(text: string | undefined): Counts {
  const { torn, unrecognised, last_at, files } = objectOf(jsonIn(text ?? ''));
  return {
    torn: countOf(torn) ?? 0,
    unrecognised: countOf(unrecognised) ?? 0,
    ...(typeof last_at === 'string' && isInstant(last_at) ? { last_at } : {}),
    files: listOf(files).filter((file) => typeof file === 'string'),
  };
}

/** Running totals of what was odd in spool files, in `<home>/spool-counts.json`. */
export function openSpoolCounts(home: string) {
  const path = join(home, 'spool-counts.json');
  const read = () => parseCounts(readIfThere(path));
  return {
    /** Adds once for a file, which `file` tells from all others. */
    add(file: string, { torn, unrecognised }: Odd, last_at: Instant): void {
      const known = read();
      // In one write with the totals, so that no crash comes between them.
      if (known.files.includes(file)) return;
      const counts = {
        version: 1,
        torn: known.torn + torn,
        unrecognised: known.unrecognised + unrecognised,
        last_at,
        files: [...known.files, file].slice(-FILES_MAX),
      };
      writeFileDurably(path, `${JSON.stringify(counts)}\n`);
    },
    totals(): Odd & { readonly last_at?: Instant } {
      const { files: _files, ...totals } = read();
      return totals;
    },
  };
}
