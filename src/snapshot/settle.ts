import type { Signer } from '../base/ed25519.ts';
import type { World } from '../base/world.ts';
import { admissionView } from '../fold/admission.ts';
import { principalOf } from '../fold/view.ts';
import { commitPending, type Waiting } from '../ledger/committer.ts';
import { readerOf } from './database.ts';
import { type FollowParts, follow, positionOf, publishToAgents } from './follow.ts';
import type { Sql } from './port.ts';

/** What settling works with. */
export interface SettleParts extends FollowParts {
  readonly agentState: Sql;
  readonly mode: string;
  /** Runtime → agent id, of this home. */
  readonly agents: Readonly<Record<string, string>>;
  readonly world: World;
  readonly host: Signer;
}

/**
 * inbox → ledger → fold → snapshots: commits what can be decided, follows the ledger to its end, and brings the
 * agents' snapshot there too. A host that may not commit only follows.
 */
export async function settle(
  parts: SettleParts,
): Promise<{ readonly position: number; readonly waiting: readonly Waiting[] }> {
  const { store, state, world, fleetId, host } = parts;
  const reader = readerOf(state);
  const followed = async () => {
    const head = await follow(parts);
    return { head, view: admissionView(reader, head.frontier.size) };
  };
  const { head } = await followed();
  const roles = principalOf(reader, host.address)?.roles ?? [];
  // A host that is not admitted yet may be admitted by the very commit that it makes, in an open fleet.
  const isNewcomer = roles.length === 0 && reader.get('fleet', 'fleet')?.admission === 'open';
  const mayCommit = head.n > 0 && (roles.includes('commit') || isNewcomer);
  const waiting = mayCommit
    ? await commitPending({ store, fleetId, signer: host, world, follow: followed })
    : [];
  publishToAgents(state, parts.agentState, parts.mode, Object.values(parts.agents));
  return { position: positionOf(state), waiting };
}
