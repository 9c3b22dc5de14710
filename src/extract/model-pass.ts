import { CredenceError, codeOf, isRetryable } from '../base/errors.ts';
import { toInstant } from '../base/time.ts';
import { type Trouble, troubleOf } from '../base/trouble.ts';
import { defined } from '../base/unknown.ts';
import type { ExtractionBody } from '../record/extraction.ts';
import { type SignedRecord, SPEC, seal } from '../record/record.ts';
import {
  type Extractor,
  extractorName,
  type Prepared,
  prepare,
  type Sources,
} from './extractor.ts';
import type { InBatch, Model, ModelReply, ModelSession } from './model.ts';
import { modelClaims } from './model-claims.ts';
import { costAtMost, costOf, type Price } from './price.ts';
import { requestOf } from './prompt.ts';
import { readReply } from './reply.ts';

/** What extraction by a model came to in one pass. */
export interface ModelReport {
  /** Revisions that were asked about, in this pass or an earlier one, and answered. */
  answered: number;
  /** Revisions that a batch was sent with. */
  submitted: number;
  /** Revisions that failed, and are free for another try. */
  failed: number;
  claims: number;
  /** Drafts that were dropped, by code. */
  readonly dropped: Record<string, number>;
  spentUsdMicros: number;
  /** Sessions that wait for a later pass. */
  waiting: number;
  capReached: boolean;
  /** What went wrong. It kept nothing else from being done. */
  readonly troubles: Trouble[];
}

/** Where the ledger is read and written. */
export interface RunPorts extends Sources {
  /** Sealed sessions that no model has read, in the order in which they are to be asked about. */
  readonly due: () => readonly ModelSession[];
  /** What this host's batches hold. */
  readonly inBatches: () => readonly InBatch[];
  /** What was spent since midnight UTC, in millionths of a dollar. */
  readonly spentToday: () => number;
  readonly commit: (records: readonly SignedRecord[]) => Promise<void>;
  /** Keeps the lease; false where another host has it by now. */
  readonly renew: () => Promise<boolean>;
  readonly now: () => number;
  /** Hears how many of the sessions of this pass are done. */
  readonly progress: (n: number, of: number) => void;
}

/** True of what a provider, or how it is set, is to blame for. */
export const isOfModel = (error: unknown) => codeOf(error).startsWith('model.');

/** After so many useless answers in a row the next is no better: a provider may be saying that it will not answer any more. */
const USELESS_MAX = 3;

/** As much as the claims on file take of a question, and as large as a token is cut at most. */
const KNOWN_BYTES_MAX = 16_384;
const TOKEN_BYTES_MAX = 4;

/** A session, and under whose name it was sent, if that was not in this pass. */
type Named = ModelSession & Partial<Pick<InBatch, 'extractor'>>;

/** What every way of asking does with a session: prepares it, reads what came back, and says in the ledger how far it is. */
export class ModelPass {
  readonly report: ModelReport = {
    answered: 0,
    submitted: 0,
    failed: 0,
    claims: 0,
    dropped: {},
    spentUsdMicros: 0,
    waiting: 0,
    capReached: false,
    troubles: [],
  };
  readonly extractor: Extractor;
  readonly model: Model;
  readonly price: Price;
  readonly ports: RunPorts;
  #useless = 0;
  /** Nothing more is asked. */
  isOver = false;

  constructor(extractor: Extractor, model: Model, price: Price, ports: RunPorts) {
    this.extractor = extractor;
    this.model = model;
    this.price = price;
    this.ports = ports;
  }

  /** That a revision is so far. */
  state(
    { session, extractor = extractorName(this.model) }: Named,
    revision: number,
    state: ExtractionBody['state'],
    more: Partial<ExtractionBody> = {},
  ): SignedRecord {
    const { signer } = this.ports.claims;
    const body: ExtractionBody = {
      spec: SPEC,
      author: signer.address,
      issued_at: toInstant(this.ports.now()),
      session,
      revision,
      extractor,
      state,
      ...more,
    };
    return seal('extraction', body, signer);
  }

  /** That a revision failed, and is free for another try. Only the code is kept: what a provider says may be anything. */
  failed(of: Named, revision: number, error: unknown, spent = 0): SignedRecord {
    this.report.failed += 1;
    this.report.spentUsdMicros += spent;
    const more = defined({ spend_usd_micros: spent > 0 ? spent : undefined });
    return this.state(of, revision, 'failed', { ...more, error: codeOf(error) });
  }

  /** What a reply is in the ledger: its claims, and that the revision is done; or that it failed, and what that cost. */
  taken(read: Prepared, reply: ModelReply, inBatch: boolean): SignedRecord[] {
    const spent = reply.spendUsdMicros ?? costOf(reply.usage, this.price, inBatch);
    const { report } = this;
    try {
      const drafted = readReply(reply);
      const made = modelClaims(drafted, read, this.extractor.policy, this.ports.claims);
      const { records, dropped } = made;
      for (const [code, n] of Object.entries(dropped))
        report.dropped[code] = (report.dropped[code] ?? 0) + n;
      report.answered += 1;
      report.claims += records.length;
      report.spentUsdMicros += spent;
      this.#useless = 0;
      const lost = Object.values(dropped).reduce((sum, n) => sum + n, 0);
      const more = { spend_usd_micros: spent, drafts: records.length, dropped: lost };
      return [...records, this.state(read.of, read.revision, 'done', more)];
    } catch (error) {
      if (!isOfModel(error)) throw error;
      this.note(read.of.session, error);
      return [this.failed(read.of, read.revision, error, spent)];
    }
  }

  /** Notes what went wrong. What would go wrong with every session ends the pass. */
  note(session: string, error: unknown): void {
    const isOfAll =
      isRetryable(error) || (error instanceof CredenceError && error.category === 'configuration');
    this.report.troubles.push(troubleOf(isOfAll ? this.model.provider : session, error));
    this.#useless += 1;
    this.isOver ||= isOfAll || this.#useless >= USELESS_MAX;
  }

  /** What of the day's cap is left, if all that is on its way costs as much as it can. */
  left(): number {
    const { capUsdMicros, inputTokensMax } = this.extractor;
    const prompt = 'x'.repeat(inputTokensMax * TOKEN_BYTES_MAX + KNOWN_BYTES_MAX);
    const largest = { ...requestOf({ session: '', repo: undefined }, 1, [], []), prompt };
    const reserved = this.ports.inBatches().length * costAtMost(largest, this.price, true);
    return capUsdMicros - this.ports.spentToday() - reserved;
  }

  /**
   * Takes the next sessions off a list, as far as what they can cost is left of the day's cap. Those that show nothing are done without asking;
   * one that can't be read now is passed over.
   */
  async next(many: number, due: ModelSession[], inBatch: boolean): Promise<Prepared[]> {
    const next: Prepared[] = [];
    const empty: SignedRecord[] = [];
    let left = this.left();
    for (let of = due.shift(); of; of = next.length < many ? due.shift() : undefined) {
      const read = await prepare(of, this.extractor, this.ports);
      if (!read) continue;
      if (read.messages.length === 0) {
        empty.push(this.state(of, read.revision, 'done', { drafts: 0 }));
        continue;
      }
      left -= costAtMost(read.request, this.price, inBatch);
      if (left < 0) {
        this.report.capReached = true;
        this.isOver = true;
        break;
      }
      next.push(read);
    }
    if (empty.length > 0) await this.ports.commit(empty);
    return next;
  }
}
