import * as z from 'zod';
import { LIMIT } from '../base/limits.ts';
import { toInstant, toMs } from '../base/time.ts';
import { jsonIn } from '../base/unknown.ts';
import { leaseKey, PREFIX, parseLeaseKey } from '../lake/layout.ts';
import { getOrNote, type ObjectStore } from '../lake/objects.ts';

/** A pass that died is followed by the next after this; beside one that takes longer, another may begin. */
export const LEASE_MS = 10 * 60_000;

/** A host's name and an instant take far less. */
const LEASE_BYTES_MAX = 64 * 1024;

const Lease = z.strictObject({ host: z.string(), until: z.string() });

/**
 * Takes the maintenance lease by putting the next numbered object where none is: of two at once one gets it.
 * False where another host holds it. The lease only saves work: two passes at the same moment are safe.
 */
export async function takeLease(store: ObjectStore, host: string, now: number): Promise<boolean> {
  let newest = 0;
  for await (const key of store.list(PREFIX.leases))
    newest = Math.max(newest, parseLeaseKey(key) ?? 0);
  const held = newest === 0 ? undefined : await readLease(store, newest);
  if (held && held.host !== host && isBelieved(toMs(held.until), now)) return false;
  const bytes = Buffer.from(JSON.stringify({ host, until: toInstant(now + LEASE_MS) }));
  const taken = await store.putIfAbsent(leaseKey(newest + 1), bytes);
  // Old epochs say nothing any more; the newest always stays.
  if (taken && newest > 0) await store.delete(leaseKey(newest));
  return taken;
}

/** A lease that runs on for longer than one lasts is by a clock that is ahead, by more than clocks may be. */
function isBelieved(until: number, now: number): boolean {
  return until > now && until <= now + LEASE_MS + LIMIT.future_ms_max;
}

/** Gives the lease back, so that another host need not wait until it runs out. */
export async function releaseLease(store: ObjectStore, host: string, now: number): Promise<void> {
  for await (const key of store.list(PREFIX.leases)) {
    const epoch = parseLeaseKey(key);
    const held = epoch === undefined ? undefined : await readLease(store, epoch);
    if (epoch === undefined || held?.host !== host) continue;
    await store.put(leaseKey(epoch), Buffer.from(JSON.stringify({ host, until: toInstant(now) })));
  }
}

async function readLease(
  store: ObjectStore,
  epoch: number,
): Promise<z.infer<typeof Lease> | undefined> {
  // One that can't be read holds nothing.
  const bytes = await getOrNote(store, leaseKey(epoch), LEASE_BYTES_MAX, () => {});
  return bytes === undefined ? undefined : Lease.safeParse(jsonIn(bytes)).data;
}
