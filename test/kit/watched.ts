import type { ObjectStore } from '../../src/lake/objects.ts';
import { open } from '../../src/record/record.ts';
import { followingInMemory } from './rivals.ts';

/**
 * A store that notes into `early` each item of the inbox that is deleted before the ledger, as it can be read at that
 * moment, has decided on all of its lines; with a time of its own, where it has one.
 */
export function watched(
  inner: ObjectStore,
  early: string[],
  time: () => number | undefined,
): ObjectStore {
  const ledger = followingInMemory(inner);
  return {
    name: inner.name,
    get: (key, bytesMax) => inner.get(key, bytesMax),
    put: (key, bytes) => inner.put(key, bytes),
    putIfAbsent: (key, bytes) => inner.putIfAbsent(key, bytes),
    list: (prefix) => inner.list(prefix),
    time: async () => time(),
    async delete(key) {
      const bytes = await inner.get(key);
      if (bytes) {
        await ledger.follow();
        const lines = Buffer.from(bytes).toString().split('\n').slice(0, -1);
        const isDecided = lines.every((line, i) =>
          [idIn(line), `${key}#${i + 1}`].some((ref) => ledger.reader.get('decided', ref)),
        );
        if (!isDecided) early.push(key);
      }
      await inner.delete(key);
    },
  };
}

/** The id of the record that a line is; the line itself where it is none. */
function idIn(line: string): string {
  try {
    return open(JSON.parse(line)).id;
  } catch {
    return line;
  }
}
