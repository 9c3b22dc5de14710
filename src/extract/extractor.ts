import { CredenceError } from '../base/errors.ts';
import type { RedactionPolicy } from '../capture/redact/policy.ts';
import type { Injected } from '../runtime/envelope.ts';
import type { ExtractorParts } from './claim-record.ts';
import type { KnownClaim, Model, ModelRequest, ModelSession } from './model.ts';
import type { Read } from './model-claims.ts';
import { ownWordsIn } from './own-words.ts';
import type { Price } from './price.ts';
import { PROMPT_VERSION, requestOf } from './prompt.ts';
import type { SealedEvents } from './sealed-events.ts';
import { shownOfSession } from './shown.ts';

/** Who makes claims of sealed sessions, and for how much. */
export interface Extractor {
  readonly provider: string;
  readonly model: string;
  /** Throws `model.*` where nobody can be asked here, as without a key. */
  readonly open: () => Model;
  /** Undefined where nobody knows what the model costs. */
  readonly price: Price | undefined;
  /** True where the provider has batches and they are to be used. */
  readonly useBatches: boolean;
  readonly sessionsMax: number;
  readonly inputTokensMax: number;
  readonly capUsdMicros: number;
  /** What a model says is redacted, as all that comes in. */
  readonly policy: RedactionPolicy;
}

/** What a pass asks models with, if it asks any. */
export interface Extracting {
  readonly extractor?: Extractor | undefined;
  /** Hears how many of the sessions that a model is asked about are done. */
  readonly extracting?: ((n: number, of: number) => void) | undefined;
}

/** Where a question comes from. */
export interface Sources {
  readonly claims: ExtractorParts;
  readonly sealedEvents: (session: string) => Promise<SealedEvents | undefined>;
  /** The claims that stand and concern a session. */
  readonly known: (of: ModelSession) => readonly KnownClaim[];
  /** What a thing that was put before a session says. */
  readonly textOf: (item: Injected) => readonly string[];
}

/** A session, and what is to be asked about it. */
export interface Prepared extends Read {
  readonly revision: number;
  readonly request: ModelRequest;
}

/** The model, and what it costs. Throws `model.*`; `model.price` where nobody knows, since no cap could hold then. */
export function openExtractor(extractor: Extractor): {
  readonly model: Model;
  readonly price: Price;
} {
  const model = extractor.open();
  if (extractor.price) return { model, price: extractor.price };
  const what = `it is not known what ${model.name} of ${model.provider} costs, so that no cap can hold`;
  throw new CredenceError('configuration', 'model.price', what, {
    next: 'set summarize.batch.input_usd_per_million_tokens and summarize.batch.output_usd_per_million_tokens; 0 where it costs nothing',
  });
}

/** The name under which the ledger knows what read a session. */
export function extractorName({ provider, name }: Pick<Model, 'provider' | 'name'>): string {
  return `${provider}/${PROMPT_VERSION}${name === '' ? '' : ` ${name}`}`;
}

/** Makes the question about a session; undefined for one that can't be read now. */
export async function prepare(
  of: ModelSession,
  { inputTokensMax }: Pick<Extractor, 'inputTokensMax'>,
  { sealedEvents, known, textOf }: Sources,
): Promise<Prepared | undefined> {
  const sealed = await sealedEvents(of.session);
  if (!sealed) return undefined;
  const { revision, events } = sealed;
  const around = of.parent === undefined ? [] : ((await sealedEvents(of.parent))?.events ?? []);
  const own = ownWordsIn(events, around, textOf);
  const messages = shownOfSession(events, own, inputTokensMax);
  const request = requestOf(of, revision, messages, known(of));
  return { of, revision, events, messages, request };
}
