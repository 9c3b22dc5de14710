import type { Signer } from '../base/ed25519.ts';
import type { World } from '../base/world.ts';
import { admissionView } from '../fold/admission.ts';
import type { ObjectStore } from '../lake/objects.ts';
import type { Head } from '../ledger/commit.ts';
import { commitPending, type Waiting } from '../ledger/committer.ts';
import type { AdmissionView } from '../ledger/port.ts';
import { readerOf } from './database.ts';
import { type FollowParts, follow } from './follow.ts';

/** What a host commits with, that follows what it commits. */
export interface CommitParts extends FollowParts {
  readonly store: ObjectStore;
  readonly world: World;
  readonly host: Signer;
  readonly hostId: string;
  /** By which content is known that was erased; undefined where this home does not have it yet. */
  readonly fleetSecret?: Uint8Array | undefined;
}

/** Follows the ledger to its end; the head there, and the state as the rules of admission see it. */
export async function followedView(
  parts: CommitParts,
): Promise<{ readonly head: Head; readonly view: AdmissionView }> {
  const head = await follow(parts);
  const view = admissionView(readerOf(parts.state), head.frontier.size, parts.fleetSecret);
  return { head, view };
}

/** Commits what of the inbox can be decided, and follows it; resolves with what waits. */
export function commitAll(parts: CommitParts): Promise<readonly Waiting[]> {
  const { store, fleetId, hostId, host: signer, world, verifyAll } = parts;
  const committer = { store, fleetId, hostId, signer, world, verifyAll };
  return commitPending({ ...committer, follow: () => followedView(parts) });
}
