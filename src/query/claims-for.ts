import type { Reader } from '../fold/state.ts';
import { repoUri } from '../record/knowledge.ts';
import type { Sql } from '../snapshot/port.ts';
import type { ClaimView } from './claims.ts';
import { isShown } from './readable.ts';
import { listFamilies } from './session.ts';

/** Where in its walk up an agent meets a claim: its own candidate, its own scope, its repo's, the fleet's. */
export type Reach = 'own' | 'agent' | 'repo' | 'fleet';

/** An agent at work in a repo. */
export interface Whom {
  readonly agent: string;
  readonly repo: string;
}

/**
 * How a claim reaches an agent in a repo; undefined for one that does not. An own candidate that is meant for another repo
 * is none of this one's. Of the claims that `agent.sqlite` holds; from another state only promoted and own ones count.
 */
export function reachOf(claim: ClaimView, { agent, repo }: Whom): Reach | undefined {
  const { segment } = claim.scope;
  const reach =
    segment === null
      ? 'fleet'
      : segment === `repo:${repo}`
        ? 'repo'
        : segment === `agent:${agent}`
          ? 'agent'
          : undefined;
  if (isShown(claim)) return reach;
  return claim.status === 'candidate' && claim.observedBy === agent && reach ? 'own' : undefined;
}

/** The session that a claim cites first: the earliest that was observed. Undefined for one that cites none. */
export function firstCited(reader: Reader, claim: string): string | undefined {
  const [first] = reader
    .where('citations', 'claim', claim)
    .filter(({ record }) => record === claim)
    .sort((a, b) => (a.observed_at < b.observed_at ? -1 : a.observed_at > b.observed_at ? 1 : 0));
  return first?.session;
}

/** So many of a repo's newest sessions say what is being worked on. Source: design page 6, "What agents are shown". */
const LATELY = 5;

/** The files that the newest sessions of a repo touched, as claims refer to them. */
export function recentRefs(snapshot: Sql, repo: string): string[] {
  const paths = listFamilies(snapshot, repo, LATELY).flatMap((family) =>
    [family, ...family.subagents].flatMap(({ digest }) => digest.files.map(({ path }) => path)),
  );
  return [...new Set(paths)].map((path) => repoUri(repo, path));
}
