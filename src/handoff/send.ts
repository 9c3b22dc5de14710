import type { Signer } from '../base/ed25519.ts';
import { noteTrouble, type Trouble } from '../base/trouble.ts';
import { type SignedRecord, seal } from '../record/record.ts';
import { datedBy, handoffBody } from './handoff.ts';
import type { Outbox } from './port.ts';

/**
 * Signs each waiting note with its agent's key and sends it; it leaves the outbox only once the store has it. One that
 * can't be signed waits on, and stops no other.
 */
export async function sendHandoffs(
  outbox: Outbox,
  by: {
    readonly hostId: string;
    readonly signerOfAgent: (agent: string) => Signer;
    readonly now: number;
  },
  send: (record: SignedRecord) => Promise<void>,
  troubles: Trouble[],
): Promise<number> {
  let sent = 0;
  for (const { name, draft: written } of outbox.list()) {
    try {
      const draft = datedBy(written, by.now);
      // Kept first, so that a note that is sent again gives the same record.
      if (draft !== written) outbox.add(name, draft);
      const signer = by.signerOfAgent(draft.agent);
      const body = handoffBody(draft, { address: signer.address, host: by.hostId });
      await send(seal('handoff', body, signer));
      outbox.remove(name);
      sent += 1;
    } catch (error) {
      noteTrouble(troubles, `outbox/${name}.json`, error);
    }
  }
  return sent;
}
