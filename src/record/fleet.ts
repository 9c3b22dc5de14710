import * as z from 'zod';
import { isAddress } from '../base/ed25519.ts';
import { bodyBase, InstantField, SignedName, SignedText } from './record.ts';
import { Base64Of32 } from './sealed-secret.ts';

const Address = z.string().refine(isAddress, 'an amp:key address');

/** What an admitted key may do. */
export const Role = z.enum(['capture', 'propose', 'commit', 'gate', 'extract', 'review', 'admin']);
export type Role = z.infer<typeof Role>;

/** Entry 1 of every ledger: who founded the fleet, and whether it admits hosts on first sight. */
export const FleetBody = z.strictObject({
  ...bodyBase,
  fleet_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  admission: z.enum(['open', 'closed']),
  nonce: z.string(),
});
export type FleetBody = z.infer<typeof FleetBody>;

/** Binds an address to a principal and its roles. `operator` is the address of the person who answers for it. */
export const AdmissionBody = z.strictObject({
  ...bodyBase,
  address: Address,
  principal: z.string().min(1).max(128),
  kind: z.enum(['person', 'host', 'agent']),
  operator: Address,
  roles: z.array(Role).max(32),
  /** To which the fleet's secret is sealed for it: an X25519 public key. */
  seal_key: Base64Of32.optional(),
});
export type AdmissionBody = z.infer<typeof AdmissionBody>;

/** Ends what a key may say: what is sequenced after it by that key is refused, whatever its date. */
export const RevocationBody = z.strictObject({
  ...bodyBase,
  address: Address,
  reason: SignedText.optional(),
});
export type RevocationBody = z.infer<typeof RevocationBody>;

/** What an open fleet lets a person grant to a host of theirs, on first sight. */
export const OPEN_HOST_ROLES: readonly Role[] = ['capture', 'commit', 'extract', 'gate'];
/** What an open fleet lets an admitted host grant to the agents of its operator. */
export const OPEN_AGENT_ROLES: readonly Role[] = ['propose'];

/** Re-homes sessions whose folder is gone: a path glob, the remote that it stands for, and the host that it holds on (all, if absent). */
export const RepoMapBody = z.strictObject({
  ...bodyBase,
  pattern: z.string().min(1).max(1024),
  remote: z.string().min(1).max(512),
  host: SignedName.optional(),
});
export type RepoMapBody = z.infer<typeof RepoMapBody>;

/** Says why a record or a line of an inbox item was refused. Nothing vanishes silently. */
export const RejectionBody = z.strictObject({
  ...bodyBase,
  item: z.string(),
  record: z.string().optional(),
  line: z.int().positive().optional(),
  code: z.string(),
});
export type RejectionBody = z.infer<typeof RejectionBody>;

/** The signed head of a commit: the Merkle root (RFC 6962) over all entries up to `size`. */
export const CheckpointBody = z.strictObject({
  ...bodyBase,
  fleet_id: z.string(),
  n: z.int().positive(),
  first_seq: z.int().positive(),
  size: z.int().positive(),
  root: z.string().regex(/^[0-9a-f]{64}$/),
  /** One instant a commit; never decreases along the ledger, may repeat. */
  recorded_at: InstantField,
});
export type CheckpointBody = z.infer<typeof CheckpointBody>;
