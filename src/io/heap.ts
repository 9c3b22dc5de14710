import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * A function that collects garbage at once. Long streaming work makes garbage faster than it makes anything that
 * lives; left alone, V8 lets 100 MB of it pile up before it looks.
 */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return typeof collect === 'function' ? () => void collect() : () => {};
}
