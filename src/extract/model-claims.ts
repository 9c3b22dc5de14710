import { CredenceError } from '../base/errors.ts';
import { toInstant, toMs } from '../base/time.ts';
import { defined } from '../base/unknown.ts';
import type { RedactionPolicy } from '../capture/redact/policy.ts';
import { isCompound } from '../judge/compound.ts';
import { recordId, type SignedRecord } from '../record/record.ts';
import type { Envelope } from '../runtime/envelope.ts';
import type { Found } from './body.ts';
import { resolveCitation } from './citation.ts';
import { claimRecord, type ExtractorParts } from './claim-record.ts';
import { draftClaim } from './draft.ts';
import type { ModelSession } from './model.ts';
import type { Drafted, ModelDraft } from './reply.ts';
import { segmentOf } from './rule-claims.ts';
import type { Shown } from './shown.ts';

/** A session as a model was shown it. */
export interface Read {
  readonly of: ModelSession;
  readonly events: readonly Envelope[];
  readonly messages: readonly Shown[];
}

/** What a reply came to, and how many of its drafts were dropped, by code. */
export interface Made {
  readonly records: readonly SignedRecord[];
  readonly dropped: Readonly<Record<string, number>>;
}

/** A date further ahead answers nothing. */
const RESOLVES_MS_MAX = 366 * 24 * 3_600_000;

const flat = (text: string) => text.replaceAll(/\s+/gu, ' ').trim();

/**
 * Finds what a draft cites: in this session, in a message that the model was shown, in words that it was shown. Answers with the code of
 * what is wrong.
 */
function foundFor(
  { evidence }: ModelDraft,
  { of, events, messages }: Read,
): readonly Found[] | string {
  const found: Found[] = [];
  for (const { session_id, message_id, quote } of evidence) {
    if (session_id !== of.session) return 'citation.session';
    const shown = messages.filter(({ id }) => id === message_id);
    if (shown.length === 0) return 'citation.message';
    if (!shown.some(({ text }) => flat(text).includes(flat(quote)))) return 'citation.quote';
    const resolved = resolveCitation({ session_id, message_id, quote }, { events, sealed: true });
    if (resolved.kind !== 'found')
      return resolved.kind === 'refused' ? resolved.code : 'citation.message';
    found.push(resolved);
  }
  return found;
}

/** By when a hypothesis is to be answered, where the model named a moment that can be waited for. */
function resolvesAt({ claim_type, resolves_at }: ModelDraft, observed: string): string | undefined {
  if (claim_type !== 'hypothesis' || resolves_at === null) return undefined;
  const ahead = toMs(resolves_at) - toMs(observed);
  return ahead > 0 && ahead <= RESOLVES_MS_MAX ? resolves_at : undefined;
}

function recordOf(
  draft: ModelDraft,
  read: Read,
  policy: RedactionPolicy,
  parts: ExtractorParts,
): SignedRecord | string {
  if (isCompound(draft.statement)) return 'claim.compound';
  const found = foundFor(draft, read);
  if (typeof found === 'string') return found;
  const { agent, repo } = read.of;
  const observed = Math.max(...found.map(({ citation }) => toMs(citation.observed_at)));
  const written_at = toInstant(observed);
  const given = {
    agent,
    statement: draft.statement,
    claim_type: draft.claim_type,
    subject: draft.subject,
    topics: [],
    // What an agent supposes never leaves its scope. Source: the seed on the claim model.
    segment: draft.claim_type === 'hypothesis' ? `agent:${agent}` : segmentOf(repo),
    supersedes: null,
    evidence: draft.evidence,
    nonce: '0'.repeat(32),
    written_at,
    ...defined({ resolves_at: resolvesAt(draft, written_at) }),
  };
  try {
    // A model may say again what was withheld, or make it up.
    const { statement, subject, evidence, ...rest } = draftClaim(given, policy);
    return claimRecord({ ...rest, statement, subject, evidence }, found, parts);
  } catch (error) {
    if (!(error instanceof CredenceError)) throw error;
    return error.code;
  }
}

/** Makes claims of a reply's drafts; each whose evidence is not there, that says two things or has a wrong form is dropped, and counted. */
export function modelClaims(
  { drafts, malformed }: Drafted,
  read: Read,
  policy: RedactionPolicy,
  parts: ExtractorParts,
): Made {
  const records = new Map<string, SignedRecord>();
  const dropped: Record<string, number> = malformed > 0 ? { 'claim.form': malformed } : {};
  const said = new Set<string>();
  for (const draft of drafts) {
    const key = JSON.stringify([draft.claim_type, flat(draft.statement).toLowerCase()]);
    const made = recordOf(draft, read, policy, parts);
    const code = typeof made === 'string' ? made : said.has(key) ? 'claim.repeated' : undefined;
    if (code !== undefined) dropped[code] = (dropped[code] ?? 0) + 1;
    else if (typeof made !== 'string') records.set(recordId(made.context, made.body), made);
    if (code === undefined) said.add(key);
  }
  return { records: [...records.values()], dropped };
}
