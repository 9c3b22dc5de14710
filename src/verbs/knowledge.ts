import type { Signer } from '../base/ed25519.ts';
import { assert, CredenceError } from '../base/errors.ts';
import { type Instant, toInstant } from '../base/time.ts';
import { assemble, type Briefed } from '../brief/knowledge.ts';
import type { PromotionRow } from '../fold/knowledge-rows.ts';
import type { SourceWeight } from '../fold/standing.ts';
import type { Reader } from '../fold/state.ts';
import { admit } from '../ledger/admit.ts';
import { commitTime } from '../ledger/committer.ts';
import { deposit } from '../ledger/inbox.ts';
import {
  type ClaimView,
  type Conflict,
  conflictsIn,
  eligibleClaims,
  getClaim,
  horizonOf,
  listClaims,
} from '../query/claims.ts';
import type { Retriever } from '../query/retriever.ts';
import { RetrieverIndex } from '../query/retriever-index.ts';
import type { KnowledgeVerdict, Scope } from '../record/knowledge.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../record/record.ts';
import type { SettlementBody } from '../record/settlement.ts';
import type { TrustBody } from '../record/trust.ts';
import { type CommitParts, commitAll, followedView } from '../snapshot/commit-all.ts';
import { readerOf } from '../snapshot/database.ts';
import {
  type BriefWish,
  claimBody,
  endorsementBody,
  episodeBody,
  type Observation,
  type PolicyWish,
  type Position,
  type Proposition,
  policyBody,
  proposalBody,
  retirementBody,
  verdictBody,
} from './knowledge-bodies.ts';

/** What the verbs work with. `host` commits; `nextCounter` numbers its inbox items. */
export interface KnowledgeParts extends CommitParts {
  readonly nextCounter: () => number;
  readonly retriever: Retriever;
  /** What the retriever knows already, where it outlives this base. */
  readonly index?: RetrieverIndex | undefined;
  readonly weight?: SourceWeight | undefined;
}

/** The state of a proposal. */
export interface Promotion {
  readonly id: string;
  readonly claim: string;
  readonly attempt: number;
  readonly proposer: string;
  readonly status: PromotionRow['status'];
  readonly approvals: number;
}

/**
 * The verbs of agent-knowledge over a ledger. Whatever is said is signed, checked against the state that it will follow,
 * and refused before anything is stored; then it is committed, and stands when the verb answers. One verb at a time.
 */
