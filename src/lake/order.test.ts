import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import { toInstant } from '../base/time.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { orderEvents } from './order.ts';

interface Shape {
  readonly at: number;
  readonly session: string;
  readonly own: string | undefined;
  readonly parent: string | undefined;
}

/** Few messages and instants among many events, so that shared messages, ties and cycles are common. */
const anyMessage = fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { nil: undefined });
const anyEvents = fc
  .array(
    fc.record({
      at: fc.nat(3),
      session: fc.constantFrom('s', 's', 's', 't'),
      own: anyMessage,
      parent: fc.oneof(anyMessage, fc.constant('unknown')),
    }),
    { maxLength: 10 },
  )
  .map((shapes) => shapes.map(build));

function build(shape: Shape, i: number): Envelope {
  return envelope({
    event_id: `event-${String(i).padStart(6, '0')}`,
    emitted_at: toInstant(shape.at),
    session_id: shape.session,
    ...(shape.own === undefined ? {} : { message_id: shape.own }),
    ...(shape.parent === undefined ? {} : { parent_message_id: shape.parent }),
  });
}

function precedes(parent: Envelope, child: Envelope): boolean {
  return (
    parent.session_id === child.session_id &&
    parent.message_id !== undefined &&
    parent.message_id === child.parent_message_id
  );
}

/** The definition, word for word: edges on a cycle dropped, then again and again the smallest free event. */
function oracle(events: readonly Envelope[]): Envelope[] {
  const reach = events.map((from) => events.map((to) => precedes(from, to)));
  for (const [k] of events.entries()) {
    for (const row of reach) {
      if (!row[k]) continue;
      for (const [j, through] of (reach[k] ?? []).entries()) if (through) row[j] = true;
    }
  }
  const left = new Set(events.keys());
  const ordered: Envelope[] = [];
  while (left.size > 0) {
    const free = [...left].filter((child) => {
      return [...left].every((parent) => {
        const [p, c] = [events[parent], events[child]];
        const onCycle = parent === child || reach[child]?.[parent];
        return !(p && c && precedes(p, c)) || onCycle;
      });
    });
    const name = (i: number) => `${events[i]?.emitted_at} ${events[i]?.event_id}`;
    const [next] = free.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
    if (next === undefined) throw new Error('the oracle is stuck');
    left.delete(next);
    ordered.push(...events.slice(next, next + 1));
  }
  return ordered;
}

const ids = (events: readonly Envelope[]) => events.map((event) => event.event_id);

describe('orderEvents', () => {
  test('orders as defined', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        expect(ids(orderEvents(events))).toEqual(ids(oracle(events)));
      }),
      { numRuns: 2_000 },
    );
  });

  test('is the same for every order of the input, and for its own result', () => {
    fc.assert(
      fc.property(
        anyEvents.chain((events) =>
          fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
        ),
        ([events, shuffled]) => {
          const ordered = orderEvents(events);
          expect(orderEvents(shuffled)).toEqual(ordered);
          expect(orderEvents(ordered)).toEqual(ordered);
        },
      ),
    );
  });

  const at = (time: number, own?: string, parent?: string): Shape => {
    return { at: time, session: 's', own, parent };
  };
  test.each<[string, Shape[], number[]]>([
    ['a child that claims to be earlier', [at(1, 'p'), at(0, 'c', 'p')], [0, 1]],
    ['all events of the parent message', [at(0, 'c', 'p'), at(1, 'p'), at(9, 'p')], [1, 2, 0]],
    ['a parent that is not there', [at(1), at(0, 'c', 'gone')], [1, 0]],
    ['an event that is its own parent', [at(1, 'a', 'a'), at(0)], [1, 0]],
    ['a cycle', [at(2, 'a', 'b'), at(1, 'b', 'a'), at(0)], [2, 1, 0]],
    ['what hangs on a cycle', [at(0, 'x', 'a'), at(2, 'a', 'b'), at(1, 'b', 'a')], [2, 1, 0]],
    [
      'an event outside of a cycle whose message it shares',
      [at(9, 'a'), at(2, 'a', 'b'), at(1, 'b', 'a')],
      [1, 0, 2],
    ],
  ])('handles %s', (_, shapes, expected) => {
    const events = shapes.map(build);
    expect(orderEvents(events)).toEqual(expected.map((i) => events[i]));
  });

  test('keeps sessions apart', () => {
    const events = [
      build({ at: 1, session: 's', own: 'p', parent: undefined }, 0),
      build({ at: 0, session: 't', own: 'c', parent: 'p' }, 1),
    ];
    expect(ids(orderEvents(events))).toEqual(['event-000001', 'event-000000']);
  });

  test.each<[string, number, (i: number, many: number) => Shape]>([
    // Each event claims to be earlier than its parent, so that only the chain orders them.
    ['a chain', 200_000, (i, many) => at(many - i, `m${i}`, i === 0 ? undefined : `m${i - 1}`)],
    ['a ring', 50_000, (i, many) => at(i, `m${i}`, `m${(i + many - 1) % many}`)],
    [
      'parents and children of one message',
      50_000,
      (i) => (i % 2 ? at(i, 'p') : at(i, undefined, 'p')),
    ],
  ])('takes %s of %d events', { timeout: 60_000 }, (_, many, shape) => {
    const events = Array.from({ length: many }, (_, i) => build(shape(i, many), i));
    const ordered = orderEvents(events.toReversed());
    expect(new Set(ordered).size).toBe(many);
    if (events[0]?.parent_message_id === undefined) expect(ids(ordered)).toEqual(ids(events));
  });
});
