import { folderOf, isSealKey, PREFIX, parsePartKey } from './layout.ts';
import type { ObjectStore } from './objects.ts';

/** A session of another host whose newest parts no revision names. */
export interface Orphan {
  readonly session: string;
  readonly host: string;
  /** All of its parts that are in the store, in their order. */
  readonly keys: readonly string[];
  /** The seals that lie beside them. */
  readonly seals: readonly string[];
}

/**
 * Looks through the store for sessions of hosts that have gone: those for which `isGone` holds. A session whose
 * name the keys only hold in a shortened form is left to its own host.
 */
export async function findOrphans(
  store: ObjectStore,
  known: ReadonlySet<string>,
  isGone: (host: string) => boolean,
): Promise<Orphan[]> {
  const sessions = new Map<
    string,
    { session: string; host: string; parts: { n: number; key: string }[] }
  >();
  const sealsIn = new Map<string, string[]>();
  for await (const key of store.list(PREFIX.sessions)) {
    if (isSealKey(key)) sealsIn.set(folderOf(key), [...(sealsIn.get(folderOf(key)) ?? []), key]);
    const part = parsePartKey(key);
    const { session, host } = part ?? {};
    if (!part || session === undefined || host === undefined || !isGone(host)) continue;
    const name = `${host}\n${session}`;
    const entry = sessions.get(name) ?? { session, host, parts: [] };
    entry.parts.push({ n: part.n, key });
    sessions.set(name, entry);
  }
  return [...sessions.values()]
    .filter(({ parts }) => parts.some(({ key }) => !known.has(key)))
    .map(({ session, host, parts }) => ({
      session,
      host,
      keys: parts.sort((a, b) => a.n - b.n || (a.key < b.key ? -1 : 1)).map(({ key }) => key),
      seals: [...new Set(parts.map(({ key }) => folderOf(key)))].flatMap(
        (folder) => sealsIn.get(folder) ?? [],
      ),
    }));
}
