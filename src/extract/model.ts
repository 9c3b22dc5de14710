import type { Instant } from '../base/time.ts';

/** What one question to a model is. System prompt and schema are the same for every session. */
export interface ModelRequest {
  /** By which its answer is found again: 1 to 64 letters, digits, `_` and `-`. */
  readonly id: string;
  readonly system: string;
  readonly schema: object;
  readonly prompt: string;
  readonly outputTokensMax: number;
}

/** Tokens, as the provider counted them. Those that came from its cache are in no other number. */
export interface ModelUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** What a model answered. */
export interface ModelReply {
  readonly text: string;
  /** `cut`: at the limit of its length; `refused`: it would not answer. */
  readonly ended: 'whole' | 'cut' | 'refused';
  readonly usage: ModelUsage;
  /** What a provider says itself that the answer cost, in millionths of a dollar. */
  readonly spendUsdMicros?: number;
}

/** What became of one question of a batch. */
export type BatchResult =
  | { readonly kind: 'reply'; readonly reply: ModelReply }
  | { readonly kind: 'failed'; readonly code: string };

/** A provider that takes many questions at once, and answers within a day. */
export interface ModelBatches {
  /** Answers with the batch's id. */
  submit(requests: readonly ModelRequest[]): Promise<string>;
  /** The results by their requests' ids; undefined while it is at work. Throws `model.batch_gone` where it has no such batch. */
  collect(batch: string): Promise<ReadonlyMap<string, BatchResult> | undefined>;
  cancel(batch: string): Promise<void>;
}

/**
 * Who answers. Its methods throw a CredenceError whose code begins with `model.`, and whose text holds nothing that came from
 * the provider or the environment: `unavailable` where the same may work later, `configuration` where somebody has to change a
 * setting, `incorrect` where this one question can't be answered.
 */
export interface Model {
  readonly provider: string;
  readonly name: string;
  /** So many questions at a time. */
  readonly parallel: number;
  ask(request: ModelRequest): Promise<ModelReply>;
  readonly batches?: ModelBatches | undefined;
}

/** A sealed session that a model is asked about. */
export interface ModelSession {
  readonly session: string;
  readonly agent: string;
  readonly repo: string | undefined;
  readonly parent: string | undefined;
}

/** A revision that is in a batch. */
export interface InBatch extends ModelSession {
  readonly revision: number;
  readonly batch: string;
  /** Under whose name it was sent. */
  readonly extractor: string;
  readonly since: Instant;
}

/** A claim that stands already, as a model is shown it. */
export interface KnownClaim {
  readonly claim_type: string;
  readonly subject: readonly string[];
  readonly statement: string;
}
