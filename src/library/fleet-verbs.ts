import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import type { Instant } from '../base/time.ts';
import type { Briefed } from '../brief/knowledge.ts';
import { type Audit, audit } from '../fold/audit.ts';
import { checkBundle } from '../ledger/bundle.ts';
import {
  type EntryProof,
  type GrowthProof,
  openHead,
  type SeenHead,
} from '../ledger/entry-proof.ts';
import { readHead } from '../ledger/find.ts';
import { root } from '../ledger/tree.ts';
import type { ClaimView, Conflict } from '../query/claims.ts';
import { type Exported, exportBundle } from '../query/export.ts';
import type { ExportWish } from '../query/export-wish.ts';
import { positionMeant, proveEntry, proveGrowth } from '../query/prove.ts';
import { listSessions, type SessionFilter, type SessionView } from '../query/session.ts';
import type { KnowledgeVerdict, Scope } from '../record/knowledge.ts';
import type { SignedRecord } from '../record/record.ts';
import { headOf } from '../snapshot/follow.ts';
import { type Imported, importBundle } from '../verbs/bundles.ts';
import type { KnowledgeBase, KnowledgeParts, Promotion } from '../verbs/knowledge.ts';
import type {
  BriefWish,
  Observation,
  PolicyWish,
  Position,
  Proposition,
} from '../verbs/knowledge-bodies.ts';

/** The head of a ledger as somebody signed it: kept elsewhere, it shows later that nothing before it was changed. */
export interface FleetHead extends SeenHead {
  readonly checkpoint: SignedRecord;
}

/**
 * The verbs of agent-knowledge in a fleet, and its reads. Whatever a verb says stands in the ledger when it resolves; of what
 * is refused nothing is stored. Every read is of the ledger's end at that moment.
 *
 * All of them reject with a CredenceError, beside what each names: `fleet.shut` after `close`; `machine.busy` where another
 * process holds the home or the cache for 30 s; `store.*` as the store does; `ledger.*` where what the store holds can't be
 * trusted. Those that say something: `record.body` and `record.text_size` for what has no such form, `record.future` for a date
 * more than 300 s ahead, `record.admission` where a closed fleet has not admitted the speaker, `key.*` where a key can't be used.
 */
