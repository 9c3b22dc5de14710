import {
  type AdmissionBody,
  OPEN_AGENT_ROLES,
  OPEN_HOST_ROLES,
  type RevocationBody,
  type Role,
} from '../../record/fleet.ts';
import { hostIdOf } from '../found.ts';
import type { LedgerView, Principal } from '../port.ts';
import { nameRefusal } from './names.ts';

function isSubset(roles: readonly Role[], of: readonly Role[]): boolean {
  return roles.every((role) => of.includes(role));
}

/**
 * On first sight an open fleet admits a person with no role, under the name that their own key gives. Hosts and agents
 * come by somebody's signature who answers for them: otherwise a host could say that it is another person's, and speak as
 * their agents.
 */
export function newcomer(body: AdmissionBody, view: LedgerView): Principal | undefined {
  const { address, principal, kind, operator, roles } = body;
  if (view.fleet()?.admission !== 'open' || address !== body.author) return undefined;
  const isPlain = kind === 'person' && roles.length === 0;
  if (!isPlain || operator !== address || principal !== address) return undefined;
  return { address, principal, kind, operator, roles, admitted: 0 };
}

/** A new key of a principal, signed by an older one: it is no new voice, and gets no role that the older one has not. */
function isRotation(body: AdmissionBody, author: Principal): boolean {
  return (
    body.principal === author.principal &&
    body.kind === author.kind &&
    isSubset(body.roles, author.roles) &&
    // A person's own first key goes on naming them.
    body.operator === author.operator
  );
}

/** In an open fleet a person admits the hosts that they answer for: new ones, and another key of one whose key is lost. */
function isOwnHost(body: AdmissionBody, author: Principal, view: LedgerView): boolean {
  return (
    author.kind === 'person' &&
    body.kind === 'host' &&
    body.operator === author.principal &&
    (body.principal === hostIdOf(body.address) || view.keysOf(body.principal).length > 0) &&
    isSubset(body.roles, OPEN_HOST_ROLES)
  );
}

/** A host of an open fleet admits the agents of its operator. */
function isOwnAgent(body: AdmissionBody, author: Principal): boolean {
  return (
    author.kind === 'host' &&
    body.kind === 'agent' &&
    body.operator === author.operator &&
    isSubset(body.roles, OPEN_AGENT_ROLES)
  );
}

function mayAdmit(body: AdmissionBody, author: Principal, view: LedgerView): boolean {
  // A newcomer is no principal yet: the rule took it for one by this very record.
  if (body.address === author.address) return view.principal(author.address) === undefined;
  if (isRotation(body, author)) return true;
  if (view.fleet()?.admission !== 'open') return false;
  return isOwnHost(body, author, view) || isOwnAgent(body, author);
}

/**
 * Nobody changes a standing admission but an admin, and nobody by their own request: not even an admin's own. Nor does
 * anybody but an admin admit again what was revoked.
 */
export function admissionRefusal(
  body: AdmissionBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  const known = view.principal(body.address);
  if (known && body.author === body.address) return 'admission.known';
  const isAdmin = author.roles.includes('admin');
  if (known && !isAdmin)
    return known.revoked === undefined ? 'admission.known' : 'admission.revoked';
  if (!isAdmin && !mayAdmit(body, author, view)) return 'admission.role';
  return nameRefusal(body, author, view);
}

/**
 * A key revokes itself, and those of its principal that came after it: whoever stole one, and admitted another by it,
 * can't lock its owner out. A person revokes the keys of the hosts and agents that they answer for.
 */
function mayRevoke(author: Principal, target: Principal): boolean {
  if (author.roles.includes('admin') || author.address === target.address) return true;
  if (author.principal === target.principal) return author.admitted < target.admitted;
  const answersFor = author.kind === 'person' && author.principal === target.operator;
  return answersFor && target.kind !== 'person';
}

/** A key is revoked once, and never the last that could admit another. */
export function revocationRefusal(
  { address }: RevocationBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  const target = view.principal(address);
  if (!target) return 'revocation.unknown';
  if (!mayRevoke(author, target)) return 'revocation.role';
  if (target.revoked !== undefined) return 'revocation.known';
  const isLast = target.roles.includes('admin') && view.admins().length === 1;
  return isLast ? 'revocation.last_admin' : undefined;
}
