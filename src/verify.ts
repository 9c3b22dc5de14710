import { type CheckedBundle, checkBundle } from './ledger/bundle.ts';
import {
  checkEntryProof,
  checkGrowthProof,
  type ProvenEntry,
  type ProvenStub,
  type SeenHead,
} from './ledger/entry-proof.ts';
import { type OpenedRecord, open } from './record/record.ts';

/*
 * Published as `credence/verify`: checks what somebody else gives, offline, from its own bytes. Nothing that it loads is
 * native, reads a file, or reaches a network.
 */

/** A record that is well-formed and signed by its author. Throws `record.*`, `canonical.*`. */
export function verifyRecord(received: unknown): OpenedRecord {
  return open(received);
}

/**
 * What a proof proves: that an entry stands in the ledger whose head `committer` signed. Whether that key may commit is
 * for whoever knows the fleet to say. Of an entry that was erased it proves that something stood there. Throws
 * `proof.*`, `record.*`.
 */
export function verifyProof(received: unknown): ProvenEntry | ProvenStub {
  return checkEntryProof(received);
}

/** That the ledger of one signed head goes on from another: nothing before it was changed. Throws `proof.*`, `record.*`. */
export function verifyGrowth(received: unknown): {
  readonly from: SeenHead;
  readonly to: SeenHead;
} {
  return checkGrowthProof(received);
}

/**
 * What a bundle proves: that each of its records stands in the ledger of its fleet, up to a head that a member signed who might
 * commit, and for whom each author spoke there. Throws `bundle.*`, each failure by a code of its own.
 */
export function verifyBundle(bytes: Uint8Array): CheckedBundle {
  return checkBundle(bytes);
}
