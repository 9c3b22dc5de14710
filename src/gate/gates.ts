import { type Policy, policyOf } from '../fold/knowledge.ts';
import type { ClaimRow } from '../fold/knowledge-rows.ts';
import type { Reader } from '../fold/state.ts';
import type { GateSaid } from '../record/decision.ts';
import { type Evidence, evidenceOf, isAcceptance } from './evidence.ts';
import type { Independence } from './independence.ts';
import type { Pairs } from './pairs.ts';
import { isMislabelled, ruleOfType, typeOf } from './types.ts';

/*
 * The four gates, and quarantine ahead of them. Each is a function of the state alone: what it says of a claim can be told again
 * by anyone who has the ledger. Source: design page 4, "Gates, in order".
 */

/** A claim before the gates, with all that they look at. */
export interface Case {
  readonly reader: Reader;
  readonly claim: ClaimRow;
  readonly policy: Policy;
  readonly evidence: Evidence;
  readonly independence: Independence;
  readonly pairs: Pairs;
  /** Claims that hold, or are contested, and that it contradicts. */
  readonly opponents: readonly string[];
}

/** As many as a reason names. */
const NAMED_MAX = 16;

function said(
  gate: GateSaid['gate'],
  outcome: GateSaid['outcome'],
  reason: string,
  more: { readonly has?: number; readonly needs?: number; readonly names?: readonly string[] } = {},
): GateSaid {
  const { has, needs, names = [] } = more;
  return {
    gate,
    outcome,
    reason,
    ...(has === undefined ? {} : { has }),
    ...(needs === undefined ? {} : { needs }),
    ...(names.length === 0 ? {} : { names: [...new Set(names)].sort().slice(0, NAMED_MAX) }),
  };
}

const HUMAN = 'human';

/** True for a name, or any key of it, that an admin holds back. */
export function isQuarantined(reader: Reader, principal: string): boolean {
  const name = reader.get('principals', principal)?.principal ?? principal;
  return (reader.get('trust', name)?.quarantined ?? null) !== null;
}

/** Gate 0: nobody is promoted who is quarantined, nor whoever speaks for one who is. */
export function quarantineGate({ reader, claim }: Case): GateSaid {
  const held = [claim.principal, claim.observed_by].filter((one) => isQuarantined(reader, one));
  return held.length > 0
    ? said('quarantine', 'failed', 'quarantined', { names: held })
    : said('quarantine', 'passed', 'free');
}

/** How many observations its type, or the policy, asks of a claim. */
export function neededByType({ claim, policy }: Pick<Case, 'claim' | 'policy'>): number {
  return policy.needs[typeOf(claim)] ?? ruleOfType(claim).needs;
}

/**
 * A person has read it in a file and accepted it: the ledger takes `human` from reviewers alone, so that no agent can say so.
 * Source: decision 0044.
 */
function isAccepted({ supports }: Evidence): boolean {
  return supports.some(
    (one) => isAcceptance(one) && one.verdict === 'corroborate' && one.episodes.length > 0,
  );
}

/** How many observations a claim needs: of a convention that a person accepted, where no policy asks for a number, that one. */
function neededBy({
  claim,
  policy,
  evidence,
}: Pick<Case, 'claim' | 'policy' | 'evidence'>): number {
  const asked = neededByType({ claim, policy });
  const isAsked = policy.needs[typeOf(claim)] !== undefined;
  return !isAsked && typeOf(claim) === 'convention' && isAccepted(evidence) ? 1 : asked;
}

/** How many observations the policy of its scope, its type, or a person's acceptance asks of a claim. */
export function neededFor(reader: Reader, claim: ClaimRow): number {
  const { space, segment, spec } = claim;
  const policy = policyOf(reader, { space, segment }, spec);
  return neededBy({ claim, policy, evidence: evidenceOf(reader, claim) });
}

