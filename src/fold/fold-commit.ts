import { CredenceError } from '../base/errors.ts';
import type { OpenedEntry } from '../ledger/entry.ts';
import type { CheckpointBody } from '../record/fleet.ts';

import type { Change, Reader } from './state.ts';
import { step } from './step.ts';
import { principalOf } from './view.ts';

/**
 * Folds the entries of a commit, one after another, onto the state that `reader` reads and `apply` changes. Throws
 * `ledger.committer` where its signer may not commit.
 */
export function foldCommit(
  reader: Reader,
  checkpoint: CheckpointBody,
  entries: readonly OpenedEntry[],
  apply: (changes: readonly Change[]) => void,
): void {
  const { n, author } = checkpoint;
  const mayCommit = () => principalOf(reader, author)?.roles.includes('commit') === true;
  const before = mayCommit();
  for (const entry of entries) apply(step(reader, entry));
  // The first commit's signer, and in an open fleet a host's that admits itself, is judged by the roles that the
  // commit's own entries grant: otherwise nobody could found a fleet, or join one that nobody else is at work in.
  const selfAdmitted = n === 1 || reader.get('fleet', 'fleet')?.admission === 'open';
  if (before || (selfAdmitted && mayCommit())) return;
  throw new CredenceError(
    'incorrect',
    'ledger.committer',
    `commit ${n}: its signer may not commit`,
    {
      data: { n },
      next: 'the store holds a commit by a key without that role; ask an admin of the fleet',
    },
  );
}
