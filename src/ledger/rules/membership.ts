import {
  type AdmissionBody,
  OPEN_AGENT_ROLES,
  OPEN_HOST_ROLES,
  type Role,
} from '../../record/fleet.ts';
import { hostIdOf } from '../found.ts';
import type { LedgerView, Principal } from '../port.ts';

function isSubset(roles: readonly Role[], of: readonly Role[]): boolean {
  return roles.every((role) => of.includes(role));
}

/**
 * On first sight an open fleet admits a host that asks for no more than the open roles, and a person with none: each
 * under the name that its own key gives, so that nobody speaks as another.
 */
function admitsItself(body: AdmissionBody, view: LedgerView): boolean {
  const { address, principal, kind, operator, roles } = body;
  if (view.fleet()?.admission !== 'open' || address !== body.author) return false;
  if (kind === 'person') return roles.length === 0 && operator === address && principal === address;
  return kind === 'host' && principal === hostIdOf(address) && isSubset(roles, OPEN_HOST_ROLES);
}

/** A newcomer that admits itself speaks for itself. */
export function newcomer(body: AdmissionBody, view: LedgerView): Principal | undefined {
  const { address, principal, kind, operator, roles } = body;
  return admitsItself(body, view) ? { address, principal, kind, operator, roles } : undefined;
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

/** A host of an open fleet admits the agents of its operator. */
function isOwnAgent(body: AdmissionBody, author: Principal, view: LedgerView): boolean {
  return (
    view.fleet()?.admission === 'open' &&
    author.kind === 'host' &&
    body.kind === 'agent' &&
    body.operator === author.operator &&
    isSubset(body.roles, OPEN_AGENT_ROLES)
  );
}

/** Nobody changes a standing admission but an admin, and nobody by their own request: not even an admin's own. */
export function admissionRefusal(
  body: AdmissionBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  const known = view.principal(body.address);
  if (known && body.author === body.address) return 'admission.known';
  if (author.roles.includes('admin')) return undefined;
  if (known) return 'admission.known';
  const mayAdmit =
    admitsItself(body, view) || isRotation(body, author) || isOwnAgent(body, author, view);
  return mayAdmit ? undefined : 'admission.role';
}
