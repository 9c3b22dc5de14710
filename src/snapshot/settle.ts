import type { Signer } from '../base/ed25519.ts';
import type { World } from '../base/world.ts';
import { admissionView } from '../fold/admission.ts';
import { commitPending, type Waiting } from '../ledger/committer.ts';
import { readerOf } from './database.ts';
import { type FollowParts, follow, positionOf, publishToAgents } from './follow.ts';
import type { Sql } from './port.ts';

/** What settling works with. */
export interface SettleParts extends FollowParts {
  readonly agentState: Sql;
  readonly mode: string;
  readonly world: World;
  readonly host: Signer;
  readonly hostId: string;
}

/**
 * inbox → ledger → fold → snapshots: commits what can be decided, follows the ledger to its end, and brings the
 * agents' snapshot there too. A host that may not commit only follows, and says what of its own waits.
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
  const committer = { store, fleetId, hostId: parts.hostId, signer: host, world };
  const waiting = head.n > 0 ? await commitPending({ ...committer, follow: followed }) : [];
  publishToAgents(state, parts.agentState, parts.mode);
  return { position: positionOf(state), waiting };
}
