import { dayOf, toMs } from '../base/time.ts';
import { ulid } from '../base/ulid.ts';
import type { Unnamed } from '../capture/spool.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { withheldKey } from './layout.ts';
import type { ObjectStore } from './objects.ts';

/**
 * Puts what redaction held back from a part's events: rules, lengths and keyed hashes, never a value. Named by the
 * part, so that sending the part again puts the same object.
 */
export async function putWithheld(
  store: ObjectStore,
  first: Envelope,
  partHash: string,
  lines: readonly Unnamed[],
): Promise<void> {
  const items = lines.flatMap(({ withheld, envelope, native }) =>
    (withheld ?? []).map((value) => ({
      event: native.key,
      emitted_at: envelope.emitted_at,
      ...value,
    })),
  );
  if (items.length === 0) return;
  const { agent_id, emitted_at, session_id, host_id } = first;
  const name = ulid(toMs(emitted_at), Buffer.from(partHash.slice(0, 20), 'hex'));
  const value = { version: 1, session: session_id, host: host_id, part: partHash, items };
  await store.put(
    withheldKey(agent_id, dayOf(emitted_at), name),
    Buffer.from(`${JSON.stringify(value)}\n`),
  );
}
