import { toInstant } from '../../src/base/time.ts';
import type { Household } from '../../src/ledger/found.ts';
import { type ClaimBody, type EndorsementBody, kindOf } from '../../src/record/claim.ts';
import { type Citation, episodeIds, excerptHash } from '../../src/record/evidence.ts';
import { SPEC } from '../../src/record/record.ts';
import { hashOf, T0 } from './fleet.ts';

/** A citation of a message that says `text`. */
export function cited(session: string, message = 'm1', text = 'exit 0'): Citation {
  return {
    session_id: session,
    message_id: message,
    excerpt_hash: excerptHash(text),
    observed_at: toInstant(T0),
  };
}

function speaker({ agents }: Household) {
  const [agent] = agents;
  if (!agent) throw new Error('a household without an agent');
  return { author: agent.signer.address, observed_by: agent.id };
}

/** A claim by a household's agent, from its session `s`; what follows from other fields follows from the given ones. */
export function claimBody(
  home: Household,
  statement: string,
  fields: Partial<ClaimBody> = {},
): ClaimBody {
  const base = {
    spec: SPEC as typeof SPEC,
    ...speaker(home),
    scope: { space: 'fleet', segment: null },
    statement,
    topics: [],
    refs: [],
    asserted_at: toInstant(T0),
    supersedes: null,
    claim_type: 'environment' as const,
    subject: [],
    evidence: [cited('s')],
    nonce: hashOf(statement).slice(0, 32),
    ...fields,
  };
  const whole = { kind: kindOf(base), episodes: episodeIds(base.evidence), ...base, ...fields };
  return whole satisfies ClaimBody;
}

/** A position of a household's agent on a claim, from its session `t`. */
export function positionBody(
  home: Household,
  claim: string,
  fields: Partial<EndorsementBody> = {},
): EndorsementBody {
  const evidence = fields.evidence ?? [cited('t')];
  return {
    spec: SPEC,
    ...speaker(home),
    claim_id: claim,
    verdict: 'corroborate',
    basis: 'seen again',
    episodes: episodeIds(evidence),
    issued_at: toInstant(T0),
    evidence,
    ...fields,
  };
}
