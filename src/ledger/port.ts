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

/** A claim, as far as what is said about it depends on it. `principal` is its author, `promotion` its newest attempt. */
export interface KnownClaim {
  readonly space: string;
  readonly principal: string;
  readonly promotion: string;
  readonly attempt: number;
  readonly isRetired: boolean;
}

/** A promotion, as far as verdicts depend on it. */
export interface KnownPromotion {
  readonly proposer: string;
  readonly status: 'pending' | 'accepted' | 'rejected';
}

/** What the rules have to know of the state before a record; the fold implements it. */
export interface LedgerView {
  /** `entry` is the id of its founding record. */
  fleet():
    | { readonly id: string; readonly admission: 'open' | 'closed'; readonly entry?: string }
    | undefined;
  /** The principal that a key speaks for; undefined for one that was never admitted. */
  principal(address: Address): Principal | undefined;
  /** The newest sealed revision of a session, 0 where there is none. */
  revision(session: string): number;
  claim(id: string): KnownClaim | undefined;
  promotion(id: string): KnownPromotion | undefined;
  hasReviewed(promotion: string, principal: string): boolean;
  episode(id: string): { readonly space: string } | undefined;
  /** What is held here of another fleet, by the id of its founding record: a state of its own, in which nobody here speaks. */
  room(origin: string): HeldView;
}

/** What is held of another fleet. */
export interface HeldView extends LedgerView {
  /** True where a record of it is held, by the record's id. */
  isHeld(id: string): boolean;
}

/** The same for a committer: all answers are also about the records of the batch that `advance` was told of. */
export interface AdmissionView extends LedgerView {
  /** True where an entry holds the record, or a rejection names it (a record id, or `<item>#<line>`). */
  isDecided(ref: string): boolean;
  /** Takes an accepted record into account for those after it. */
  advance(record: OpenedRecord): void;
}
