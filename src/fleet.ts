import { setTimeout } from 'node:timers/promises';
import type { Signer } from './base/ed25519.ts';
import { CredenceError } from './base/errors.ts';
import type { Instant } from './base/time.ts';
import type { Briefed } from './brief/knowledge.ts';
import { type Imported, importBundle } from './bundles.ts';
import type { SourceWeight } from './fold/standing.ts';
import { KnowledgeBase, type Promotion } from './knowledge.ts';
import type {
  BriefWish,
  Observation,
  PolicyWish,
  Position,
  Proposition,
} from './knowledge-bodies.ts';
import { checkBundle } from './ledger/bundle.ts';
import { type Env, openHome } from './node.ts';
import { locked } from './passes.ts';
import type { Parts } from './pipeline.ts';
import type { ClaimView, Conflict } from './query/claims.ts';
import { type Exported, exportBundle } from './query/export.ts';
import type { ExportWish } from './query/export-wish.ts';
import { keywordRetriever, type Retriever } from './query/retriever.ts';
import type { KnowledgeVerdict, Scope } from './record/knowledge.ts';
import { setUp } from './set-up.ts';

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
  /** Claims with all that is said of them, signed by the person of this home, to be carried to another fleet. */
  exportBundle(wish: ExportWish): Promise<Exported>;
  /** Checks a bundle of another fleet, and holds what it says until somebody here admits who says it. Throws `bundle.*`, `import.*`. */
  importBundle(bytes: Uint8Array, how?: { readonly dryRun?: boolean }): Promise<Imported>;
}

/** How long a verb waits for another process of this machine that is at work on the ledger. */
const WAIT_MS = 30_000;
const TRY_MS = 50;

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

  /** One process at a time applies to the ledger: a verb waits for its turn. */
  async function withParts<T>(body: (parts: Parts) => Promise<T>): Promise<T> {
    const until = Date.now() + WAIT_MS;
    for (;;) {
      const done = await locked(home, body, env);
      if (done) return done.value;
      if (Date.now() > until) throw busy();
      await setTimeout(TRY_MS);
    }
  }

  const within = <T>(body: (base: KnowledgeBase) => Promise<T>): Promise<T> =>
    withParts((parts) => {
      const { host } = parts.identity;
      return body(new KnowledgeBase({ ...parts, fleetId, host, retriever, weight: sourceWeight }));
    });

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
    exportBundle: (wish) =>
      withParts(({ state, store, world }) => {
        const signer = home.keys.signer('person');
        return exportBundle({ state, store, signer, now: world.now() }, wish);
      }),
    importBundle: async (bytes, how) => {
      const bundle = checkBundle(bytes);
      return withParts((parts) => {
        const { host } = parts.identity;
        return importBundle({ ...parts, host, fleetId }, bundle, self(), how);
      });
    },
  };
}

function busy(): CredenceError {
  const what = 'another credence process is at work on this machine';
  return new CredenceError('busy', 'machine.busy', what, { next: 'try again when it is done' });
}
