import { truncateUtf8 } from '../base/text.ts';
import type { Digest } from '../record/digest.ts';
import type { Envelope, Usage } from '../runtime/envelope.ts';

const FIELDS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_usd_micros',
] as const;
const MODEL_BYTES_MAX = 100;
/** More than any session has; a transcript can claim any number. */
const MODELS_MAX = 100;
type Figures = Record<(typeof FIELDS)[number], number>;

/** A response's lines stand close together: this many of the latest responses are kept apart, older ones are summed. */
const WINDOW = 10_000;

function combine(
  a: Figures | undefined,
  b: Usage | Figures,
  how: (x: number, y: number) => number,
): Figures {
  return Object.fromEntries(
    FIELDS.map((field) => [field, how(a?.[field] ?? 0, b[field] ?? 0)]),
  ) as Figures;
}

/** A transcript can claim any number, and no record holds a larger one. */
const plus = (x: number, y: number) => Math.min(x + y, Number.MAX_SAFE_INTEGER);

/** Adds up tokens, models and cost of a session's events, each response counted once. */
export class UsageMeter {
  #total: Figures = combine(undefined, {}, plus);
  #costKnown = false;
  #responses = 0;
  readonly #open = new Map<string, Figures>();
  readonly #models = new Set<string>();

  /** `isRepeated` says that the event was added before: then only its usage can be news. */
  add({ usage, event_id, event_type }: Envelope, isRepeated = false): void {
    const isNameless = usage?.response_id === undefined;
    if (isNameless && event_type === 'assistant' && !isRepeated) this.#responses += 1;
    if (usage === undefined) return;
    if (usage.model !== undefined && this.#models.size < MODELS_MAX)
      this.#models.add(truncateUtf8(usage.model, MODEL_BYTES_MAX));
    this.#costKnown ||= usage.cost_usd_micros !== undefined;
    const id = usage.response_id ?? event_id;
    const known = this.#open.get(id);
    if (usage.response_id !== undefined && !known) this.#responses += 1;
    // Lines of a stream repeat one response's usage while it grows: its largest figure is its figure.
    this.#open.set(id, combine(known, usage, Math.max));
    if (this.#open.size > WINDOW) this.#closeOldest();
  }

  #closeOldest(): void {
    for (const [id, figures] of this.#open) {
      this.#total = combine(this.#total, figures, plus);
      this.#open.delete(id);
      return;
    }
  }

  finish(): Pick<Digest, 'responses' | 'tokens' | 'models' | 'cost_usd_micros'> {
    const total = [...this.#open.values()].reduce(
      (sum, figures) => combine(sum, figures, plus),
      this.#total,
    );
    return {
      responses: this.#responses,
      tokens: {
        input: total.input_tokens,
        output: total.output_tokens,
        cache_read: total.cache_read_tokens,
        cache_write: total.cache_write_tokens,
      },
      models: [...this.#models].sort(),
      ...(this.#costKnown ? { cost_usd_micros: total.cost_usd_micros } : {}),
    };
  }
}
