import type { Signer } from './ed25519.ts';

/** The keys of one home. Each is made when it is first asked for. */
export interface Keyring {
  /** Throws `key.mode` where others can read the file, `key.malformed` where it holds no key. */
  signer(name: string): Signer;
  /** 32 bytes, by which withheld values are hashed. Never leaves this machine. */
  hostSecret(): Uint8Array;
}
