import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../src/base/hash.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';

/**
 * What every object store must do, as tests under the name of the store. `open` is called inside each test and
 * gives an empty store (a fresh folder, a prefix of its own, …); it can clean up with vitest's `onTestFinished`.
 * Wants a store whose lists are up to date, as all real ones are where one process writes and then lists.
 */
export function objectStoreContract(
  name: string,
  open: () => ObjectStore | Promise<ObjectStore>,
): void {
  describe(`object store contract: ${name}`, () => {
    objectTests(open);
    keyTests(open);
    listTests(open);
    raceTests(open);
    modelTest(open);
  });
}

type Open = () => ObjectStore | Promise<ObjectStore>;

const INVALID_KEYS = [
  '',
  '/',
  'a/',
  '/a',
  'a//b',
  '.',
  '..',
  'a/..',
  '../a',
  'a/./b',
  'a/../../b',
  '.tmp-1',
  'a/.hidden',
  'a b',
  'a\\b',
  'a\0b',
  'a\n',
  'ä',
  'a~b',
  'a:b',
  'a*',
  'x'.repeat(256),
  `${'x/'.repeat(400)}x`,
];

function objectTests(open: Open): void {
  test('an absent object is undefined', async () => {
    const store = await open();
    expect(await store.get('a')).toBeUndefined();
    expect(await store.get('a/b/c')).toBeUndefined();
  });

  test('an object comes back, and is replaced', async () => {
    const store = await open();
    await store.put('dt=2026-01-02/a.b_c-d%20e', utf8('one'));
    expect(text(await store.get('dt=2026-01-02/a.b_c-d%20e'))).toBe('one');
    await store.put('dt=2026-01-02/a.b_c-d%20e', utf8('2'));
    expect(text(await store.get('dt=2026-01-02/a.b_c-d%20e'))).toBe('2');
    expect(await store.get('dt=2026-01-02')).toBeUndefined();
  });

  test('put if absent writes once', async () => {
    const store = await open();
    expect(await store.putIfAbsent('ledger/0/1', utf8('first'))).toBe(true);
    expect(await store.putIfAbsent('ledger/0/1', utf8('second'))).toBe(false);
    expect(await store.putIfAbsent('ledger/0/1', utf8('first'))).toBe(false);
    expect(text(await store.get('ledger/0/1'))).toBe('first');
    await store.put('ledger/0/2', utf8('put'));
    expect(await store.putIfAbsent('ledger/0/2', utf8('late'))).toBe(false);
    expect(text(await store.get('ledger/0/2'))).toBe('put');
  });

  test('all bytes survive, and none at all', async () => {
    const store = await open();
    const every = Uint8Array.from({ length: 512 }, (_, i) => i % 256);
    await store.put('a/every', every);
    await store.put('a/none', new Uint8Array(0));
    expect(await store.putIfAbsent('a/none-once', new Uint8Array(0))).toBe(true);
    expect(plain(await store.get('a/every'))).toEqual([...every]);
    expect(plain(await store.get('a/none'))).toEqual([]);
    expect(plain(await store.get('a/none-once'))).toEqual([]);
    expect(await store.putIfAbsent('a/none', utf8('x'))).toBe(false);
  });

  test('a window on a larger buffer is stored without its surroundings', async () => {
    const store = await open();
    await store.put('a', utf8('xxhellozz').subarray(2, 7));
    expect(text(await store.get('a'))).toBe('hello');
  });

  test('an object of 9 MB', async () => {
    const store = await open();
    const bytes = noise(9 * 1024 * 1024);
    await store.put('big/put', bytes);
    expect(await store.putIfAbsent('big/once', bytes)).toBe(true);
    for (const key of ['big/put', 'big/once']) {
      const found = await store.get(key);
      expect(found?.byteLength).toBe(bytes.byteLength);
      expect(sha256Hex(found ?? '')).toBe(sha256Hex(bytes));
    }
  });

  test('an object that is larger than its reader takes is refused by name', async () => {
    const store = await open();
    await store.put('a/b', utf8('12345'));
    expect(text(await store.get('a/b', 5))).toBe('12345');
    await expect(store.get('a/b', 4)).rejects.toMatchObject({
      category: 'incorrect',
      code: 'store.too_large',
      message: expect.stringContaining('a/b'),
      data: { key: 'a/b', bytes: 5 },
    });
    expect(await store.get('a/c', 0)).toBeUndefined();
  });

  test('deleting twice is no error, nor is deleting what never was', async () => {
    const store = await open();
    await store.put('a/b', utf8('x'));
    await store.put('a/c', utf8('y'));
    await store.delete('a/b');
    await store.delete('a/b');
    await store.delete('never/was');
    await store.delete('a');
    expect(await store.get('a/b')).toBeUndefined();
    expect(text(await store.get('a/c'))).toBe('y');
    expect(await keys(store, '')).toEqual(['a/c']);
    expect(await store.putIfAbsent('a/b', utf8('again'))).toBe(true);
  });

  test('bytes that were returned or given are not the copy of the store', async () => {
    const store = await open();
    const given = utf8('abc');
    await store.put('put', given);
    await store.putIfAbsent('once', given);
    given.fill(0);
    for (const key of ['put', 'once']) {
      const found = await store.get(key);
      expect(text(found)).toBe('abc');
      found?.fill(0);
      expect(text(await store.get(key))).toBe('abc');
    }
  });

  test('the time is a number of milliseconds or unknown', async () => {
    const time = await (await open()).time();
    expect(time === undefined || (Number.isSafeInteger(time) && time > 1_600_000_000_000)).toBe(
      true,
    );
  });
}

