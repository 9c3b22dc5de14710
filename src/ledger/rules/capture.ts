import { LIMIT } from '../../base/limits.ts';
import { digestText } from '../../record/digest.ts';
import type { RepoMapBody } from '../../record/fleet.ts';
import type { HandoffBody, SessionBody } from '../../record/session.ts';
import type { LedgerView, Principal } from '../port.ts';
import { mayNameAgent } from './names.ts';

/** A host seals its own sessions; maintenance, by a host that may commit, what one that has gone left behind. */
export function sessionRefusal(
  body: SessionBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (!author.roles.includes('capture')) return 'session.role';
  const mayFor = author.principal === body.host || author.roles.includes('commit');
  if (author.kind !== 'host' || !mayFor) return 'session.host';
  if (!mayNameAgent(body, author, view)) return 'session.agent';
  if (isTooLarge(body.digest)) return 'session.digest_size';
  // A number that was passed over (its record was refused, or came too late) must not lock the session out for ever.
  return body.revision > view.revision(body.session) ? undefined : 'session.revision_taken';
}

function isTooLarge(digest: SessionBody['digest']): boolean {
  return Buffer.byteLength(digestText(digest)) > LIMIT.digest_bytes_max;
}

/** An agent speaks for itself. */
export function handoffRefusal(body: HandoffBody, author: Principal): string | undefined {
  if (!author.roles.includes('propose')) return 'handoff.role';
  return author.kind === 'agent' && author.principal === body.agent ? undefined : 'handoff.agent';
}

/** In an open fleet every host may map any session; elsewhere a host maps its own, and an admin all. */
export function mapRefusal(
  body: RepoMapBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (author.roles.includes('admin')) return undefined;
  if (author.kind !== 'host' || !author.roles.includes('capture')) return 'repo_map.role';
  const own = body.host === author.principal;
  return own || view.fleet()?.admission === 'open' ? undefined : 'repo_map.role';
}
