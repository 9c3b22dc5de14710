import type { Digest } from '../record/digest.ts';
import type { Envelope, Usage } from '../runtime/envelope.ts';

const FIELDS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_usd_micros',
] as const;
type Field = (typeof FIELDS)[number];
type Figures = Record<Field, number>;

/** Lines of a stream repeat one response's usage while it grows: the largest figure of a response is its figure. */
function largest(known: Figures | undefined, usage: Usage): Figures {
  const pairs = FIELDS.map((field) => [field, Math.max(known?.[field] ?? 0, usage[field] ?? 0)]);
  return Object.fromEntries(pairs) as Figures;
}

/** Tokens, models and cost of a session, each response counted once. */
export function usageOf(
  events: readonly Envelope[],
): Pick<Digest, 'tokens' | 'models' | 'cost_usd_micros'> {
  const responses = new Map<string, Figures>();
  for (const { usage, event_id } of events) {
    if (usage === undefined) continue;
    const id = usage.response_id ?? event_id;
    responses.set(id, largest(responses.get(id), usage));
  }
  const sum = (field: Field) =>
    [...responses.values()].reduce((total, figures) => total + figures[field], 0);
  const models = new Set(events.flatMap((event) => event.usage?.model ?? []));
  const costKnown = events.some((event) => event.usage?.cost_usd_micros !== undefined);
  return {
    tokens: {
      input: sum('input_tokens'),
      output: sum('output_tokens'),
      cache_read: sum('cache_read_tokens'),
      cache_write: sum('cache_write_tokens'),
    },
    models: [...models].sort(),
    ...(costKnown ? { cost_usd_micros: sum('cost_usd_micros') } : {}),
  };
}