function keyTests(open: Open): void {
  test('what is no key is refused by every method', async () => {
    const store = await open();
    const refusal = { category: 'incorrect', code: 'store.key' };
    for (const key of INVALID_KEYS) {
      await expect(store.get(key), JSON.stringify(key)).rejects.toMatchObject(refusal);
      await expect(store.put(key, utf8('x')), JSON.stringify(key)).rejects.toMatchObject(refusal);
      await expect(store.putIfAbsent(key, utf8('x')), JSON.stringify(key)).rejects.toMatchObject(
        refusal,
      );
      await expect(store.delete(key), JSON.stringify(key)).rejects.toMatchObject(refusal);
    }
    expect(await keys(store, '')).toEqual([]);
  });

  test('what no key begins with is refused as a prefix', async () => {
    const store = await open();
    const refusal = { category: 'incorrect', code: 'store.key' };
    for (const prefix of ['/', '..', '../', 'a//', 'a/../', 'a/.', 'ä', 'a b', 'x'.repeat(256)]) {
      await expect(keys(store, prefix), JSON.stringify(prefix)).rejects.toMatchObject(refusal);
    }
  });

  test('the longest key', async () => {
    const store = await open();
    const key = `${'p'.repeat(255)}/${'q'.repeat(255)}/${'r'.repeat(255)}`;
    await store.put(key, utf8('x'));
    expect(text(await store.get(key))).toBe('x');
    expect(await keys(store, key.slice(0, 300))).toEqual([key]);
  });
}

function listTests(open: Open): void {
  test('lists in code point order of the whole key', async () => {
    const store = await open();
    const ordered = [
      'a%2F/x',
      'a-b/x',
      'a.x',
      'a/b-c/x',
      'a/b.c',
      'a/b/x',
      'a/b0',
      'a0/x',
      'a=/x',
      'aB/x',
      'a_/x',
      'ab/x',
    ];
    for (const key of ['z', ...ordered, 'A', '0/1/2/3'].reverse()) await store.put(key, utf8(key));
    const all = ['0/1/2/3', 'A', ...ordered, 'z'];
    expect(all).toEqual([...all].sort());
    expect(await keys(store, '')).toEqual(all);
    expect(await keys(store, 'a')).toEqual(ordered);
    expect(await keys(store, 'a/b')).toEqual(['a/b-c/x', 'a/b.c', 'a/b/x', 'a/b0']);
    expect(await keys(store, 'a/')).toEqual(['a/b-c/x', 'a/b.c', 'a/b/x', 'a/b0']);
  });

  test('a prefix may end anywhere', async () => {
    const store = await open();
    for (const key of ['ab', 'a/bcd', 'a/bc/d', 'b/a/b', 'a/b']) await store.put(key, utf8('x'));
    expect(await keys(store, 'a/b')).toEqual(['a/b', 'a/bc/d', 'a/bcd']);
    expect(await keys(store, 'a/bc')).toEqual(['a/bc/d', 'a/bcd']);
    expect(await keys(store, 'a/bc/')).toEqual(['a/bc/d']);
    expect(await keys(store, 'a/bc/d')).toEqual(['a/bc/d']);
    expect(await keys(store, 'a/bc/d/')).toEqual([]);
    expect(await keys(store, 'a/bc/de')).toEqual([]);
    expect(await keys(store, 'nothing/here')).toEqual([]);
  });

  test('an empty store lists nothing', async () => {
    expect(await keys(await open(), '')).toEqual([]);
  });

  test('a list may be left early', async () => {
    const store = await open();
    for (const key of ['a/1', 'a/2', 'b/1']) await store.put(key, utf8('x'));
    for await (const key of store.list('')) {
      expect(key).toBe('a/1');
      break;
    }
    expect(await keys(store, 'b')).toEqual(['b/1']);
  });

  test('listing while others write and delete shows all that stays, once, in order', async () => {
    const store = await open();
    const staying = Array.from(
      { length: 60 },
      (_, i) => `k/${i % 6}/stay-${String(i).padStart(3, '0')}`,
    );
    for (const key of staying) await store.put(key, utf8('x'));
    for (let i = 0; i < 12; i++) await store.put(`k/${i % 6}/go-${i}`, utf8('x'));
    const seen: string[] = [];
    let step = 0;
    for await (const key of store.list('k/')) {
      seen.push(key);
      if (step < 12) await store.delete(`k/${(11 - step) % 6}/go-${11 - step}`);
      await store.put(`k/${(step * 7) % 8}/new-${step}`, utf8('x'));
      step++;
    }
    expect(seen.filter((key) => key.includes('/stay-'))).toEqual([...staying].sort());
    expect(seen).toEqual([...new Set(seen)].sort());
  });
}

