import type { Signer } from './base/ed25519.ts';
import type { Instant } from './base/time.ts';
import type { Briefed } from './brief/knowledge.ts';
import type { SourceWeight } from './fold/standing.ts';
import type { KnowledgeBase, Promotion } from './knowledge.ts';
import type {
  BriefWish,
  Observation,
  PolicyWish,
  Position,
  Proposition,
} from './knowledge-bodies.ts';
import { type Env, openHome } from './node.ts';
import type { ClaimView, Conflict } from './query/claims.ts';
import { keywordRetriever, type Retriever } from './query/retriever.ts';
import type { KnowledgeVerdict, Scope } from './record/knowledge.ts';
import { setUp } from './set-up.ts';
import { withKnowledge } from './speaking.ts';

/** How a fleet is opened. Nothing is needed: then it is this machine's, which is set up where it was not. */
export interface FleetOptions {
  /** Under which name to speak: each has a key of its own, made when it is first used. */
  readonly agent?: string;
  /** Which home, as the environment of a command says it. */
  readonly env?: Env;
  readonly retriever?: Retriever;
  /** How much each identity counts, by its principal; 1 where this is not given. */
  readonly sourceWeight?: SourceWeight;
}

/** The verbs of agent-knowledge in this machine's fleet. Whatever one says stands in the ledger when it resolves. */
export interface Fleet {
  readonly id: string;
  observe(seen: Observation): Promise<string>;
  propose(claim: Proposition): Promise<Promotion>;
  review(
    promotion: string,
    verdict: KnowledgeVerdict['verdict'],
    basis: string,
  ): Promise<Promotion>;
  endorse(claim: string, position: Position): Promise<string>;
  retire(claim: string, reason: string): Promise<string>;
  invalidate(space: string, uri: string, changedAt: Instant): Promise<string>;
  /** By the person of this home, who has to be an admin of the fleet. */
  setPolicy(scope: Scope, policy: PolicyWish): Promise<string>;
  brief(scope: Scope, wish?: BriefWish): Promise<Briefed>;
  claim(id: string): Promise<ClaimView | undefined>;
  claims(space: string): Promise<readonly ClaimView[]>;
  promotions(claim: string): Promise<readonly Promotion[]>;
  conflicts(space: string): Promise<readonly Conflict[]>;
}

/** Opens the fleet of this machine. Throws as `init` does where it has to be set up. */
export async function openFleet(options: FleetOptions = {}): Promise<Fleet> {
  const {
    agent = 'library',
    env = process.env,
    retriever = keywordRetriever,
    sourceWeight,
  } = options;
  const first = openHome({}, env);
  const { fleetId } = await setUp(first, { runtimes: [] });
  const home = openHome({}, env);
  const self = (): Signer => home.keys.signer(`agent-${agent}`);

  const within = <T>(body: (base: KnowledgeBase) => Promise<T>) =>
    withKnowledge(home, env, body, { retriever, weight: sourceWeight });

  return {
    id: fleetId,
    observe: (seen) => within((base) => base.observe(seen, self())),
    propose: (claim) => within((base) => base.propose(claim, self())),
    review: (promotion, verdict, basis) =>
      within((base) => base.review(promotion, verdict, basis, self())),
    endorse: (claim, position) => within((base) => base.endorse(claim, position, self())),
    retire: (claim, reason) => within((base) => base.retire(claim, reason, self())),
    invalidate: (space, uri, changedAt) =>
      within((base) => base.invalidate(space, uri, changedAt, self())),
    setPolicy: (scope, policy) =>
      within((base) => base.setPolicy(scope, policy, home.keys.signer('person'))),
    brief: (scope, wish) => within((base) => base.brief(scope, wish)),
    claim: (id) => within((base) => base.claim(id)),
    claims: (space) => within((base) => base.claims(space)),
    promotions: (claim) => within((base) => base.promotions(claim)),
    conflicts: (space) => within((base) => base.conflicts(space)),
  };
}
