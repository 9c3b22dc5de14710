import { sha256Hex } from './hash.ts';
import { detached } from './text.ts';

/** Above what any runtime gives as an id. A subagent's session, which is two ids, stays below the 256 of a record. */
const LENGTH_MAX = 120;
const HASH_DIGITS = 40;

/**
 * An id that came from outside as it is kept: whole up to `lengthMax` UTF-16 units, else its beginning, `~` and 160
 * bits of its hash, so that two ids stay two and none is without bound.
 */
export function shortId(id: string, lengthMax: number = LENGTH_MAX): string {
  if (id.length <= lengthMax) return id;
  const start = detached(id.slice(0, lengthMax - HASH_DIGITS - 1));
  return `${start}~${sha256Hex(id).slice(0, HASH_DIGITS)}`;
}
