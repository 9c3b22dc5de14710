import { canonical } from '../base/canonical.ts';
import type { ClaimBody, EndorsementBody } from '../record/claim.ts';
import { type Citation, episodeIdOf } from '../record/evidence.ts';
import type { Folding } from './folding.ts';
import { claimRow, endorsementRow, promoted } from './knowledge.ts';
import type { CitationRow } from './knowledge-rows.ts';
import type { Change } from './state.ts';

/** A claim with its evidence, and its first promotion. */
export function foldOwnClaim(folding: Folding, body: ClaimBody): Change[] {
  const { claim_type, observed_by, evidence } = body;
  const claim = claimRow(folding, body, {
    claim_type,
    observed_by,
    subject: JSON.stringify(body.subject),
    fact: body.fact ? canonical(body.fact) : null,
    resolves_at: body.resolves_at ?? null,
  });
  const cited = { claim: claim.key, verdict: 'corroborate', observed_by };
  return [...promoted(folding, claim, 1), ...citations(folding, cited, evidence)];
}

/** A position with its evidence. */
export function foldOwnEndorsement(folding: Folding, body: EndorsementBody): Change[] {
  const { claim_id: claim, verdict, observed_by, evidence } = body;
  const row = endorsementRow(folding, body, observed_by);
  const cited = { claim, verdict, observed_by };
  return [{ table: 'endorsements', row }, ...citations(folding, cited, evidence)];
}

function citations(
  { record, at }: Folding,
  cited: Pick<CitationRow, 'claim' | 'verdict' | 'observed_by'>,
  evidence: readonly Citation[],
): Change[] {
  return evidence.map((citation): Change => {
    const episode = episodeIdOf(citation);
    const { session_id, message_id, range, excerpt_hash, observed_at } = citation;
    const row: CitationRow = {
      key: `${record.id}\n${episode}`,
      at,
      ...cited,
      record: record.id,
      episode,
      session: session_id,
      message: message_id,
      range: range ? `${range.start}-${range.end}` : null,
      excerpt_hash,
      observed_at,
    };
    return { table: 'citations', row };
  });
}
