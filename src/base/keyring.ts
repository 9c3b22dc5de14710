import type { Signer } from './ed25519.ts';

/** The keys of one home. Each is made when it is first asked for. */
export interface Keyring {
  /** Throws `key.mode` where others can read the file, `key.malformed` where it holds no key. */
  signer(name: string): Signer;
  /** 32 bytes, by which withheld values are hashed. Never leaves this machine. */
  hostSecret(): Uint8Array;
  /** 32 bytes, the private part of the key to which the fleet's secret is sealed for this host. */
  sealKey(): Uint8Array;
  /** The secret of a fleet, by the id of the record that founded it; undefined where this home has it not. */
  fleetSecret(fleet: string): Uint8Array | undefined;
  /** Keeps a fleet's secret, or draws one; what stands already stays. */
  keepFleetSecret(fleet: string, secret?: Uint8Array): void;
}
