import { setTimeout } from 'node:timers/promises';
import { CredenceError } from '../base/errors.ts';

/** How long a verb waits for another process that is at work on the same ledger. */
const WAIT_MS = 30_000;
const TRY_MS = 50;

/** Tries until a lock is had: `attempt` answers undefined where another process holds it. Throws `machine.busy` after 30 s. */
export async function waitFor<T>(
  attempt: () => Promise<{ readonly value: T } | undefined>,
): Promise<T> {
  const until = Date.now() + WAIT_MS;
  for (;;) {
    const done = await attempt();
    if (done) return done.value;
    if (Date.now() > until) {
      const what = 'another credence process is at work on this machine';
      throw new CredenceError('busy', 'machine.busy', what, { next: 'try again when it is done' });
    }
    await setTimeout(TRY_MS);
  }
}
