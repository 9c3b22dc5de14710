import { canonical } from '../base/canonical.ts';
import { sha256Hex } from '../base/hash.ts';
import { inboxKey, parseInboxKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import type { SignedRecord } from '../record/record.ts';

/** One immutable object of the inbox, as listed. Present means pending: there is no watermark. */
export interface InboxItem {
  readonly key: string;
  readonly host: string;
  readonly counter: number;
  readonly hash: string;
}

/** Puts records into the inbox as one item. Idempotent: the same records under the same counter are the same object. */
export async function deposit(
  store: ObjectStore,
  host: string,
  counter: number,
  records: readonly SignedRecord[],
): Promise<string> {
  const text = records.map((record) => `${canonical(record)}\n`).join('');
  const key = inboxKey(host, counter, sha256Hex(text));
  await store.put(key, Buffer.from(text));
  return key;
}

/** The pending items, ordered by (host, counter, hash). Keys that are no inbox keys are passed over. */
export async function pending(store: ObjectStore): Promise<InboxItem[]> {
  const items: InboxItem[] = [];
  for await (const key of store.list('inbox/')) {
    const parsed = parseInboxKey(key);
    if (parsed) items.push({ key, ...parsed });
  }
  return items.sort(
    (a, b) => order(a.host, b.host) || a.counter - b.counter || order(a.hash, b.hash),
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
