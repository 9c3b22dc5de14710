import type { Address } from '../base/ed25519.ts';
import type { Role } from '../record/fleet.ts';
import type { OpenedRecord } from '../record/record.ts';
import type { Totals } from '../record/score.ts';

/** A key that the ledger has admitted. */
export interface Principal {
  readonly address: Address;
  readonly principal: string;
  readonly kind: 'person' | 'host' | 'agent';
  readonly operator: Address;
  /** What it may do now: nothing where it is revoked. */
  readonly roles: readonly Role[];
  /** The position of its first admission. */
  readonly admitted: number;
  /** The position of the revocation that stands against it. */
  readonly revoked?: number | undefined;
}

/** A claim, as far as what is said about it depends on it. `principal` is its author, `promotion` its newest attempt. */
export interface KnownClaim {
  readonly space: string;
  readonly principal: string;
  readonly promotion: string;
  readonly attempt: number;
  readonly isRetired: boolean;
  /** Null for a claim of agent-knowledge, which has no type. */
  readonly claim_type: string | null;
  readonly observed_by: string;
  /** The position at which something became of it last. */
  readonly changed: number;
}

/** A promotion, as far as verdicts depend on it. */
export interface KnownPromotion {
  readonly proposer: string;
  readonly status: 'pending' | 'accepted' | 'rejected';
}

/** What a position holds that can be erased. `about` is the claim that it is, or speaks of; of no position yet, it has no commitment. */
export interface KnownContent {
  readonly context: string;
  readonly commitment: string | undefined;
  readonly principal: string;
  readonly operator: Address;
  readonly about: string | undefined;
}

/** What the rules have to know of the state before a record; the fold implements it. */
export interface LedgerView {
  /** `entry` is the id of its founding record. */
  fleet():
    | { readonly id: string; readonly admission: 'open' | 'closed'; readonly entry?: string }
    | undefined;
  /** The principal that a key speaks for; undefined for one that was never admitted. */
  principal(address: Address): Principal | undefined;
  /** Every key that was ever admitted under a name, revoked ones too: a name stays its holder's. */
  keysOf(principal: string): readonly Principal[];
  /** The last decision on a claim: where it stands, and from which position it was decided. */
  decided(claim: string): { readonly at: number; readonly basis: number } | undefined;
  /** What became of a record: null where it was accepted, a code where it was refused; undefined for one that never came. */
  outcomeOf(record: string): string | null | undefined;
  /** Every key that holds the role admin now. */
  admins(): readonly Principal[];
  /** The agent of a session, as its newest sealed revision says; undefined where none is sealed. */
  agentOf(session: string): string | undefined;
  /** The newest sealed revision of a session, 0 where there is none. */
  revision(session: string): number;
  /** The host that the newest sealed revision of a session is of. */
  hostOf(session: string): string | undefined;
  claim(id: string): KnownClaim | undefined;
  promotion(id: string): KnownPromotion | undefined;
  hasReviewed(promotion: string, principal: string): boolean;
  episode(id: string): { readonly space: string } | undefined;
  /** The claim that a position is on, by the id of the position's record. */
  positionOn(id: string): string | undefined;
  /** True where the ledger holds a finding, by its record id. */
  isFound(id: string): boolean;
  /** An agent's track record so far. */
  totals(agent: string): Totals;
  /** True where a hypothesis was scored. */
  isScored(claim: string): boolean;
  /** How far an extractor has come with a revision of a session. */
  extraction(session: string, revision: number, extractor: string): string | undefined;
  content(seq: number): KnownContent | undefined;
  /** The positions that hold a claim, or speak of it. */
  about(claim: string): readonly number[];
  /** What an erased position left, and the erasure that named it, where one has. */
  stub(
    seq: number,
  ): { readonly commitment: string; readonly erasure: string | undefined } | undefined;
  /**
   * True where a stub stands before that no erasure has named yet: what a record refers to may have stood there, and it
   * held when it was admitted. Never for a committer, who has seen all that a record may refer to.
   */
  mayBeErased(): boolean;
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
  /** True where its content was erased from this ledger: only who has the fleet's secret can tell. */
  isErased?(record: OpenedRecord): boolean;
  /** Takes an accepted record into account for those after it. */
  advance(record: OpenedRecord): void;
}
