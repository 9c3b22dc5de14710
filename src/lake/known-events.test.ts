import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { KnownEvents } from './known-events.ts';
import { mergeEvents } from './merge.ts';

const captured = (id: string, fields: Partial<Envelope> = {}) =>
  envelope({ event_id: id, event_type: 'tool_call', ...fields });
const told = (id: string, fields: Partial<Envelope> = {}): Envelope => ({
  ...captured(id, fields),
  reconciled: true,
});

/** What a transcript adds to captured events, and the coverage. */
function reconcile(have: readonly Envelope[], tells: readonly Envelope[]) {
  const known = new KnownEvents();
  for (const event of have) known.add(event);
  const added = tells.flatMap((event) => known.add(event) ?? []);
  return { added, coverage: known.coverage() };
}

describe('what a transcript adds', () => {
  test('nothing where it tells the same', () => {
    const { added, coverage } = reconcile([captured('a'), captured('b')], [told('a'), told('b')]);
    expect(added).toEqual([]);
    expect(coverage).toEqual({ captured: 2, known: 2 });
  });

  test('what hooks missed, whole', () => {
    const missed = told('b', { content: 'x', cwd: '/w' });
    const { added, coverage } = reconcile([captured('a')], [told('a'), missed]);
    expect(added).toEqual([missed]);
    expect(coverage).toEqual({ captured: 1, known: 2 });
  });

  test('of a known event only what capture did not have', () => {
    const have = captured('a', { cwd: '/w', tool: { name: 'Bash', result: 'seen' } });
    const full = told('a', {
      cwd: '/other',
      message_id: 'm',
      tool: { name: 'Bash', result: 'other', duration_ms: 3 },
    });
    const { added } = reconcile([have], [full]);
    expect(added).toHaveLength(1);
    expect(added[0]).toMatchObject({ event_id: 'a', message_id: 'm', reconciled: true });
    expect(added[0]).not.toHaveProperty('cwd');
    expect(mergeEvents([have, ...added])).toEqual(mergeEvents([have, full]));
  });

  test('of a known event at the time that is known', () => {
    const have = captured('a', { emitted_at: '2026-03-04T05:00:00.000Z' });
    const full = told('a', { emitted_at: '2026-03-04T05:00:07.000Z', message_id: 'm' });
    expect(reconcile([have], [full]).added).toMatchObject([{ emitted_at: have.emitted_at }]);
    // A captured copy’s time counts, wherever it stands.
    const late = reconcile([full, have], [{ ...full, cwd: '/w' }]).added;
    expect(late).toMatchObject([{ emitted_at: have.emitted_at, cwd: '/w' }]);
  });

  test('nothing twice, where the transcript tells of one event in several lines', () => {
    const call = told('a', { tool: { name: 'Bash', input: '{}' } });
    const result = told('a', { tool: { name: 'other', result: 'seen' }, message_id: 'm' });
    const { added } = reconcile([], [call, result, call, result]);
    expect(added).toEqual([call, { ...result, tool: { result: 'seen' } }]);
  });

  test('no hash of another text than the one that is known', () => {
    const have = captured('a', { content: 'mine', tool: { input: '{}' } });
    const full = told('a', {
      content: 'theirs',
      content_hash: 'h',
      tool: { input: '[]', input_hash: 'i' },
    });
    expect(reconcile([have], [full]).added).toEqual([]);
    expect(reconcile([captured('a')], [full]).added).toEqual([full]);
  });

  test('an object without fields, where there was none', () => {
    const full = told('a', { tool: {}, usage: { model: 'm' } });
    expect(reconcile([captured('a')], [full]).added).toEqual([full]);
    expect(reconcile([captured('a', { tool: { name: 'A' } })], [full]).added).toEqual([
      { ...told('a'), usage: { model: 'm' } },
    ]);
  });

  test('the order of members is no news', () => {
    const have = captured('a', { tool: { name: 'Bash', input: '{}' } });
    expect(reconcile([have], [told('a', { tool: { input: '{}', name: 'Bash' } })]).added).toEqual(
      [],
    );
  });
});

describe('coverage', () => {
  test.each<[string, Envelope[], Envelope[], number, number]>([
    ['nothing is known', [], [], 0, 0],
    ['everything was missed', [], [told('a'), told('b')], 0, 2],
    ['the transcript knows less', [captured('a'), captured('b')], [told('a')], 2, 2],
    [
      'replies and ends are no miss',
      [captured('a')],
      [
        told('a'),
        told('r', { event_type: 'assistant' }),
        told('e', { event_type: 'turn_end' }),
        told('o', { event_type: 'other' }),
      ],
      1,
      1,
    ],
    [
      'prompts, calls and compactions are',
      [],
      [told('p', { event_type: 'prompt' }), told('t'), told('c', { event_type: 'compact' })],
      0,
      3,
    ],
    [
      'what an earlier reconciliation added was not captured',
      [captured('a'), told('b')],
      [told('a'), told('b')],
      1,
      2,
    ],
    [
      'a subagent’s prompt is none, for which no hook fires',
      [captured('a', { parent_session_id: 's1' })],
      [
        told('p', { event_type: 'prompt', parent_session_id: 's1' }),
        told('a', { parent_session_id: 's1' }),
        told('b', { parent_session_id: 's1' }),
      ],
      1,
      2,
    ],
    ['nor what was imported', [{ ...captured('a'), imported: true as const }], [told('a')], 0, 1],
  ])('%s', (_what, have, tells, live, known) => {
    expect(reconcile(have, tells).coverage).toEqual({ captured: live, known });
  });
});

test('captured and added, merged, are captured and told, merged', () => {
  const anyFields = fc.record(
    {
      message_id: fc.constantFrom('m', 'n'),
      cwd: fc.constantFrom('/a', '/b'),
      content: fc.constantFrom('x', 'y'),
      usage: fc.record(
        { model: fc.constantFrom('m', 'n'), output_tokens: fc.constantFrom(1, 2) },
        { requiredKeys: [], noNullPrototype: true },
      ),
      turn_id: fc.constantFrom('1', '2'),
      tool: fc.record(
        {
          name: fc.constantFrom('A', 'B'),
          result: fc.constantFrom('r', 's'),
          outcome: fc.constantFrom('ok' as const, 'error' as const),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const events = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), anyFields), {
    selector: ([id]) => id,
  });
  fc.assert(
    fc.property(events, events, (have, tells) => {
      const mine = have.map(([id, fields]) => captured(id, fields));
      const theirs = tells.map(([id, fields]) => told(id, fields));
      const { added } = reconcile(mine, theirs);
      expect(mergeEvents([...mine, ...added])).toEqual(mergeEvents([...mine, ...theirs]));
      // And a second reconciliation finds nothing more.
      expect(reconcile(mergeEvents([...mine, ...added]), theirs).added).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
