import type { Signer } from './ed25519.ts';
import { assert } from './errors.ts';

/** The keys of one home. Each is made when it is first asked for. */
export interface Keyring {
  /**
   * The address of a sealed key is known at once; its `key` opens when it is first used, and throws `key.sealed` where there is
   * no passphrase, `key.passphrase` where there is a wrong one. Throws `key.mode` where others can read the file,
   * `key.malformed` where it holds no key.
   */
  signer(name: string): Signer;
  /** The same; undefined where there is none, and none is made. */
  peek(name: string): Signer | undefined;
  /** The key that is to take the place of another, kept beside it; made when it is first asked for. */
  next(name: string): Signer;
  /** Lets the key beside it take the place of a key, which is gone then. Nothing changes where there is none. */
  turn(name: string): void;
  /** Takes the key beside a key away. */
  dropNext(name: string): void;
  /** 32 bytes, by which withheld values are hashed. Never leaves this machine. */
  hostSecret(): Uint8Array;
  /** 32 bytes, the private part of the key to which the fleet's secret is sealed for this host. */
  sealKey(): Uint8Array;
  /** The secret of a fleet, by the id of the record that founded it; undefined where this home has it not. */
  fleetSecret(fleet: string): Uint8Array | undefined;
  /** Keeps a fleet's secret, or draws one; what stands already stays. */
  keepFleetSecret(fleet: string, secret?: Uint8Array): void;
}

/** The passphrase of a home's keys, and the name of the variable that holds it, as far as there is one. */
export interface Passphrase {
  readonly variable?: string | undefined;
  readonly value?: string | undefined;
}

/** The same signer, once its key is open: what can't be signed is better said before the work. Throws as `signer(…).key` does. */
export function unsealed(signer: Signer): Signer {
  assert(signer.key.type === 'private', 'a signer signs');
  return signer;
}