export class KnowledgeBase {
  readonly #parts: KnowledgeParts;
  readonly #index: RetrieverIndex;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: KnowledgeParts) {
    this.#parts = parts;
    this.#index = parts.index ?? new RetrieverIndex(parts.retriever);
  }

  /** Captures an observation; resolves with its id. Episodes are what claims rest on, and no briefing shows them. */
  observe(seen: Observation, by: Signer): Promise<string> {
    return this.#write(async () => {
      const body = episodeBody(seen, this.#saidBy(by), this.#parts.world.random(16));
      await this.#say(seal('episode', body, by));
      return body.id;
    });
  }

  /**
   * Proposes a claim. The same body again is the promotion that it has, unless that was rejected: then a new attempt is
   * opened. Throws `claim.*`, `scope.crossed`, `episode.unknown`, `record.*`.
   */
  propose(claim: Proposition, by: Signer): Promise<Promotion> {
    return this.#write(async () => {
      const body = claimBody(claim, this.#saidBy(by));
      const id = recordId('claim', body);
      await this.#follow();
      const known = this.#promotionOf(id);
      if (!known) await this.#say(seal('claim', body, by));
      else if (known.status === 'rejected') {
        const again = proposalBody(known.claim, known.attempt + 1, this.#saidBy(by));
        await this.#say(seal('proposal', again, by));
      }
      return this.#standingPromotion(id);
    });
  }

  /** A verdict on a pending promotion. Throws `verdict.own`, `verdict.repeated`, `promotion.decided`, `promotion.unknown`. */
  review(
    promotion: string,
    verdict: KnowledgeVerdict['verdict'],
    basis: string,
    by: Signer,
  ): Promise<Promotion> {
    return this.#write(async () => {
      const body = verdictBody(promotion, verdict, basis, this.#saidBy(by));
      await this.#say(seal('verdict', body, by));
      const row = this.#reader().get('promotions', promotion);
      return this.#standingPromotion(row?.claim ?? '');
    });
  }

  /** A person's ruling on claims that are contested, the first of which it is about. Throws `settlement.*`, `claim.unknown`. */
  settle(
    claims: readonly string[],
    ruling: SettlementBody['ruling'],
    reason: string,
    by: Signer,
  ): Promise<string> {
    const { author, now: issued_at } = this.#saidBy(by);
    const body = { spec: SPEC, author, issued_at, claims: [...claims], ruling, reason };
    return this.#write(() => this.#say(seal('settlement', body, by)));
  }

  /** Holds back what a principal says, from the next run of the gate on, or lets it be promoted again. Throws `trust.role`. */
  trust(
    principal: string,
    status: NonNullable<TrustBody['status']>,
    reason: string,
    by: Signer,
  ): Promise<string> {
    const { author, now: issued_at } = this.#saidBy(by);
    const body = { spec: SPEC, author, issued_at, principal, status, reason };
    return this.#write(() => this.#say(seal('trust', body, by)));
  }

  /** Corroborates or contradicts a claim; resolves with the endorsement's id. */
  endorse(claim: string, position: Position, by: Signer): Promise<string> {
    const body = endorsementBody(claim, position, this.#saidBy(by));
    return this.#write(() => this.#say(seal('endorsement', body, by)));
  }

  /** Withdraws one's own claim. Throws `claim.author` for another's. */
  retire(claim: string, reason: string, by: Signer): Promise<string> {
    const body = retirementBody(claim, reason, this.#saidBy(by));
    return this.#write(() => this.#say(seal('retirement', body, by)));
  }

  /** Says that an artifact changed: claims of the space that refer to it are suspect until they are met again. */
  invalidate(space: string, uri: string, changedAt: Instant, by: Signer): Promise<string> {
    const { author, now: issued_at } = this.#saidBy(by);
    const body = { spec: SPEC, author, issued_at, space, uri, changed_at: changedAt };
    return this.#write(() => this.#say(seal('artifact-change', body, by)));
  }

  /** Sets how claims of a scope are promoted from here on. What was accepted stays so. */
  setPolicy(scope: Scope, wish: PolicyWish, by: Signer): Promise<string> {
    const body = policyBody(scope, wish, this.#saidBy(by));
    return this.#write(() => this.#say(seal('policy', body, by)));
  }

  /** Assembles a briefing, without a model. An empty query ranks by trust alone. */
  brief(scope: Scope, wish: BriefWish = {}): Promise<Briefed> {
    return this.#inTurn(async () => {
      await this.#follow();
      await this.#index.follow(this.#parts.state);
      const { task = '', topics = [], refs = [], limit } = wish;
      const reader = this.#reader();
      return assemble(
        { task, topics, refs, limit },
        eligibleClaims(reader, scope, this.#reading()),
        this.#parts.retriever,
        horizonOf(reader, scope),
      );
    });
  }

  /** A claim with its standing now; undefined where none is known. */
  claim(id: string): Promise<ClaimView | undefined> {
    return this.#read((reader) => getClaim(reader, id, this.#reading()));
  }

  /** The claims of a space, whatever became of them. */
  claims(space: string): Promise<readonly ClaimView[]> {
    return this.#read((reader) => listClaims(reader, space, this.#reading()));
  }

  /** Every attempt to have a claim promoted, oldest first. */
  promotions(claim: string): Promise<readonly Promotion[]> {
    return this.#read((reader) =>
      reader
        .where('promotions', 'claim', claim)
        .sort((a, b) => a.attempt - b.attempt)
        .map(promotionView),
    );
  }

  /** The claims of a space that two or more identities contradict. */
  conflicts(space: string): Promise<readonly Conflict[]> {
    return this.#read((reader) => conflictsIn(reader, space, this.#reading()));
  }

  /** Reads the state at the end of the ledger as it is now. */
  read<T>(body: (parts: KnowledgeParts) => T | Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.#follow();
      return body(this.#parts);
    });
  }

  #read<T>(body: (reader: Reader) => T): Promise<T> {
    return this.read(({ state }) => body(readerOf(state)));
  }

  /** What was said stands, whatever a retriever makes of it: the next briefing tells it again, and hears its error. */
  #write<T>(body: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const said = await body();
      await this.#index.follow(this.#parts.state).catch(() => undefined);
      return said;
    });
  }

  #inTurn<T>(body: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(body);
    // A verb that fails is its caller's to hear of, and keeps no other from its turn.
    this.#turn = next.catch(() => undefined);
    return next;
  }

  #reader(): Reader {
    return readerOf(this.#parts.state);
  }

  #reading() {
    return { now: this.#parts.world.now(), weight: this.#parts.weight };
  }

  #saidBy({ address }: Signer) {
    return { author: address, now: toInstant(this.#parts.world.now()) };
  }

  #follow() {
    return followedView(this.#parts);
  }

  /** Commits a record that the state before it allows; resolves with its id. Nothing is stored of one that is refused. */
  async #say(record: SignedRecord): Promise<string> {
    const { store, hostId, nextCounter } = this.#parts;
    const { head, view } = await this.#follow();
    const id = recordId(record.context, record.body);
    const ruling = admit(record, view, await commitTime(head, this.#parts));
    // A verb does not wait: whoever speaks is there to hear of it.
    if (ruling.kind === 'reject' || ruling.kind === 'wait') throw refused(record, ruling.code);
    if (ruling.kind === 'accept') {
      await deposit(store, hostId, nextCounter(), [record]);
      await commitAll(this.#parts);
    }
    // Another committer may have taken it, and the item away, after the state was followed: then it stands by now.
    if (!this.#reader().get('decided', id)) await this.#follow();
    const decided = this.#reader().get('decided', id);
    if (!decided) throw refused(record, 'record.waits');
    if (decided.code !== null) throw refused(record, decided.code);
    return id;
  }

  #promotionOf(claim: string): Promotion | undefined {
    const reader = this.#reader();
    const row = reader.get('promotions', reader.get('claims', claim)?.promotion ?? '');
    return row && promotionView(row);
  }

  #standingPromotion(claim: string): Promotion {
    const promotion = this.#promotionOf(claim);
    assert(promotion, 'a claim that was committed has a promotion');
    return promotion;
  }
}

function promotionView({
  key,
  claim,
  attempt,
  proposer,
  status,
  approvals,
}: PromotionRow): Promotion {
  return { id: key, claim, attempt, proposer, status, approvals };
}

function refused(record: SignedRecord, code: string): CredenceError {
  return new CredenceError('incorrect', code, `the ledger refuses this ${record.context}`);
}
