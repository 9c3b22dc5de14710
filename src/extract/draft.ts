import * as z from 'zod';
import { CredenceError } from '../base/errors.ts';
import { LIMIT } from '../base/limits.ts';
import { cleanText } from '../base/text.ts';
import { isInstant } from '../base/time.ts';
import { defined } from '../base/unknown.ts';
import { stripFences } from '../capture/fence.ts';
import type { RedactionPolicy } from '../capture/redact/policy.ts';
import { redactText } from '../capture/redact.ts';
import { ClaimBody, ClaimType, EndorsementBody, subjectOf } from '../record/claim.ts';
import { ArtifactRef, ClaimId, topicsOf } from '../record/knowledge.ts';
import { CitationDraft } from './citation.ts';

const base = {
  version: z.literal(1),
  agent: z.string().min(1),
  written_at: z.string().refine(isInstant),
} as const;

/** A claim as it waits on disk until its citations are found and it is signed: redacted already. */
export const ClaimDraft = z.strictObject({
  ...base,
  kind: z.literal('claim'),
  statement: ClaimBody.shape.statement,
  claim_type: ClaimType,
  subject: ClaimBody.shape.subject,
  topics: ClaimBody.shape.topics,
  /** Absent: the files of the messages that are cited. */
  refs: z.array(ArtifactRef).optional(),
  segment: z.string().min(1).nullable(),
  supersedes: ClaimId.nullable(),
  resolves_at: ClaimBody.shape.resolves_at,
  evidence: z.array(CitationDraft).min(1).max(64),
  nonce: ClaimBody.shape.nonce,
});
export type ClaimDraft = z.infer<typeof ClaimDraft>;

/** A position on a claim, as it waits. */
export const EndorsementDraft = z.strictObject({
  ...base,
  kind: z.literal('endorsement'),
  claim_id: ClaimId,
  verdict: EndorsementBody.shape.verdict,
  basis: EndorsementBody.shape.basis,
  evidence: z.array(CitationDraft).max(64),
});
export type EndorsementDraft = z.infer<typeof EndorsementDraft>;

/** What agents propose, as it waits. */
export const ProposalDraft = z.discriminatedUnion('kind', [ClaimDraft, EndorsementDraft]);
export type ProposalDraft = z.infer<typeof ProposalDraft>;

function redacted(text: string, policy: RedactionPolicy): string {
  return redactText(cleanText(text), 'prose', policy).text;
}

function words(what: string, text: string, policy: RedactionPolicy): string {
  const clean = redacted(stripFences(cleanText(text)).trim(), policy);
  const bytes = Buffer.byteLength(clean);
  if (clean !== '' && bytes <= LIMIT.record_text_bytes_max) return clean.normalize('NFC');
  const why =
    clean === ''
      ? 'says nothing of its own'
      : `has ${bytes} bytes, ${LIMIT.record_text_bytes_max} is the most`;
  throw new CredenceError('usage', 'claim.text', `the ${what} ${why}`, {
    next: 'say one thing, in one sentence',
  });
}

/** No evidence, no claim. Throws `claim.evidence`. */
function assertEvidence(evidence: readonly CitationDraft[]): void {
  if (evidence.length > 0) return;
  throw new CredenceError('usage', 'claim.evidence', 'a claim needs evidence', {
    next: 'cite a message of a captured session, by --message, or by words of it: --quote "…"',
  });
}

function parsed<T>(schema: z.ZodType<T>, draft: unknown): T {
  const { data, error } = schema.safeParse(draft);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  throw new CredenceError(
    'usage',
    'claim.form',
    `${issue?.path.join('.') || 'the draft'}: ${issue?.message}`,
    { next: '--help shows how' },
  );
}

/** Checks and redacts what an agent claims. Throws `claim.text`, `claim.evidence`, `claim.form`. */
export function draftClaim(
  given: Omit<ClaimDraft, 'version' | 'kind'>,
  policy: RedactionPolicy,
): ClaimDraft {
  assertEvidence(given.evidence);
  const refs = given.refs?.map(({ uri, kind }) => ({ uri: redacted(uri, policy), kind }));
  return parsed(ClaimDraft, {
    ...given,
    ...defined({ refs, resolves_at: given.resolves_at }),
    version: 1,
    kind: 'claim',
    statement: words('statement', given.statement, policy),
    subject: subjectOf(given.subject.map((name) => redacted(name, policy))),
    topics: topicsOf(given.topics.map((topic) => redacted(topic, policy))),
  });
}

/** Checks and redacts a position. Throws `claim.text`, `claim.form`. */
export function draftEndorsement(
  given: Omit<EndorsementDraft, 'version' | 'kind'>,
  policy: RedactionPolicy,
): EndorsementDraft {
  const basis = words('basis', given.basis, policy);
  return parsed(EndorsementDraft, { ...given, version: 1, kind: 'endorsement', basis });
}
