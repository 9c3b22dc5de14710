import { LIMIT } from '../base/limits.ts';
import type { FileLine } from './port.ts';

/** Reading makes garbage faster than anything that lives. */
const RELAX_BYTES = LIMIT.part_bytes_max;

/** A function that hears how much was read, and calls `relax` whenever that has come to enough. */
export function relaxer(relax: () => void): (bytes: number) => void {
  let bytes = 0;
  return (more) => {
    bytes += more;
    if (bytes < RELAX_BYTES) return;
    bytes = 0;
    relax();
  };
}

/** Groups of lines, with a rest between them whenever so much was read. */
export function* relaxing(
  groups: Iterable<readonly FileLine[]>,
  relax: () => void,
): Generator<readonly FileLine[]> {
  const rest = relaxer(relax);
  for (const group of groups) {
    yield group;
    rest(group.reduce((sum, line) => sum + line.bytes, 0));
  }
}
