import type { Signer } from '../base/ed25519.ts';
import { type SignedRecord, seal } from '../record/record.ts';
import { handoffBody } from './handoff.ts';
import type { Outbox } from './port.ts';

/** Signs each waiting note with its agent's key and sends it; it leaves the outbox only once the store has it. */
export async function sendHandoffs(
  outbox: Outbox,
  by: { readonly hostId: string; readonly signerOfAgent: (agent: string) => Signer },
  send: (record: SignedRecord) => Promise<void>,
): Promise<number> {
  const notes = outbox.list();
  for (const { name, draft } of notes) {
    const signer = by.signerOfAgent(draft.agent);
    await send(
      seal('handoff', handoffBody(draft, { address: signer.address, host: by.hostId }), signer),
    );
    outbox.remove(name);
  }
  return notes.length;
}