export interface Fleet {
  readonly id: string;
  /** Who speaks: the address of the agent's key. */
  readonly address: string;
  /** Captures an observation; resolves with its id. Rejects with `episode.role`. */
  observe(seen: Observation): Promise<string>;
  /**
   * Proposes a claim. Said again, it is the promotion that it has, unless that was rejected: then another attempt opens.
   * Rejects with `claim.role`, `claim.unknown` and `claim.author` for what it supersedes, `episode.unknown`, `scope.crossed`.
   */
  propose(claim: Proposition): Promise<Promotion>;
  /** A verdict on a pending promotion. Rejects with `promotion.unknown`, `promotion.decided`, `verdict.own`, `verdict.repeated`, `verdict.role`. */
  review(
    promotion: string,
    verdict: KnowledgeVerdict['verdict'],
    basis: string,
  ): Promise<Promotion>;
  /** Takes a position on a claim; resolves with its id. Rejects with `claim.unknown`, `episode.unknown`, `scope.crossed`, `endorsement.role`. */
  endorse(claim: string, position: Position): Promise<string>;
  /** Withdraws one's own claim. Rejects with `claim.unknown`, `claim.author`, `claim.retired`. */
  retire(claim: string, reason: string): Promise<string>;
  /** Says that an artifact changed. Rejects with `artifact_change.role`. */
  invalidate(space: string, uri: string, changedAt: Instant): Promise<string>;
  /** Sets how claims of a scope are promoted, by the person who opened the fleet. Rejects with `policy.role` where they are no admin. */
  setPolicy(scope: Scope, policy: PolicyWish): Promise<string>;
  /** Assembles a briefing. Rejects with `weight.invalid`, `retriever.relevance`, and as the retriever does. */
  brief(scope: Scope, wish?: BriefWish): Promise<Briefed>;
  /** A claim with its standing now; undefined where none is known. Rejects with `weight.invalid`. */
  claim(id: string): Promise<ClaimView | undefined>;
  /** The claims of a space, whatever became of them. Rejects with `weight.invalid`. */
  claims(space: string): Promise<readonly ClaimView[]>;
  /** Every attempt to have a claim promoted, oldest first. */
  promotions(claim: string): Promise<readonly Promotion[]>;
  /** The claims of a space that two or more identities contradict. Rejects with `weight.invalid`. */
  conflicts(space: string): Promise<readonly Conflict[]>;
  /** Claims with all that is said of them, signed by the person who opened the fleet, to be carried to another one. Rejects with `export.*`. */
  exportBundle(wish: ExportWish): Promise<Exported>;
  /** Checks a bundle of another fleet, and holds what it says until somebody here admits who says it. Rejects with `bundle.*`, `import.*`. */
  importBundle(bytes: Uint8Array, how?: { readonly dryRun?: boolean }): Promise<Imported>;
  /** Sealed sessions, the newest first, 20 unless told. */
  sessions(filter?: Partial<SessionFilter>): Promise<readonly SessionView[]>;
  /** The signed head of the ledger. */
  head(): Promise<FleetHead>;
  /** Proves offline, to anybody, that an entry stands: by its position, or a record's id or its beginning. Rejects with `entry.missing`, `entry.ambiguous`. */
  prove(entry: string): Promise<EntryProof>;
  /** Proves that the ledger goes on from the checkpoint of a head that was seen before. Rejects with `proof.*`, `record.*`. */
  proveGrowth(from: SignedRecord): Promise<GrowthProof>;
  /** Reads the whole ledger from the bytes of its store, and holds it against what was followed; a fault is in the answer. */
  verify(heard?: (commits: number, of: number) => void): Promise<Audit>;
  /** Waits for what runs, and lets go of what is held. Again, it does nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a fleet is made of. `within` runs a body with the ledger at hand; `end` lets go of what was opened. */
export interface FleetParts {
  readonly id: string;
  readonly agent: () => Signer;
  readonly person: () => Signer;
  readonly within: <T>(body: (base: KnowledgeBase) => Promise<T>) => Promise<T>;
  readonly end: () => void;
}

/** The verbs and reads over a knowledge base that is opened by `within`. */
export function fleetOver({ id, agent, person, within: open, end }: FleetParts): Fleet {
  const { within, close } = closable(open, end);
  const read = <T>(body: (parts: KnowledgeParts) => T | Promise<T>) =>
    within((base) => base.read(body));
  return {
    id,
    get address() {
      return agent().address;
    },
    observe: (seen) => within((base) => base.observe(seen, agent())),
    propose: (claim) => within((base) => base.propose(claim, agent())),
    review: (promotion, verdict, basis) =>
      within((base) => base.review(promotion, verdict, basis, agent())),
    endorse: (claim, position) => within((base) => base.endorse(claim, position, agent())),
    retire: (claim, reason) => within((base) => base.retire(claim, reason, agent())),
    invalidate: (space, uri, changedAt) =>
      within((base) => base.invalidate(space, uri, changedAt, agent())),
    setPolicy: (scope, policy) => within((base) => base.setPolicy(scope, policy, person())),
    brief: (scope, wish) => within((base) => base.brief(scope, wish)),
    claim: (claim) => within((base) => base.claim(claim)),
    claims: (space) => within((base) => base.claims(space)),
    promotions: (claim) => within((base) => base.promotions(claim)),
    conflicts: (space) => within((base) => base.conflicts(space)),
    exportBundle: (wish) =>
      read(({ state, store, world }) =>
        exportBundle({ state, store, signer: person(), now: world.now() }, wish),
      ),
    importBundle: async (bytes, how) => {
      const bundle = checkBundle(bytes);
      return read((parts) => importBundle(parts, bundle, agent(), how));
    },
    sessions: (filter = {}) => read(({ state }) => listSessions(state, { limit: 20, ...filter })),
    head: () => read(headIn),
    prove: (entry) =>
      read(({ state, store }) => proveEntry(state, store, positionMeant(state, entry))),
    proveGrowth: (from) => read(({ state, store }) => proveGrowth(state, store, from)),
    verify: (heard) => read((parts) => verifyIn(parts, heard)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function headIn({ state, store }: KnowledgeParts): Promise<FleetHead> {
  const { checkpoint } = await readHead(store, headOf(state).n);
  return { ...openHead(checkpoint), checkpoint };
}

function verifyIn(parts: KnowledgeParts, heard: (n: number, of: number) => void = () => {}) {
  const { store, state, fleetId, verifyAll } = parts;
  const { n, frontier } = headOf(state);
  const own = { n, size: frontier.size, root: root(frontier).toString('hex'), by: 'this process' };
  return audit({ store, fleetId, verifyAll, witnesses: [own], heard });
}

/** Refuses what comes after `close`, which waits for what came before it. */
function closable(open: FleetParts['within'], end: () => void) {
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const within: FleetParts['within'] = (body) => {
    if (closing !== undefined) return Promise.reject(shut());
    const done = open(body);
    const settled = done.then(
      () => void running.delete(settled),
      () => void running.delete(settled),
    );
    running.add(settled);
    return done;
  };
  const close = (): Promise<void> => {
    closing ??= Promise.all(running).then(end);
    return closing;
  };
  return { within, close };
}

function shut(): CredenceError {
  return new CredenceError('usage', 'fleet.shut', 'this fleet was closed by its program', {
    next: 'open it again with `openFleet`',
  });
}
