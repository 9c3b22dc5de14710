import type { Signer } from '../base/ed25519.ts';
import type { SourceWeight } from '../fold/standing.ts';
import type { ObjectStore } from '../lake/objects.ts';
import type { Retriever } from '../query/retriever.ts';

/** Where the keys come from: a signer by name, the same for the same name. Asked for `host`, `person` and `agent-<agent>`. */
export interface Keys {
  signer(name: string): Signer;
}

/**
 * How a fleet is opened. Nothing is needed: then it is this machine's, which is set up where it was not. With a `store`
 * no home is needed, and none is looked at.
 */
export interface FleetOptions {
  /** Under which name to speak, `library` unless told: each has a key of its own, made when it is first used. */
  readonly agent?: string;
  readonly retriever?: Retriever;
  /** How much each identity counts, by its principal; 1 where this is not given. */
  readonly sourceWeight?: SourceWeight;
  /** Without a `store`: which home, as the environment of a command says it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the fleet lives: `file:///a/folder`, `memory:` for a new one that nobody else sees, or a store of your own. */
  readonly store?: string | ObjectStore;
  /**
   * With a `store`: a folder of this program's own, in which the state stays, so that the next process follows from there; in
   * memory without it. It stays with the fleet that it followed first.
   */
  readonly cache?: string;
  /** With a `store`: a folder with keys, made there where they are not, or an object that has them. Without it they are new, and gone with this one. */
  readonly keys?: string | Keys;
  /** With a folder of `keys`: the passphrase that seals them. Keys that are made now are sealed, too. */
  readonly passphrase?: string;
  /** With a `store` that has no fleet: what to found, `local` and `open` unless told. One that has a fleet has to be of that id. */
  readonly fleetId?: string;
  readonly admission?: 'open' | 'closed';
}
