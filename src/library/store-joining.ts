import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { toInstant } from '../base/time.ts';
import { principalOf } from '../fold/view.ts';
import { admissions, agentAdmission } from '../ledger/found.ts';
import { deposit } from '../ledger/inbox.ts';
import type { AdmissionView } from '../ledger/port.ts';
import type { SignedRecord } from '../record/record.ts';
import { commitAll, followedView } from '../snapshot/commit-all.ts';
import { readerOf } from '../snapshot/database.ts';
import type { KnowledgeParts } from '../verbs/knowledge.ts';

/** Who opens a fleet: the person who answers, and the agent that speaks. */
export interface Joiner {
  readonly person: Signer;
  readonly agent: Signer;
}

/**
 * Joins the fleet of a store, where that was not done. An open fleet admits host and person on first sight, and the agent by
 * its first word. In a closed one an admin of it admits an agent of their own; whoever is none has to be admitted before,
 * and leaves nothing in the store. Throws `fleet.closed`, which names the addresses, and `fleet.role` for a host that may
 * not commit.
 */
export async function joinFleet(parts: KnowledgeParts, joiner: Joiner): Promise<void> {
  const { store, state, host, hostId } = parts;
  const reader = readerOf(state);
  const { view } = await followedView(parts);
  const owed = owedBy(view, parts, joiner);
  if (owed.length > 0) {
    await deposit(store, hostId, parts.nextCounter(), owed);
    await commitAll(parts);
    // Another committer may have taken them, and the item away, after the state was followed.
    await followedView(parts);
  }
  if (principalOf(reader, host.address)?.roles.includes('commit') !== true) throw mute(parts);
}

/** The admissions that are missing, as far as those who join may give them. Throws `fleet.closed`. */
function owedBy(
  view: AdmissionView,
  { host, hostId, world, fleetId }: KnowledgeParts,
  { person, agent }: Joiner,
): SignedRecord[] {
  const at = toInstant(world.now());
  const isKnown = ({ address }: { readonly address: string }) =>
    view.principal(address) !== undefined;
  if (view.fleet()?.admission === 'open') {
    if (isKnown(host) && isKnown(person)) return [];
    const family = { person, host, hostId, agents: [] };
    const asked = admissions(family, at).filter((one) => !isKnown(one));
    return asked.map(({ record }) => record);
  }
  if (isKnown(host) && isKnown(agent)) return [];
  const isAdmin = view.principal(person.address)?.roles.includes('admin') === true;
  if (isKnown(host) && isAdmin) return [agentAdmission(person, agent, at).record];
  const missing = [host, agent].filter((one) => !isKnown(one)).map(({ address }) => address);
  const what = `fleet ${fleetId} is closed, and has not admitted ${missing.join(' and ')}`;
  throw new CredenceError('forbidden', 'fleet.closed', what, {
    data: { addresses: missing },
    next: 'ask an admin of the fleet to admit them, and keep the keys (option `keys`): new ones would have to be admitted again',
  });
}

function mute({ host, fleetId }: KnowledgeParts): CredenceError {
  const what = `${host.address} is in fleet ${fleetId}, and may not commit`;
  return new CredenceError('forbidden', 'fleet.role', what, {
    data: { addresses: [host.address] },
    next: 'ask an admin of the fleet to give it the role commit',
  });
}
