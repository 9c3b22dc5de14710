import { parseCanonical } from '../base/canonical.ts';
import { commitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { commitmentOf, Entry, lineOf, stubOf, withText } from './entry.ts';

/** Commitments by position. */
export type Erased = ReadonlyMap<number, string>;

/**
 * Overwrites the entries of a commit that were erased with their stubs; every other byte stays, so that its roots do.
 * True once the bytes that are there hold stubs alone at those positions. Another host that overwrites the same commit
 * at this moment may bring one back: whoever follows that erasure looks again. Throws what the store throws: then the
 * outcome is unknown, and whoever comes next looks again.
 */
export async function overwriteErased(
  store: ObjectStore,
  n: number,
  erased: Erased,
): Promise<boolean> {
  const key = commitKey(n);
  const before = await store.get(key);
  if (!before) return false;
  const after = withoutErased(before, erased);
  if (after === undefined) return true;
  await store.put(key, Buffer.from(after));
  const there = await store.get(key);
  return there !== undefined && withoutErased(there, erased) === undefined;
}

/** The text of a commit without what was erased; undefined where nothing of it is left. */
function withoutErased(bytes: Uint8Array, erased: Erased): string | undefined {
  const [checkpoint = '', ...lines] = Buffer.from(bytes).toString('utf8').split('\n');
  let isChanged = false;
  const after = lines.map((line) => {
    const stub = line === '' ? undefined : stubFor(line, erased);
    if (stub === undefined) return line;
    isChanged = true;
    return stub;
  });
  return isChanged ? [checkpoint, ...after].join('\n') : undefined;
}

/** The stub that a line has to become; undefined where it may stay. Bytes that the erasure does not name are not touched. */
function stubFor(line: string, erased: Erased): string | undefined {
  const received = parseCanonical(line);
  const { data } = Entry.safeParse(received);
  if (!data || 'commitment' in data) return undefined;
  const entry = withText(received as Entry, line);
  const isNamed = erased.get(data.seq) === commitmentOf(entry).toString('hex');
  return isNamed ? lineOf(stubOf(entry)) : undefined;
}
