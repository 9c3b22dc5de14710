import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import { canonical } from '../base/canonical.ts';
import type { Envelope, Usage } from '../runtime/envelope.ts';
import { UsageMeter } from './usage.ts';

const said = (usage: Usage | undefined, fields: Partial<Envelope> = {}): Envelope =>
  envelope({
    event_type: 'assistant',
    event_id: fields.event_id ?? 'e',
    ...(usage ? { usage } : {}),
    ...fields,
  });
function meter(events: readonly Envelope[]) {
  const usage = new UsageMeter();
  for (const event of events) usage.add(event);
  return usage.finish();
}
const NONE = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

describe('usage per response', () => {
  test('nothing is nothing', () => {
    expect(meter([])).toEqual({ responses: 0, tokens: NONE, models: [] });
  });

  test('the lines of one response count once, with the largest figure of each kind', () => {
    const lines = [
      { response_id: 'm1', model: 'b', input_tokens: 3, output_tokens: 1, cache_read_tokens: 9 },
      { response_id: 'm1', model: 'b', input_tokens: 3, output_tokens: 8 },
      { response_id: 'm1', model: 'b', input_tokens: 3, output_tokens: 5, cache_write_tokens: 2 },
    ];
    expect(meter(lines.map((usage) => said(usage)))).toEqual({
      responses: 1,
      tokens: { input: 3, output: 8, cache_read: 9, cache_write: 2 },
      models: ['b'],
    });
  });

  test('two responses add up, wherever their lines stand', () => {
    const [a, b] = [
      { response_id: 'a', output_tokens: 1 },
      { response_id: 'b', output_tokens: 10 },
    ];
    const more = { response_id: 'a', output_tokens: 2 };
    expect(meter([a, b, more].map((usage) => said(usage)))).toMatchObject({
      responses: 2,
      tokens: { ...NONE, output: 12 },
    });
  });

  test('a call reports the usage of its response too, and is no response', () => {
    const usage = { response_id: 'a', output_tokens: 4 };
    const events = [said(usage), envelope({ event_type: 'tool_call', event_id: 't', usage })];
    expect(meter(events)).toMatchObject({ responses: 1, tokens: { ...NONE, output: 4 } });
  });

  test('a response without an id is one event', () => {
    const events = [
      said({ output_tokens: 4 }, { event_id: 'a' }),
      said(undefined, { event_id: 'b' }),
    ];
    expect(meter(events)).toMatchObject({ responses: 2, tokens: { ...NONE, output: 4 } });
  });

  test('a repeated event is no new response, but its usage may be news', () => {
    const usage = new UsageMeter();
    usage.add(said(undefined));
    usage.add(said(undefined), true);
    usage.add(said({ response_id: 'a', output_tokens: 4 }), true);
    expect(usage.finish()).toMatchObject({ responses: 2, tokens: { ...NONE, output: 4 } });
  });

  test('a cost is there only where one was reported, 0 too', () => {
    expect(meter([said({ response_id: 'a', output_tokens: 1 })])).not.toHaveProperty(
      'cost_usd_micros',
    );
    expect(meter([said({ response_id: 'a', cost_usd_micros: 0 })])).toHaveProperty(
      'cost_usd_micros',
      0,
    );
    const cost = (id: string, cost_usd_micros: number) =>
      said({ response_id: id, cost_usd_micros });
    expect(meter([cost('a', 5), cost('a', 7), cost('b', 1)])).toHaveProperty('cost_usd_micros', 8);
  });

  test('models are sorted, bounded in length and in number', () => {
    expect(
      meter(['b', 'a', 'b'].map((model) => said({ response_id: model, model }))).models,
    ).toEqual(['a', 'b']);
    const many = Array.from({ length: 5_000 }, (_, i) =>
      said({ response_id: 'a', model: `${i} ${'x'.repeat(5_000)}` }),
    );
    const { models } = meter(many);
    expect(models).toHaveLength(100);
    expect(Math.max(...models.map((model) => Buffer.byteLength(model)))).toBeLessThanOrEqual(100);
  });

  test('no figure is larger than a record holds, whatever was claimed, in whatever order', () => {
    const figure = fc.oneof(fc.maxSafeNat(), fc.nat(9), fc.constant(Number.MAX_SAFE_INTEGER));
    const claims = fc.record({ output_tokens: figure, cost_usd_micros: figure });
    fc.assert(
      fc.property(fc.array(claims, { minLength: 1, maxLength: 8 }), (all) => {
        const events = all.map((usage, i) => said({ ...usage, response_id: `r${i}` }));
        const told = meter(events);
        const sum = (of: (claim: (typeof all)[number]) => number) => {
          const exact = all.reduce((total, claim) => total + BigInt(of(claim)), 0n);
          return Math.min(Number(exact), Number.MAX_SAFE_INTEGER);
        };
        expect(told.tokens.output).toBe(sum((claim) => claim.output_tokens));
        expect(told.cost_usd_micros).toBe(sum((claim) => claim.cost_usd_micros));
        expect(meter(events.toReversed())).toEqual(told);
        expect(() => canonical(told)).not.toThrow();
      }),
    );
  });

  test('more responses than are kept apart still add up', () => {
    const events = Array.from({ length: 25_000 }, (_, i) =>
      said({ response_id: `r${i}`, output_tokens: 1 }),
    );
    expect(meter(events)).toMatchObject({ responses: 25_000, tokens: { ...NONE, output: 25_000 } });
  });
});
