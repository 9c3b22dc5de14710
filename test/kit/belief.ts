import type { Signer } from '../../src/base/ed25519.ts';
import { toInstant } from '../../src/base/time.ts';
import type { DecisionBody } from '../../src/record/decision.ts';
import type { ExtractionBody } from '../../src/record/extraction.ts';
import type { FindingBody } from '../../src/record/finding.ts';
import type { MemoryBody } from '../../src/record/memory.ts';
import { SPEC } from '../../src/record/record.ts';
import { type ScoreBody, scorePpm } from '../../src/record/score.ts';
import type { SettlementBody } from '../../src/record/settlement.ts';
import type { TrustBody } from '../../src/record/trust.ts';
import { hashOf, T0 } from './fleet.ts';

const by = ({ address }: Signer) => ({
  spec: SPEC as typeof SPEC,
  author: address,
  issued_at: toInstant(T0),
});

type Kind<B, K> = Extract<B, { readonly kind: K }>;

/** That one citation of a claim resolves, in revision 1 of its session. */
export function excerptBody(
  signer: Signer,
  claim: string,
  fields: Partial<Kind<FindingBody, 'excerpt'>> & { readonly session?: string } = {},
): FindingBody {
  const { session = 's', ...rest } = fields;
  const found = {
    episode: '00000000-0000-8000-8000-000000000001',
    session,
    revision: 1,
    state: 'resolved' as const,
    position: 3,
    excerpt_hash: hashOf('exit 0'),
  };
  const base = { ...by(signer), kind: 'excerpt' as const, claim_id: claim, record_id: claim };
  return { ...base, excerpts: [found], ...rest };
}

/** What was before a session. */
export function exposureBody(
  signer: Signer,
  session: string,
  fields: Partial<Kind<FindingBody, 'exposure'>> = {},
): FindingBody {
  const base = { ...by(signer), kind: 'exposure' as const, session, revision: 1, searched: 5 };
  return { ...base, exposures: [], ...fields };
}

/** The pairs of a claim that were judged. */
export function pairBody(
  signer: Signer,
  claim: string,
  pairs: Kind<FindingBody, 'pair'>['pairs'] = [],
): FindingBody {
  const judge = { name: 'rules', version: '1' };
  return { ...by(signer), kind: 'pair', claim_id: claim, searched: 9, judge, pairs };
}

/** What only one kind of decision says, with its kind. */
type Said<D> = D extends unknown
  ? Omit<
      D,
      | 'spec'
      | 'author'
      | 'issued_at'
      | 'claim_id'
      | 'policy'
      | 'gate_version'
      | 'basis'
      | 'gates'
      | 'findings'
    >
  : never;

/** A decision on a claim, all of whose gates passed. */
export function decisionBody(
  signer: Signer,
  claim: string,
  said: Said<DecisionBody>,
  findings: readonly string[] = [],
): DecisionBody {
  return {
    ...by(signer),
    claim_id: claim,
    // Nothing became of the claim since.
    basis: 1_000_000,
    gate_version: '1',
    gates: [{ gate: 'evidence', outcome: 'passed', reason: 'cited', has: 1, needs: 1 }],
    findings: [...findings],
    ...said,
  } as DecisionBody;
}

/** How a hypothesis came out, as its agent's first score. */
export function scoreBody(
  signer: Signer,
  agent: string,
  claim: string,
  fields: Partial<ScoreBody> = {},
): ScoreBody {
  const { result = 'expired' } = fields;
  const totals = fields.totals ?? { correct: 0, incorrect: 0, expired: 0, [result]: 1 };
  const named = { agent, claim_id: claim, result };
  return { ...by(signer), ...named, score_ppm: scorePpm(totals), ...fields, totals };
}

/** That an extractor is done with revision 1 of a session. */
export function extractionBody(
  signer: Signer,
  session: string,
  fields: Partial<ExtractionBody> = {},
): ExtractionBody {
  const base = { ...by(signer), session, revision: 1, extractor: 'rules/1' };
  return { ...base, state: 'done', ...fields };
}

/** A person's ruling. */
export function settlementBody(
  signer: Signer,
  claims: readonly string[],
  ruling: SettlementBody['ruling'] = 'keep',
  fields: Partial<SettlementBody> = {},
): SettlementBody {
  return { ...by(signer), claims: [...claims], ruling, reason: 'looked at it', ...fields };
}

/** An admin's word on a principal. */
export function trustBody(
  signer: Signer,
  principal: string,
  fields: Partial<TrustBody> = {},
): TrustBody {
  return { ...by(signer), principal, ...fields };
}

/** A memory of an agent, for itself. */
export function memoryBody(
  signer: Signer,
  agent: string,
  content: string,
  fields: Partial<MemoryBody> = {},
): MemoryBody {
  return {
    ...by(signer),
    scope: { space: 'fleet', segment: `agent:${agent}` },
    observed_by: agent,
    content,
    facts: [],
    nonce: hashOf(content).slice(0, 32),
    ...fields,
  };
}
