import type { ExtractionBody } from '../record/extraction.ts';
import { type SignedRecord, SPEC, seal } from '../record/record.ts';
import type { Found } from './body.ts';
import { resolveCitation } from './citation.ts';
import { claimRecord, type Extracted, type ExtractorParts } from './claim-record.ts';
import { type Outcome, outcomesIn, RULES } from './rules.ts';
import type { SealedEvents } from './sealed-events.ts';

/** A sealed session whose outcomes nobody has told yet. */
export interface Unextracted {
  readonly session: string;
  readonly agent: string;
  readonly repo: string | undefined;
}

/** What extracting works with. `signer` is a host's that may extract, and speaks for the agents of its operator. */
export interface RuleParts extends ExtractorParts {
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

/** Where what was found out in a repo is said. */
export const segmentOf = (repo: string | undefined) => (repo === undefined ? null : `repo:${repo}`);

function recordOf(
  { session, agent, repo }: Unextracted,
  { statement, subject, message, observedAt }: Outcome,
  found: Found,
  parts: RuleParts,
): SignedRecord {
  const draft: Extracted = {
    agent,
    written_at: observedAt,
    statement,
    claim_type: 'outcome',
    subject: [...subject],
    segment: segmentOf(repo),
    evidence: [{ session_id: session, message_id: message }],
  };
  return claimRecord(draft, [found], parts);
}
