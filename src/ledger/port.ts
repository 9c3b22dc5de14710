import type { Address } from '../base/ed25519.ts';
import type { Role } from '../record/fleet.ts';
import type { OpenedRecord } from '../record/record.ts';

/** A key that the ledger has admitted. */
export interface Principal {
  readonly address: Address;
  readonly principal: string;
  readonly kind: 'person' | 'host' | 'agent';
  readonly operator: Address;
  readonly roles: readonly Role[];
}

/**
 * What admission has to know of the state before a position; the fold implements it. All answers are about
 * the entries before, and about those of the batch that `advance` was told of.
 */
export interface AdmissionView {
  fleet(): { readonly id: string; readonly admission: 'open' | 'closed' } | undefined;
  principal(address: Address): Principal | undefined;
  /** True where an entry holds the record, or a rejection names it (a record id, or `<item>#<line>`). */
  isDecided(ref: string): boolean;
  /** The newest sealed revision of a session, 0 where there is none. */
  revision(session: string): number;
  /** Takes an accepted record into account for those after it. */
  advance(record: OpenedRecord): void;
}
