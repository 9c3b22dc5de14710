import { principalOf } from '../fold/view.ts';
import type { Waiting } from '../ledger/committer.ts';
import { type CommitParts, commitAll, followedView } from './commit-all.ts';
import { readerOf } from './database.ts';
import { positionOf, publishToAgents } from './follow.ts';
import type { Sql } from './port.ts';
import { sweepErased } from './sweep.ts';

/** What settling works with. */
export interface SettleParts extends CommitParts {
  readonly agentState: Sql;
  readonly mode: string;
  /** Runtime → agent id, of this home. */
  readonly agents: Readonly<Record<string, string>>;
}

/**
 * inbox → ledger → fold → snapshots: commits what can be decided, follows the ledger to its end, and brings the
 * agents' snapshot there too. What was erased is overwritten in the store. A host that may not commit only follows, and says
 * what of its own waits.
 */
export async function settle(
  parts: SettleParts,
): Promise<{ readonly position: number; readonly waiting: readonly Waiting[] }> {
  const { store, state, host } = parts;
  const { head } = await followedView(parts);
  const waiting = head.n > 0 ? await commitAll(parts) : [];
  if (principalOf(readerOf(state), host.address)?.roles.includes('commit') === true)
    await sweepErased(store, state);
  publishToAgents(state, parts.agentState, parts.mode, Object.values(parts.agents));
  return { position: positionOf(state), waiting };
}
