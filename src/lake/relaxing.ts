import { LIMIT } from '../base/limits.ts';
import type { FileLine } from './port.ts';

/** Reading lines makes garbage faster than anything that lives. */
const RELAX_BYTES = LIMIT.part_bytes_max / 4;

/** Groups of lines, with a rest between them whenever so much was read. */
export function* relaxing(
  groups: Iterable<readonly FileLine[]>,
  relax: () => void,
): Generator<readonly FileLine[]> {
  let bytes = 0;
  for (const group of groups) {
    yield group;
    for (const line of group) bytes += line.bytes;
    if (bytes < RELAX_BYTES) continue;
    bytes = 0;
    relax();
  }
}
