import type { Instant } from '../base/time.ts';
import type { CapturedMessages } from './citation.ts';
import type { ProposalDraft } from './draft.ts';

/** A draft that was refused for good, and why. */
export interface RefusedDraft {
  readonly name: string;
  readonly draft: ProposalDraft;
  readonly code: string;
  readonly message: string;
  readonly at: Instant;
}

/** Drafts that wait on this machine until they are signed and the store has them. */
export interface Proposals {
  /** Durable once it returns. */
  add(name: string, draft: ProposalDraft): void;
  /** In the order of their names. */
  list(): readonly { readonly name: string; readonly draft: ProposalDraft }[];
  remove(name: string): void;
  /** Moves a draft to those that were refused, where its author and people can see it. */
  refuse(refused: RefusedDraft): void;
  /** The newest that were refused, the newest first. */
  refused(): readonly RefusedDraft[];
  /** The names of files that hold no draft: they stay until a person looks. */
  unreadable(): readonly string[];
}

/** What is captured of a session on this machine or in the store; undefined where nothing of it is known. */
export type MessagesOf = (session: string) => Promise<CapturedMessages | undefined>;

/** A claim that stands, as far as a proposer has to know it. */
export interface ClaimOnFile {
  readonly id: string;
}

/** The claims that stand. */
export interface ClaimsOnFile {
  /** The first that says just this, and was not taken back, refused or superseded. */
  same(claim: {
    readonly claim_type: string;
    readonly subject: readonly string[];
    readonly statement: string;
  }): ClaimOnFile | undefined;
  /** The claim or the record of this id, if the ledger has decided about it. */
  isKnown(id: string): boolean;
}
