import { CredenceError, messageOf } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import type { ObjectStore } from './objects.ts';

/** One thing that was tried, and how it went. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly says: string;
  readonly next?: string;
}

const NEXT = 'a store without it can hold sessions, but not the ledger: point `store` elsewhere';

async function check(name: string, says: string, body: () => Promise<boolean>): Promise<Check> {
  try {
    return (await body())
      ? { name, ok: true, says }
      : { name, ok: false, says: `${says}: it does not`, next: NEXT };
  } catch (error) {
    const own = error instanceof CredenceError ? error.next : undefined;
    const next = own ?? 'make the store reachable and writable';
    return { name, ok: false, says: messageOf(error), next };
  }
}

/** Executes every primitive that the product needs of a store, on the real one, under a key of its own. */
export async function probeStore(store: ObjectStore, world: World): Promise<Check[]> {
  const key = `live/probe/${Buffer.from(world.random(8)).toString('hex')}.json`;
  const one = Buffer.from('1');
  const two = Buffer.from('2');
  const same = async (bytes: Uint8Array) =>
    Buffer.compare((await store.get(key)) ?? Buffer.of(), bytes) === 0;
  const listed = async () => {
    for await (const found of store.list('live/probe/')) if (found === key) return true;
    return false;
  };
  return [
    await check(
      'store',
      `${store.name}: writes where nothing is`,
      async () => (await store.putIfAbsent(key, one)) && same(one),
    ),
    await check(
      'put-if-absent',
      'refuses to write where something is',
      async () => !(await store.putIfAbsent(key, two)) && same(one),
    ),
    await check('race', 'of 8 writers at once, exactly one wins', async () => {
      await store.delete(key);
      const won = await Promise.all(
        Array.from({ length: 8 }, (_, i) => store.putIfAbsent(key, Buffer.from(String(i)))),
      );
      return won.filter((result) => result).length === 1;
    }),
    await check('replace', 'replaces, and reads back what it wrote', async () => {
      await store.put(key, two);
      return same(two);
    }),
    await check('list', 'lists what is there', listed),
    await check('delete', 'deletes', async () => {
      await store.delete(key);
      return (await store.get(key)) === undefined;
    }),
  ];
}
