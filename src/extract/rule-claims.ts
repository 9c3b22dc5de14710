import type { Signer } from '../base/ed25519.ts';
import { sha256Hex } from '../base/hash.ts';
import type { ExtractionBody } from '../record/extraction.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { claimBodyOf, endorsementBodyOf, type Found, type Places } from './body.ts';
import { resolveCitation } from './citation.ts';
import type { ClaimDraft } from './draft.ts';
import type { ClaimsOnFile } from './port.ts';
import { type Outcome, outcomesIn, RULES } from './rules.ts';
import type { SealedEvents } from './sealed-events.ts';

/** A sealed session whose outcomes nobody has told yet. */
export interface Unextracted {
  readonly session: string;
  readonly agent: string;
  readonly repo: string | undefined;
}

/** What extracting works with. `signer` is a host's that may extract, and speaks for the agents of its operator. */
export interface RuleParts extends Places {
  readonly fleetId: string;
  readonly now: string;
  readonly signer: Signer;
  readonly onFile: ClaimsOnFile;
  readonly sealedEvents: (session: string) => Promise<SealedEvents | undefined>;
}

/** Claims of what a session's test runs came to, each with the call that shows it; and, last, that the session is extracted. */
export async function ruleClaims(of: Unextracted, parts: RuleParts): Promise<SignedRecord[]> {
  const sealed = await parts.sealedEvents(of.session);
  if (!sealed) return [];
  const records = outcomesIn(sealed.events).flatMap((outcome) => {
    const cited = { session_id: of.session, message_id: outcome.message };
    const found = resolveCitation(cited, { events: sealed.events, sealed: true });
    return found.kind === 'found' ? [recordOf(of, outcome, found, parts)] : [];
  });
  const body: ExtractionBody = {
    spec: SPEC,
    author: parts.signer.address,
    issued_at: parts.now,
    session: of.session,
    revision: sealed.revision,
    extractor: RULES,
    state: 'done',
    drafts: records.length,
  };
  return [...records, seal('extraction', body, parts.signer)];
}

/** The claim, or a position on the one that says just this already. The same outcome gives the same record. */
function recordOf(
  { session, agent, repo }: Unextracted,
  { statement, subject, message, observedAt }: Outcome,
  found: Found,
  parts: RuleParts,
): SignedRecord {
  const { signer, fleetId: space, onFile } = parts;
  const by = { address: signer.address, agent, space };
  const draft: ClaimDraft = {
    version: 1,
    kind: 'claim',
    agent,
    written_at: observedAt,
    statement,
    claim_type: 'outcome',
    subject: [...subject],
    topics: [],
    segment: repo === undefined ? null : `repo:${repo}`,
    supersedes: null,
    evidence: [{ session_id: session, message_id: message }],
    nonce: sha256Hex(JSON.stringify([session, message, statement])).slice(0, 32),
  };
  const body = claimBodyOf(draft, [found], by, parts);
  const known = onFile.isKnown(recordId('claim', body)) ? undefined : onFile.same(draft);
  if (!known) return seal('claim', body, signer);
  const position = { claim_id: known.id, verdict: 'corroborate', basis: statement } as const;
  return seal(
    'endorsement',
    endorsementBodyOf({ ...position, written_at: observedAt }, [found], by),
    signer,
  );
}
