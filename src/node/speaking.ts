import type { SourceWeight } from '../fold/standing.ts';
import type { Home } from '../home/home.ts';
import { waitFor } from '../io/turn.ts';
import { keywordRetriever, type Retriever } from '../query/retriever.ts';
import type { RetrieverIndex } from '../query/retriever-index.ts';
import { KnowledgeBase } from '../verbs/knowledge.ts';
import type { Env } from './node.ts';
import { locked } from './passes.ts';

/** How claims are found and weighed, where a caller has ways of their own. */
export interface Seams {
  readonly retriever?: Retriever;
  readonly index?: RetrieverIndex;
  readonly weight?: SourceWeight | undefined;
}

/**
 * Runs with the verbs of a home's ledger, under the machine's lock: one process at a time applies, and a verb waits for its
 * turn. Throws `machine.busy` where that does not come, and as `locked` does.
 */
export function withKnowledge<T>(
  home: Home,
  env: Env,
  body: (base: KnowledgeBase) => Promise<T>,
  { retriever = keywordRetriever, index, weight }: Seams = {},
): Promise<T> {
  return waitFor(() =>
    locked(
      home,
      (parts) => {
        const { fleetId, host, hostId } = parts.identity;
        const own = { fleetId, host, hostId, retriever, index, weight };
        return body(new KnowledgeBase({ ...parts, ...own }));
      },
      env,
    ),
  );
}
