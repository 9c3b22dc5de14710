import type { Signer } from '../base/ed25519.ts';
import type { World } from '../base/world.ts';
import { admissionView } from '../fold/admission.ts';
import { principalOf } from '../fold/view.ts';
import { commitPending, type Waiting } from '../ledger/committer.ts';
import { readerOf } from './database.ts';
import { type FollowParts, follow, positionOf, publishToAgents } from './follow.ts';
import type { Sql } from './port.ts';
import { sweepErased } from './sweep.ts';

/** What settling works with. */
export interface SettleParts extends FollowParts {
  readonly agentState: Sql;
  readonly mode: string;
  /** Runtime → agent id, of this home. */
  readonly agents: Readonly<Record<string, string>>;
  readonly world: World;
  readonly host: Signer;
  readonly hostId: string;
  /** By which content is known that was erased; undefined where this home does not have it yet. */
  readonly fleetSecret?: Uint8Array | undefined;
}

/**
 * inbox → ledger → fold → snapshots: commits what can be decided, follows the ledger to its end, and brings the
 * agents' snapshot there too. What was erased is overwritten in the store. A host that may not commit only follows, and says
 * what of its own waits.
 */
export async function settle(
  parts: SettleParts,
): Promise<{ readonly position: number; readonly waiting: readonly Waiting[] }> {
  const { store, state, world, fleetId, host, verifyAll, fleetSecret } = parts;
  const reader = readerOf(state);
  const followed = async () => {
    const head = await follow(parts);
    return { head, view: admissionView(reader, head.frontier.size, fleetSecret) };
  };
  const { head } = await followed();
  const committer = { store, fleetId, hostId: parts.hostId, signer: host, world, verifyAll };
  const waiting = head.n > 0 ? await commitPending({ ...committer, follow: followed }) : [];
  if (principalOf(reader, host.address)?.roles.includes('commit') === true)
    await sweepErased(store, state);
  publishToAgents(state, parts.agentState, parts.mode, Object.values(parts.agents));
  return { position: positionOf(state), waiting };
}
