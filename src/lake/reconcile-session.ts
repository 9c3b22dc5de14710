import { codeOf } from '../base/errors.ts';
import type { History } from '../runtime/history.ts';
import { type Compared, type CompareParts, compareTranscript, UNREAD } from './compare.ts';
import type { Manifest } from './manifest.ts';
import { emptyTally, type Tally } from './tally.ts';

/** What reconciling reads from and writes to. */
export interface ReconcileParts extends CompareParts {
  readonly history: History;
  /** Hears of a session whose transcript is there and cannot be read. Where nobody does, that is an error. */
  readonly unread?: (session: string, error: unknown) => void;
}

/**
 * Compares a captured session with the runtime's own transcript, just before it is sealed, and adds what hooks
 * missed as further parts. Without a transcript, or one that can be read, the session keeps what it has, and has no
 * coverage figure.
 */
export async function reconcileSession(
  manifest: Manifest,
  parts: ReconcileParts,
): Promise<{
  readonly manifest: Manifest;
  readonly tally: Tally;
  readonly coverage?: Compared['coverage'];
}> {
  const { runtime, session, transcript } = manifest;
  const file = transcript === undefined ? undefined : parts.history.locate(runtime, transcript);
  if (!file) return { manifest, tally: emptyTally() };
  const own = (name: string) => (name === session ? Promise.resolve(manifest) : undefined);
  try {
    const { tally, sessions } = await compareTranscript(file, session, own, parts);
    const [compared] = sessions;
    if (!compared) return { manifest, tally };
    return { manifest: compared.after ?? manifest, tally, coverage: compared.coverage };
  } catch (error) {
    if (codeOf(error) !== UNREAD || !parts.unread) throw error;
    parts.unread(session, error);
    return { manifest, tally: emptyTally() };
  }
}