/** A person who may review has approved of it. */
function isApproved({ reader, claim }: Case): boolean {
  if (claim.observed_by === HUMAN) return true;
  return reader.where('verdicts', 'promotion', claim.promotion).some(({ verdict, principal }) => {
    const row = reader.where('principals', 'principal', principal)[0];
    return verdict === 'approve' && row?.kind === 'person';
  });
}

/** Gate 1: at least one captured episode that resolves, and the floor of its type. */
export function evidenceGate(at: Case): GateSaid {
  const { claim, evidence } = at;
  const pro = evidence.supports.filter(({ verdict }) => verdict === 'corroborate');
  const has = new Set(
    pro.filter(({ episodes }) => episodes.length > 0).map(({ session }) => session),
  ).size;
  const unread = pro.filter((one) => one.unread > 0).map(({ session }) => session);
  const needs = neededBy(at);
  const type = typeOf(claim);
  if (type === 'hypothesis') return said('evidence', 'failed', 'hypothesis', { has, needs });
  if (has < needs && unread.length > 0)
    return said('evidence', 'waits', 'excerpts', { has, needs, names: unread });
  if (pro.length === 0) return said('evidence', 'failed', 'no_episode', { has, needs });
  const tooFew = isMislabelled(claim) ? 'advice' : 'too_few';
  if (has < needs) return said('evidence', 'failed', tooFew, { has, needs });
  if (type === 'preference' && !isApproved(at))
    return said('evidence', 'waits', 'approval', { has, needs });
  return said('evidence', 'passed', 'resolved', { has, needs });
}

/** Gate 2: nothing that holds says otherwise. */
export function contradictionGate({ pairs, opponents }: Case): GateSaid {
  if (opponents.length > 0) {
    return said('contradiction', 'failed', 'contradicted', {
      has: opponents.length,
      needs: 0,
      names: opponents,
    });
  }
  return pairs.isSearched
    ? said('contradiction', 'passed', 'none')
    : said('contradiction', 'waits', 'pairs');
}

/** Gate 3: the author speaks for whom it says it does, about a session of that agent's own, at the time of that session, and what it cites is so. */
export function provenanceGate({ reader, claim, evidence }: Case): GateSaid {
  const own = evidence.supports.filter(({ record }) => record === claim.key);
  const author = reader.get('principals', claim.author);
  if (!author || author.revoked !== null)
    return said('provenance', 'failed', 'author', { names: [claim.principal] });
  const wrong = own.filter((one) => one.wrong > 0).map(({ session }) => session);
  if (wrong.length > 0) return said('provenance', 'failed', 'excerpt', { names: wrong });
  const unread = own.filter((one) => one.unread > 0).map(({ session }) => session);
  if (unread.length > 0) return said('provenance', 'waits', 'excerpts', { names: unread });
  const outside = own.filter(({ session, episodes }) => {
    const row = reader.get('sessions', session);
    return row && episodes.some(({ observedAt: at }) => at < row.first_at || at > row.last_at);
  });
  if (outside.length > 0)
    return said('provenance', 'failed', 'window', { names: outside.map(({ session }) => session) });
  const isOwn = own.some(
    ({ session }) =>
      claim.observed_by === HUMAN || reader.get('sessions', session)?.agent === claim.observed_by,
  );
  return isOwn
    ? said('provenance', 'passed', 'own')
    : said('provenance', 'failed', 'no_own_session', { names: own.map(({ session }) => session) });
}

/** Gate 4: enough of the observations followed from nothing that carried the claim. */
export function independenceGate(at: Case): GateSaid {
  const { count: has, unread, classes } = at.independence;
  const needs = neededBy(at);
  // Whose word each observation is.
  const names = classes.flatMap(({ counts, supports: [first] }) => (counts ? first.session : []));
  if (unread.length > 0)
    return said('independence', 'waits', 'exposures', { has, needs, names: unread });
  // Fewer than its type asks are enough by a person's word alone.
  const why = has < neededByType(at) ? 'accepted' : 'enough';
  return has >= needs
    ? said('independence', 'passed', why, { has, needs, names })
    : said('independence', 'failed', 'too_few', { has, needs, names });
}
