import { BundleImportBody } from '../record/bundle.ts';
import { type ByType, ofType } from '../record/by-type.ts';
import { ClaimBody, EndorsementBody } from '../record/claim.ts';
import { DecisionBody } from '../record/decision.ts';
import { ErasureBody } from '../record/erasure.ts';
import { ExtractionBody } from '../record/extraction.ts';
import { FindingBody } from '../record/finding.ts';
import { AdmissionBody, RepoMapBody, RevocationBody } from '../record/fleet.ts';
import { ArtifactChangeBody, EpisodeBody, PolicyBody, ProposalBody } from '../record/governance.ts';
import {
  KNOWLEDGE_SPEC,
  KnowledgeClaim,
  KnowledgeEndorsement,
  KnowledgeRetirement,
  KnowledgeVerdict,
} from '../record/knowledge.ts';
import { MemoryBody } from '../record/memory.ts';
import { type OpenedRecord, SPEC } from '../record/record.ts';
import { ScoreBody } from '../record/score.ts';
import { HandoffBody, SessionBody } from '../record/session.ts';
import { SettlementBody } from '../record/settlement.ts';
import { TrustBody } from '../record/trust.ts';
import { carriedDates, importRefusal } from './rules/bundle.ts';
import { handoffRefusal, mapRefusal, sessionRefusal } from './rules/capture.ts';
import {
  memoryRefusal,
  observedAt,
  ownClaimRefusal,
  ownEndorsementRefusal,
} from './rules/claims.ts';
import {
  decisionRefusal,
  scoreRefusal,
  settlementRefusal,
  trustRefusal,
} from './rules/decisions.ts';
import { erasureRefusal } from './rules/erasure.ts';
import { extractionRefusal, findingRefusal } from './rules/findings.ts';
import {
  artifactChangeRefusal,
  claimRefusal,
  endorsementRefusal,
  episodeRefusal,
  policyRefusal,
  proposalRefusal,
  retirementRefusal,
  verdictRefusal,
} from './rules/knowledge.ts';
import { admissionRefusal, newcomer, revocationRefusal } from './rules/membership.ts';
import { type Rule, rule, selfSpoken } from './rules/rule.ts';

const issued = ({ issued_at }: { readonly issued_at: string }) => [issued_at];
const asserted = ({ asserted_at }: { readonly asserted_at: string }) => [asserted_at];

const OWN: Readonly<Record<string, Rule>> = {
  admission: rule(AdmissionBody, { dates: issued, stranger: newcomer, refusal: admissionRefusal }),
  revocation: rule(RevocationBody, { dates: issued, refusal: revocationRefusal }),
  session: rule(SessionBody, { dates: issued, refusal: sessionRefusal }),
  handoff: rule(HandoffBody, { dates: issued, refusal: handoffRefusal }),
  'repo-map': rule(RepoMapBody, { dates: issued, refusal: mapRefusal }),
  claim: rule(ClaimBody, {
    dates: (body) => [...asserted(body), ...observedAt(body)],
    refusal: ownClaimRefusal,
  }),
  endorsement: rule(EndorsementBody, {
    dates: (body) => [...issued(body), ...observedAt(body)],
    refusal: ownEndorsementRefusal,
  }),
  episode: rule(EpisodeBody, {
    dates: ({ issued_at, occurred_at }) => [issued_at, occurred_at],
    stranger: selfSpoken,
    refusal: episodeRefusal,
  }),
  proposal: rule(ProposalBody, { dates: issued, refusal: proposalRefusal }),
  erasure: rule(ErasureBody, { dates: issued, stranger: selfSpoken, refusal: erasureRefusal }),
  policy: rule(PolicyBody, { dates: issued, refusal: policyRefusal }),
  trust: rule(TrustBody, { dates: issued, refusal: trustRefusal }),
  extraction: rule(ExtractionBody, { dates: issued, refusal: extractionRefusal }),
  finding: rule(FindingBody, { dates: issued, refusal: findingRefusal }),
  decision: rule(DecisionBody, { dates: issued, refusal: decisionRefusal }),
  score: rule(ScoreBody, { dates: issued, refusal: scoreRefusal }),
  settlement: rule(SettlementBody, { dates: issued, refusal: settlementRefusal }),
  memory: rule(MemoryBody, { dates: issued, refusal: memoryRefusal }),
  'artifact-change': rule(ArtifactChangeBody, {
    dates: ({ issued_at, changed_at }) => [issued_at, changed_at],
    stranger: selfSpoken,
    refusal: artifactChangeRefusal,
  }),
  'bundle-import': rule(BundleImportBody, {
    dates: (body) => [body.issued_at, ...carriedDates(body, ruleOf)],
    stranger: selfSpoken,
    refusal: (body, author, view) => importRefusal(body, author, view, ruleOf),
  }),
};

const KNOWLEDGE: Readonly<Record<string, Rule>> = {
  claim: rule(KnowledgeClaim, { dates: asserted, stranger: selfSpoken, refusal: claimRefusal }),
  endorsement: rule(KnowledgeEndorsement, {
    dates: issued,
    stranger: selfSpoken,
    refusal: endorsementRefusal,
  }),
  verdict: rule(KnowledgeVerdict, {
    dates: issued,
    stranger: selfSpoken,
    refusal: verdictRefusal,
  }),
  retirement: rule(KnowledgeRetirement, {
    dates: issued,
    stranger: selfSpoken,
    refusal: retirementRefusal,
  }),
};

const RULES: ByType<Rule> = { [SPEC]: OWN, [KNOWLEDGE_SPEC]: KNOWLEDGE };

/** The rule of a record's type; undefined for one that does not come through the inbox. */
export function ruleOf(record: OpenedRecord): Rule | undefined {
  return ofType(RULES, record);
}

/** The code by which a record without a rule is refused: of its kind there is one under another specification, or none at all. */
export function noRule({ context }: Pick<OpenedRecord, 'context'>): string {
  const isKnown = Object.values(RULES).some((rules) => Object.hasOwn(rules, context));
  return isKnown ? 'record.spec' : 'record.context';
}
