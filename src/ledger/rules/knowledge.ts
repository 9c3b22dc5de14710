import type {
  ArtifactChangeBody,
  EpisodeBody,
  PolicyBody,
  ProposalBody,
} from '../../record/governance.ts';
import type {
  KnowledgeClaim,
  KnowledgeEndorsement,
  KnowledgeRetirement,
  KnowledgeVerdict,
} from '../../record/knowledge.ts';
import type { KnownClaim, LedgerView, Principal } from '../port.ts';

/*
 * What the ledger takes of claims and of what is said about them. Each rule answers with the code of a refusal, or
 * with undefined. All that compares authors compares principals: a new key is no new voice.
 */

/** Episodes that a body names must be in the ledger, in its own space. */
function episodesRefusal(
  episodes: readonly string[],
  space: string,
  view: LedgerView,
): string | undefined {
  for (const id of episodes) {
    const episode = view.episode(id);
    if (!episode && view.mayBeErased()) continue;
    if (!episode) return 'episode.unknown';
    if (episode.space !== space) return 'scope.crossed';
  }
  return undefined;
}

/** A claim supersedes none but its author's own: otherwise it would hide what another says. */
export function claimRefusal(
  body: KnowledgeClaim,
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (!author.roles.includes('propose')) return 'claim.role';
  return (
    supersessionRefusal(body, author, view) ??
    episodesRefusal(body.episodes, body.scope.space, view)
  );
}

/** An older claim gives way only to its own author's, in the same space. */
export function supersessionRefusal(
  { supersedes, scope }: Pick<KnowledgeClaim, 'supersedes' | 'scope'>,
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (supersedes === null) return undefined;
  if (!view.claim(supersedes) && view.mayBeErased()) return undefined;
  const isElsewhere = ({ space }: KnownClaim) =>
    space === scope.space ? undefined : 'scope.crossed';
  return ownClaim(supersedes, author, view, isElsewhere);
}

/** Anyone who may propose may take a position on any claim, the author too: it is attached to the claim, and edits nothing. */
export function endorsementRefusal(
  body: KnowledgeEndorsement,
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (!author.roles.includes('propose')) return 'endorsement.role';
  const claim = view.claim(body.claim_id);
  if (!claim) return 'claim.unknown';
  return episodesRefusal(body.episodes, claim.space, view);
}

/** One verdict an identity, none on one's own, none on what is decided. */
export function verdictRefusal(
  body: KnowledgeVerdict,
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (!author.roles.includes('review')) return 'verdict.role';
  const promotion = view.promotion(body.promotion_id);
  if (!promotion) return view.mayBeErased() ? undefined : 'promotion.unknown';
  if (promotion.proposer === author.principal) return 'verdict.own';
  if (view.hasReviewed(body.promotion_id, author.principal)) return 'verdict.repeated';
  return promotion.status === 'pending' ? undefined : 'promotion.decided';
}

/** What only its author may do: a right to do it for others would be a right to hide what they say. */
function ownClaim(
  id: string,
  author: Principal,
  view: LedgerView,
  refusal: (claim: KnownClaim) => string | undefined,
): string | undefined {
  const claim = view.claim(id);
  if (!claim) return 'claim.unknown';
  return claim.principal === author.principal ? refusal(claim) : 'claim.author';
}

/** A claim is withdrawn by its author, once. */
export function retirementRefusal(
  body: KnowledgeRetirement,
  author: Principal,
  view: LedgerView,
): string | undefined {
  return ownClaim(body.claim_id, author, view, ({ isRetired }) =>
    isRetired ? 'claim.retired' : undefined,
  );
}

/** A rejected claim can be proposed again, by its author, as the next attempt. */
export function proposalRefusal(
  body: ProposalBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  return ownClaim(body.claim_id, author, view, ({ promotion, attempt }) => {
    if (view.promotion(promotion)?.status !== 'rejected' && !view.mayBeErased())
      return 'proposal.not_rejected';
    return body.attempt === attempt + 1 ? undefined : 'proposal.attempt';
  });
}

/** No episode's id is given twice. */
export function episodeRefusal(
  body: EpisodeBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (!author.roles.includes('propose')) return 'episode.role';
  return view.episode(body.id) ? 'episode.known' : undefined;
}

/** Who may say how claims are promoted. */
export function policyRefusal(_body: PolicyBody, author: Principal): string | undefined {
  return author.roles.includes('admin') ? undefined : 'policy.role';
}

/** Whoever may propose or capture may say that an artifact changed. */
export function artifactChangeRefusal(
  _body: ArtifactChangeBody,
  { roles }: Principal,
): string | undefined {
  return roles.includes('propose') || roles.includes('capture')
    ? undefined
    : 'artifact_change.role';
}
