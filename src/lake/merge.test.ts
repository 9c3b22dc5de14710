import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEnvelope, envelope } from '../../test/kit/envelopes.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { mergeEvents } from './merge.ts';

const SHA = (digit: string) => digit.repeat(64);
const isCaptured = (copy: Envelope) => !copy.imported && !copy.reconciled;
const byId = (events: readonly Envelope[]) =>
  events.toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1));

/** Envelopes that share few event ids. */
const anyCopies = fc.array(
  fc
    .tuple(anyEnvelope, fc.constantFrom('a', 'b', 'c'))
    .map(([any, event_id]) => ({ ...any, event_id })),
  { maxLength: 8 },
);

/** What the rules say of one scalar field: captured copies first, then the others, in input order. */
function oracle(copies: readonly Envelope[], at: (copy: Envelope) => unknown): unknown {
  const ranked = [...copies.filter(isCaptured), ...copies.filter((copy) => !isCaptured(copy))];
  return ranked.map(at).find((value) => value !== undefined);
}

const SCALARS: readonly ((copy: Envelope) => unknown)[] = [
  (copy) => copy.emitted_at,
  (copy) => copy.agent_id,
  (copy) => copy.runtime_version,
  (copy) => copy.turn_id,
  (copy) => copy.message_id,
  (copy) => copy.parent_message_id,
  (copy) => copy.event_type,
  (copy) => copy.role,
  (copy) => copy.content,
  (copy) => copy.tool?.name,
  (copy) => copy.tool?.input,
  (copy) => copy.tool?.result,
  (copy) => copy.tool?.exit_code,
  (copy) => copy.tool?.paths,
  (copy) => copy.usage?.model,
  (copy) => copy.usage?.output_tokens,
];

