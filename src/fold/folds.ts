import { type ByType, ofType } from '../record/by-type.ts';
import { KNOWLEDGE_SPEC } from '../record/knowledge.ts';
import { type OpenedRecord, SPEC } from '../record/record.ts';
import {
  foldDecision,
  foldExtraction,
  foldFinding,
  foldMemory,
  foldScore,
  foldSettlement,
  foldTrust,
} from './belief.ts';
import { foldHandoff, foldRepoMap, foldSession } from './capture.ts';
import { foldOwnClaim, foldOwnEndorsement } from './claims.ts';
import { foldErasure } from './erasure.ts';
import type { Folding } from './folding.ts';
import { foldBundleImport } from './held.ts';
import {
  foldArtifactChange,
  foldClaim,
  foldEndorsement,
  foldEpisode,
  foldPolicy,
  foldProposal,
  foldRetirement,
  foldVerdict,
} from './knowledge.ts';
import { foldAdmission, foldRevocation } from './membership.ts';
import type { Change } from './state.ts';

/** Folds a record whose rule has taken it, and has read its body. */
export type Fold = (folding: Folding, body: never) => Change[];

const OWN: Readonly<Record<string, Fold>> = {
  admission: foldAdmission,
  revocation: foldRevocation,
  session: foldSession,
  handoff: foldHandoff,
  'repo-map': foldRepoMap,
  claim: foldOwnClaim,
  endorsement: foldOwnEndorsement,
  episode: foldEpisode,
  proposal: foldProposal,
  policy: foldPolicy,
  trust: foldTrust,
  extraction: foldExtraction,
  finding: foldFinding,
  decision: foldDecision,
  score: foldScore,
  settlement: foldSettlement,
  memory: foldMemory,
  erasure: foldErasure,
  'artifact-change': foldArtifactChange,
  'bundle-import': foldBundleImport,
};

const KNOWLEDGE: Readonly<Record<string, Fold>> = {
  claim: foldClaim,
  endorsement: foldEndorsement,
  verdict: foldVerdict,
  retirement: foldRetirement,
};

const FOLDS: ByType<Fold> = { [SPEC]: OWN, [KNOWLEDGE_SPEC]: KNOWLEDGE };

/** How a type of record is folded; undefined for one that this version does not know. */
export function foldOf(record: OpenedRecord): Fold | undefined {
  return ofType(FOLDS, record);
}
