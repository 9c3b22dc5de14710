import type { Signer } from './ed25519.ts';

/** The keys of one home. Each is made when it is first asked for. */
export interface Keyring {
  /** Throws `key.mode` where others can read the file, `key.malformed` where it holds no key. */
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
}
