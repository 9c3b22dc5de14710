import * as z from 'zod';
import { bodyBase } from './record.ts';

/** 32 raw bytes in canonical base64. */
export const Base64Of32 = z.string().regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/);

/**
 * The fleet's secret, sealed to one host by another that has it. Lies beside the ledger, not in it. `fleet` is the record
 * that founded the fleet, `to` the address of the host, `sealed` 32 bytes and the 16 of their tag.
 */
export const SealedSecretBody = z.strictObject({
  ...bodyBase,
  fleet: z.string().regex(/^[0-9a-f]{64}$/),
  to: z.string().regex(/^amp:key:[1-9A-HJ-NP-Za-km-z]{32,44}$/),
  ephemeral: Base64Of32,
  sealed: z.string().regex(/^[A-Za-z0-9+/]{64}$/),
});
export type SealedSecretBody = z.infer<typeof SealedSecretBody>;