describe('mergeEvents', () => {
  test('gives each event once, in order of appearance, each field by its rank', () => {
    fc.assert(
      fc.property(anyCopies, (copies) => {
        const merged = mergeEvents(copies);
        expect(merged.map((one) => one.event_id)).toEqual([
          ...new Set(copies.map((copy) => copy.event_id)),
        ]);
        for (const one of merged) {
          const own = copies.filter((copy) => copy.event_id === one.event_id);
          for (const at of SCALARS) expect(at(one)).toEqual(oracle(own, at));
          const captured = own.some(isCaptured);
          expect(one.imported).toBe(captured ? undefined : oracle(own, (copy) => copy.imported));
          expect(one.reconciled).toBe(
            captured ? undefined : oracle(own, (copy) => copy.reconciled),
          );
          expect('imported' in one && captured).toBe(false);
        }
      }),
    );
  });

  test('unites what was injected and which rules fired, and keeps the worst status', () => {
    const worst = ['clean', 'redacted', 'withheld'];
    fc.assert(
      fc.property(anyCopies, (copies) => {
        for (const one of mergeEvents(copies)) {
          const own = copies.filter((copy) => copy.event_id === one.event_id);
          const rules = own.flatMap((copy) => copy.redaction.rules_fired);
          expect(new Set(one.redaction.rules_fired)).toEqual(new Set(rules));
          const statuses = own.map((copy) => worst.indexOf(copy.redaction.status));
          expect(worst.indexOf(one.redaction.status)).toBe(Math.max(...statuses));
          const named = (copy: Envelope) =>
            (copy.injected_context ?? []).map(({ kind, id }) => JSON.stringify([kind, id]));
          expect(named(one).toSorted()).toEqual([...new Set(own.flatMap(named))].toSorted());
        }
      }),
    );
  });

  test('is unmoved by merging again, and by copies that are equal', () => {
    fc.assert(
      fc.property(anyCopies, (copies) => {
        const merged = mergeEvents(copies);
        expect(mergeEvents(merged)).toEqual(merged);
        expect(mergeEvents([...copies, ...copies])).toEqual(merged);
      }),
    );
  });

  test('depends on the order only among copies of one event and one rank', () => {
    fc.assert(
      fc.property(
        anyCopies.chain((copies) =>
          fc.tuple(fc.constant(copies), fc.shuffledSubarray(copies, { minLength: copies.length })),
        ),
        ([copies, shuffled]) => {
          // The places of each class stay shuffled, while its copies take them in their old order.
          const classOf = (copy: Envelope) => `${copy.event_id} ${isCaptured(copy)}`;
          const queues = new Map<string, Envelope[]>();
          for (const copy of copies) {
            queues.set(classOf(copy), [...(queues.get(classOf(copy)) ?? []), copy]);
          }
          const woven = shuffled.flatMap((copy) => queues.get(classOf(copy))?.shift() ?? []);
          expect(woven).toHaveLength(copies.length);
          expect(byId(mergeEvents(woven))).toEqual(byId(mergeEvents(copies)));
        },
      ),
    );
  });

  test('of a captured and an imported copy, many times over, is the same however it is grouped', () => {
    const anyPair = fc.tuple(anyEnvelope, anyEnvelope).map(([one, two]): [Envelope, Envelope] => {
      const { imported: _i, reconciled: _r, ...captured } = one;
      return [
        { ...captured, event_id: 'a' },
        { ...two, event_id: 'a', imported: true },
      ];
    });
    const anyGroups = fc.array(fc.array(fc.nat(1), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(anyPair, anyGroups, (pair, groups) => {
        const picked = groups.map((group) => group.map((i) => pair[i as 0 | 1]));
        const grouped = mergeEvents(picked.flatMap((group) => mergeEvents(group)));
        expect(grouped).toEqual(mergeEvents(picked.flat()));
      }),
    );
  });

  test('lets a captured value win, and fills in what it lacks', () => {
    const [merged] = mergeEvents([
      envelope({ content: 'imported', role: 'user', imported: true, turn_id: 't' }),
      envelope({ content: 'captured', tool: { name: 'Bash' } }),
      envelope({ content: 'later', tool: { name: 'Other', exit_code: 1 }, branch: 'main' }),
    ]);
    expect(merged).toEqual(
      envelope({
        content: 'captured',
        role: 'user',
        turn_id: 't',
        branch: 'main',
        tool: { name: 'Bash', exit_code: 1 },
      }),
    );
  });

  test('sorts what it unites, a captured item before another of its name', () => {
    const item = (id: string, source: string) => {
      return { kind: 'claim' as const, id, source, observed_by: 'cc-01' };
    };
    const copy = (ids: readonly string[], source: string) => ({
      injected_context: ids.map((id) => item(id, source)),
      redaction: { status: 'redacted' as const, rules_fired: [...ids] },
    });
    const [merged] = mergeEvents([
      envelope({ ...copy(['d', 'b'], 'transcript'), imported: true }),
      envelope(copy(['c', 'b', 'a'], 'captured')),
    ]);
    expect(merged?.redaction.rules_fired).toEqual(['a', 'b', 'c', 'd']);
    expect(merged?.injected_context).toEqual([
      ...['a', 'b', 'c'].map((id) => item(id, 'captured')),
      item('d', 'transcript'),
    ]);
  });

  test.each([
    ['of the text that won', SHA('a'), SHA('b'), SHA('a')],
    ['none, where only another text has one', undefined, SHA('b'), undefined],
  ])('keeps a hash beside its text: %s', (_, own, other, expected) => {
    const hashed = (text: string, hash?: string) => ({
      content: text,
      ...(hash ? { content_hash: hash } : {}),
      tool: { input: text, ...(hash ? { input_hash: hash } : {}) },
    });
    const [merged] = mergeEvents([
      envelope({ ...hashed('transcript', other), reconciled: true }),
      envelope(hashed('captured', own)),
    ]);
    expect([merged?.content, merged?.content_hash]).toEqual(['captured', expected]);
    expect([merged?.tool?.input, merged?.tool?.input_hash]).toEqual(['captured', expected]);
  });

  test('changes nothing of what it is given', () => {
    const copies = [envelope({ tool: { name: 'x' } }), envelope({ tool: { result: 'y' } })];
    const before = structuredClone(copies);
    mergeEvents(copies);
    expect(copies).toEqual(before);
  });

  test('takes 200,000 copies of one event', () => {
    const copies = Array.from({ length: 200_000 }, (_, i) => envelope({ turn_id: String(i) }));
    expect(mergeEvents(copies)).toEqual([copies[0]]);
  });
});
