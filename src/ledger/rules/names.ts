import { UNCONFIGURED } from '../../capture/settings.ts';
import type { AdmissionBody } from '../../record/fleet.ts';
import { hostIdOf } from '../found.ts';
import type { LedgerView, Principal } from '../port.ts';

/*
 * Names are owned: claims, handoffs and sessions go by the name of their principal, so that whoever could take another's
 * name could withdraw what they said. A name stays its holder's when all of its keys are revoked.
 */

/** Said of sessions and claims that are of no agent; records of other fleets will be under names that begin so. */
const NOBODYS: readonly string[] = [UNCONFIGURED, 'human'];
const FOREIGN = 'foreign:';

const ADDRESS_PREFIX = 'amp:key:';
const HOST_ID = /^[0-9a-f]{16}$/;

/** What looks like a key, or like a host's id, is the name of that key and of that host alone. */
function isAnothers({ principal, address, kind }: AdmissionBody): boolean {
  if (principal.startsWith(ADDRESS_PREFIX)) return principal !== address;
  return HOST_ID.test(principal) && !(kind === 'host' && principal === hostIdOf(address));
}

/** Refuses a name that an admission may not give. An admin may give one that is held to another operator's key. */
export function nameRefusal(
  body: AdmissionBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  const { principal, address, kind, operator } = body;
  if (NOBODYS.includes(principal) || principal.toLowerCase().startsWith(FOREIGN))
    return 'admission.principal_reserved';
  // One person answers for themself, under the name of their first key.
  if (kind === 'person' && principal !== operator) return 'admission.person';
  const holders = view.keysOf(principal).filter((holder) => holder.address !== address);
  const isFree = principal === author.principal || !isAnothers(body);
  if (holders.length === 0) return isFree ? undefined : 'admission.principal_reserved';
  // Rules ask for a host or an agent by its name alone.
  if (holders.some((holder) => holder.kind !== kind)) return 'admission.principal_taken';
  const isOwn = holders.some((holder) => holder.operator === operator);
  return isOwn || author.roles.includes('admin') ? undefined : 'admission.principal_taken';
}

/** What of a session's record says whose it is. */
interface NamedSession {
  readonly session: string;
  readonly agent: string;
  readonly host: string;
}

/**
 * Whether a session may be told of as an agent's: of one that the operator of its host answers for, or that nobody
 * holds. A revision of a session that stands goes on naming its agent, also by another host that has it too.
 */
export function mayNameAgent(
  { session, agent, host }: NamedSession,
  author: Principal,
  view: LedgerView,
): boolean {
  const holders = view.keysOf(agent);
  if (holders.length === 0 || view.agentOf(session) === agent) return true;
  const hosts = author.principal === host ? [author] : view.keysOf(host);
  const operators = new Set(hosts.map((key) => key.operator));
  return holders.some(({ kind, operator }) => kind === 'agent' && operators.has(operator));
}
