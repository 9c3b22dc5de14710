import type { Signer } from '../base/ed25519.ts';
import { sha256Hex } from '../base/hash.ts';
import { recordId, type SignedRecord, seal } from '../record/record.ts';
import { claimBodyOf, endorsementBodyOf, type Found, type Places } from './body.ts';
import type { ClaimDraft } from './draft.ts';
import type { ClaimsOnFile } from './port.ts';

/** What an extractor signs with: a host's key, which speaks for the agents of its operator. */
export interface ExtractorParts extends Places {
  readonly fleetId: string;
  readonly now: string;
  readonly signer: Signer;
  readonly onFile: ClaimsOnFile;
}

/** What an extractor says that its author does not decide: the rest of a draft follows from it. */
export type Extracted = Pick<
  ClaimDraft,
  | 'agent'
  | 'statement'
  | 'claim_type'
  | 'subject'
  | 'segment'
  | 'evidence'
  | 'resolves_at'
  | 'written_at'
>;

/** The claim, or a position on the one that says just this already. The same draft gives the same record. */
export function claimRecord(
  given: Extracted,
  found: readonly Found[],
  { signer, fleetId: space, onFile, ...places }: ExtractorParts,
): SignedRecord {
  const by = { address: signer.address, agent: given.agent, space };
  const [first] = given.evidence;
  const said = JSON.stringify([first?.session_id, first?.message_id, given.statement]);
  const draft: ClaimDraft = {
    version: 1,
    kind: 'claim',
    ...given,
    topics: [],
    supersedes: null,
    nonce: sha256Hex(said).slice(0, 32),
  };
  const body = claimBodyOf(draft, found, by, places);
  const known = onFile.isKnown(recordId('claim', body)) ? undefined : onFile.same(draft);
  if (!known) return seal('claim', body, signer);
  const { statement: basis, written_at } = given;
  const position = { claim_id: known.id, verdict: 'corroborate', basis, written_at } as const;
  return seal('endorsement', endorsementBodyOf(position, found, by), signer);
}
