import { describe, expect, test } from 'vitest';
import { CredenceError } from '../../src/base/errors.ts';
import { openMemoryStore } from './memory-store.ts';

describe('memory store', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  test('an immutable object takes the same bytes again, and no others', async () => {
    const store = openMemoryStore({ immutable: (key) => key.startsWith('ledger/') });
    await store.put('ledger/0/1', bytes('a'));
    await store.put('ledger/0/1', bytes('a'));
    const error = await store.put('ledger/0/1', bytes('b')).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(CredenceError);
    expect(String(error)).toContain('ledger/0/1');
    expect(await store.get('ledger/0/1')).toEqual(bytes('a'));
    await store.put('live/x', bytes('a'));
    await store.put('live/x', bytes('b'));
    expect(await store.get('live/x')).toEqual(bytes('b'));
  });

  test('two stores share nothing', async () => {
    const one = openMemoryStore();
    await one.put('a', bytes('a'));
    expect(await openMemoryStore().get('a')).toBeUndefined();
  });
});
