import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignOrdinals } from './event-id.ts';

const SESSION = { runtime: 'claude-code', session_id: 'session' };
const NONE = new Map<string, number>();
const counted = (key: string) => ({ native: { key, counted: true } });
const named = (key: string) => ({ native: { key, counted: false } });

describe('assignOrdinals', () => {
  test('hashes runtime, session, key and ordinal, each after its length', () => {
    const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);
    const events = [counted('prompt:x'), named('tool:t1'), counted('prompt:x')];
    expect(assignOrdinals(SESSION, events, NONE)).toEqual({
      ids: [
        hash('11:claude-code7:session8:prompt:x1:0'),
        hash('11:claude-code7:session7:tool:t10:'),
        hash('11:claude-code7:session8:prompt:x1:1'),
      ],
      counts: new Map([['prompt:x', 2]]),
    });
  });

  test('gives a copy of a named event its id again, and equal counted ones an id each', () => {
    const events = [named('t'), named('t'), counted('p'), counted('p')];
    const [one, copy, first, second] = assignOrdinals(SESSION, events, NONE).ids;
    expect(copy).toBe(one);
    expect(second).not.toBe(first);
  });

  test.each([
    ['another runtime', { ...SESSION, runtime: 'cursor' }],
    ['another session', { ...SESSION, session_id: 'other' }],
    ['parts shifted', { runtime: 'claude-codesession', session_id: '' }],
  ])('gives other ids for %s', (_, session) => {
    const events = [counted('k'), named('k')];
    const ours = assignOrdinals(SESSION, events, NONE).ids;
    for (const id of assignOrdinals(session, events, NONE).ids) expect(ours).not.toContain(id);
  });

  test('gives the same ids and counts wherever the spool is cut, and keeps the prior counts', () => {
    const anyEvents = fc.array(
      fc
        .record({ key: fc.constantFrom('a', 'b', '__proto__'), counted: fc.boolean() })
        .map((native) => ({ native })),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(anyEvents, fc.nat(12), (events, cut) => {
        const whole = assignOrdinals(SESSION, events, NONE);
        const head = assignOrdinals(SESSION, events.slice(0, cut), NONE);
        const before = new Map(head.counts);
        const tail = assignOrdinals(SESSION, events.slice(cut), head.counts);
        expect(head.counts).toEqual(before);
        expect([...head.ids, ...tail.ids]).toEqual(whole.ids);
        expect(tail.counts).toEqual(whole.counts);
      }),
    );
  });
});