function raceTests(open: Open): void {
  test('of 20 who put if absent at once, exactly one is told so, and the object is its', async () => {
    const store = await open();
    for (let round = 0; round < 3; round++) {
      const values = Array.from({ length: 20 }, (_, i) => `${i}:${'v'.repeat(1000 + i)}`);
      const key = `race/${round}/1`;
      const answers = await Promise.all(values.map((value) => store.putIfAbsent(key, utf8(value))));
      const winners = values.filter((_, i) => answers[i]);
      expect(winners).toHaveLength(1);
      expect(text(await store.get(key))).toBe(winners[0]);
      expect(await keys(store, `race/${round}/`)).toEqual([key]);
    }
  });

  test('many puts of one key leave one of the values whole, and readers see whole ones only', async () => {
    const store = await open();
    const size = 64 * 1024;
    await store.put('one/key', new Uint8Array(size).fill(0));
    const isWhole = (found: Uint8Array | undefined) =>
      found?.byteLength === size && found.every((byte) => byte === found[0]);
    let reads = 0;
    const writing = { done: false };
    const reader = async () => {
      do {
        expect(isWhole(await store.get('one/key'))).toBe(true);
        reads++;
      } while (!writing.done);
    };
    const readers = [reader(), reader()];
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => store.put('one/key', new Uint8Array(size).fill(i + 1))),
    );
    writing.done = true;
    await Promise.all(readers);
    expect(reads).toBeGreaterThanOrEqual(2);
    const last = await store.get('one/key');
    expect(isWhole(last)).toBe(true);
    expect(last?.[0]).toBeGreaterThan(0);
    expect(await keys(store, '')).toEqual(['one/key']);
  });
}

type Step =
  | { readonly do: 'put' | 'putIfAbsent'; readonly key: string; readonly value: string }
  | { readonly do: 'delete' | 'get' | 'list'; readonly key: string };

function modelTest(open: Open): void {
  test('any sequence of operations does what it does to a map', async () => {
    const store = await open();
    let run = 0;
    const key = fc.constantFrom('a', 'b/a', 'b/c/a', 'b/c/b', 'b-c/a', 'b.c');
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.record({
        do: fc.constantFrom('put' as const, 'putIfAbsent' as const),
        key,
        value: fc.string(),
      }),
      fc.record({ do: fc.constantFrom('delete' as const, 'get' as const), key }),
      fc.record({
        do: fc.constant('list' as const),
        key: fc.constantFrom('', 'b', 'b/', 'b/c', 'x'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const base = `run-${run++}/`;
        const model = new Map<string, string>();
        for (const one of steps) {
          expect(await onStore(store, base, one)).toEqual(onModel(model, base, one));
        }
        expect(await keys(store, base)).toEqual([...model.keys()].sort());
      }),
      { numRuns: 15 },
    );
  });
}

async function onStore(store: ObjectStore, base: string, step: Step): Promise<unknown> {
  const key = base + step.key;
  switch (step.do) {
    case 'put':
      return store.put(key, utf8(step.value));
    case 'putIfAbsent':
      return store.putIfAbsent(key, utf8(step.value));
    case 'delete':
      return store.delete(key);
    case 'get':
      return text(await store.get(key));
    case 'list':
      return keys(store, key);
  }
}

function onModel(model: Map<string, string>, base: string, step: Step): unknown {
  const key = base + step.key;
  switch (step.do) {
    case 'put':
      model.set(key, step.value);
      return undefined;
    case 'putIfAbsent':
      if (model.has(key)) return false;
      model.set(key, step.value);
      return true;
    case 'delete':
      model.delete(key);
      return undefined;
    case 'get':
      return model.get(key);
    case 'list':
      return [...model.keys()].filter((one) => one.startsWith(key)).sort();
  }
}

async function keys(store: ObjectStore, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const key of store.list(prefix)) found.push(key);
  return found;
}

function utf8(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function text(bytes: Uint8Array | undefined): string | undefined {
  return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function plain(bytes: Uint8Array | undefined): number[] | undefined {
  return bytes && [...bytes];
}

/** Bytes without a short period, so that a block that is missing or written twice changes the hash. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}
