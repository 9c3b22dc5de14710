import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eventId } from './event-id.ts';

const SESSION = { runtime: 'claude-code', session_id: 'session' };
const counted = (key: string) => ({ key, counted: true });
const named = (key: string) => ({ key, counted: false });

describe('the id of an event', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

  test('hashes runtime, session, key and ordinal, each after its length', () => {
    expect([
      eventId(SESSION, counted('prompt:x'), 0),
      eventId(SESSION, named('tool:t1'), 0),
      eventId(SESSION, counted('prompt:x'), 1),
    ]).toEqual([
      hash('11:claude-code7:session8:prompt:x1:0'),
      hash('11:claude-code7:session7:tool:t10:'),
      hash('11:claude-code7:session8:prompt:x1:1'),
    ]);
  });

  test('is that of every copy of a named event', () => {
    expect(eventId(SESSION, named('t'), 7)).toBe(eventId(SESSION, named('t'), 0));
  });

  test.each([
    ['another runtime', { ...SESSION, runtime: 'cursor' }],
    ['another session', { ...SESSION, session_id: 'other' }],
    ['parts shifted', { runtime: 'claude-codesession', session_id: '' }],
  ])('is another for %s', (_, session) => {
    for (const native of [counted('k'), named('k')])
      expect(eventId(session, native, 0)).not.toBe(eventId(SESSION, native, 0));
  });
});
