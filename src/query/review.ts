import { policyOf } from '../fold/knowledge.ts';
import { readerOf } from '../snapshot/database.ts';
import type { Sql } from '../snapshot/port.ts';
import { type AttemptView, detailOf, type PolicyView, verdictDecides } from './claim-detail.ts';
import { type ClaimView, getClaim, type Reading } from './claims.ts';

/** A claim whose newest attempt may be reviewed, with what a reviewer has to know. */
export interface Review {
  readonly claim: ClaimView;
  readonly attempt: AttemptView;
  readonly policy: PolicyView;
  /** False where a verdict is recorded and decides nothing. */
  readonly decides: boolean;
  /** The sessions that it cites. */
  readonly sessions: readonly string[];
  /** Its topics that a policy protects. */
  readonly about: readonly string[];
}

/** The newest attempt of a claim, or the one of a promotion's id. Undefined where neither is known. */
export function reviewOf(sql: Sql, id: string, reading: Reading): Review | undefined {
  const reader = readerOf(sql);
  const claim = getClaim(reader, reader.get('promotions', id)?.claim ?? id, reading);
  if (!claim) return undefined;
  const { attempts, policy, citations } = detailOf(reader, claim);
  const attempt = attempts.at(-1);
  if (!attempt) return undefined;
  const { protectedTopics } = policyOf(reader, claim.scope, '');
  return {
    claim,
    attempt,
    policy,
    decides: verdictDecides(reader, claim),
    sessions: [...new Set(citations.map(({ session }) => session))],
    about: claim.topics.filter((topic) => protectedTopics.includes(topic)),
  };
}

/** What waits for a verdict, the oldest first; and how many candidates wait for gates instead, where none decides. */
export function pendingReviews(
  sql: Sql,
  reading: Reading,
): { readonly waiting: readonly Review[]; readonly gated: number } {
  const reviews = readerOf(sql)
    .where('promotions', 'status', 'pending')
    .sort((a, b) => a.at - b.at)
    .flatMap(({ claim }) => reviewOf(sql, claim, reading) ?? [])
    .filter(({ claim }) => claim.status === 'candidate');
  const waiting = reviews.filter(({ decides }) => decides);
  const gated = reviews.filter(({ policy }) => policy.mode === 'gates');
  return { waiting, gated: gated.length };
}
