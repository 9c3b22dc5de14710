import { setTimeout } from 'node:timers/promises';
import { CredenceError } from './base/errors.ts';
import type { SourceWeight } from './fold/standing.ts';
import type { Home } from './home.ts';
import { KnowledgeBase } from './knowledge.ts';
import type { Env } from './node.ts';
import { locked } from './passes.ts';
import { keywordRetriever, type Retriever } from './query/retriever.ts';

/** How long a verb waits for another process of this machine that is at work on the ledger. */
const WAIT_MS = 30_000;
const TRY_MS = 50;

/**
 * Runs with the verbs of a home's ledger, under the machine's lock: one process at a time applies, and a verb waits for its
 * turn. Throws `machine.busy` where that does not come, and as `locked` does.
 */
export async function withKnowledge<T>(
  home: Home,
  env: Env,
  body: (base: KnowledgeBase) => Promise<T>,
  {
    retriever = keywordRetriever,
    weight,
  }: { readonly retriever?: Retriever; readonly weight?: SourceWeight | undefined } = {},
): Promise<T> {
  const until = Date.now() + WAIT_MS;
  for (;;) {
    const done = await locked(
      home,
      (parts) => {
        const { fleetId, host } = parts.identity;
        return body(new KnowledgeBase({ ...parts, fleetId, host, retriever, weight }));
      },
      env,
    );
    if (done) return done.value;
    if (Date.now() > until) throw busy();
    await setTimeout(TRY_MS);
  }
}

function busy(): CredenceError {
  const what = 'another credence process is at work on this machine';
  return new CredenceError('busy', 'machine.busy', what, { next: 'try again when it is done' });
}
