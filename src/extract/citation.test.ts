import { describe, expect, test } from 'vitest';
import { excerptHash } from '../record/evidence.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { type CitationDraft, CitationDraft as Draft, resolveCitation } from './citation.ts';

const AT = '2026-03-02T09:00:00.000Z';
let counted = 0;
function event(fields: Partial<Envelope>): Envelope {
  counted += 1;
  return {
    schema_version: 1,
    event_id: `e${counted}`,
    emitted_at: AT,
    fleet_id: 'fleet',
    agent_id: 'cc-01',
    runtime: 'claude-code',
    host_id: 'h',
    session_id: 's',
    event_type: 'tool_call',
    redaction: { status: 'clean', rules_fired: [] },
    ...fields,
  };
}

const FENCE = '<credence-context ids="claim:1">port 2222 is taken</credence-context>';
const events = [
  event({ message_id: 'p1', event_type: 'prompt', content: 'Fix the tests, please.' }),
  event({
    message_id: 't1',
    tool: { input: '{"command":"just test"}', result: 'port 2222\nis taken  é\nexit 1' },
  }),
  event({ message_id: 't2', tool: { result: 'exit 1' } }),
  event({ message_id: 't3', tool: { result: `${FENCE}\nnothing else` } }),
  event({ message_id: 'a1', event_type: 'assistant', content: 'One', emitted_at: AT }),
  event({
    message_id: 'a1',
    event_type: 'assistant',
    content: 'Two',
    emitted_at: '2026-03-02T09:00:01.000Z',
  }),
  event({ message_id: 'empty', tool: {} }),
];
const nameless = event({ event_type: 'prompt', content: 'Only hooks saw this.' });

function outcome(cited: Omit<CitationDraft, 'session_id'>, sealed = true, more: Envelope[] = []) {
  return resolveCitation({ session_id: 's', ...cited }, { events: [...events, ...more], sealed });
}

describe('a message', () => {
  test('is cited whole, by what it holds and when it was seen', () => {
    expect(outcome({ message_id: 't2' })).toEqual({
      kind: 'found',
      message: [events[2]],
      citation: {
        session_id: 's',
        message_id: 't2',
        excerpt_hash: excerptHash('exit 1'),
        observed_at: AT,
      },
    });
  });

  test('of several events is all of their texts, from the first one on', () => {
    expect(outcome({ message_id: 'a1' })).toMatchObject({
      citation: { excerpt_hash: excerptHash('One Two'), observed_at: AT },
    });
  });

  test.each<[string, boolean, string]>([
    ['of a sealed session, that is not there', true, 'citation.message'],
    ['of one that goes on', false, 'waits'],
  ])('%s', (_what, sealed, expected) => {
    const made = outcome({ message_id: 'none' }, sealed);
    expect(made.kind === 'refused' ? made.code : made.kind).toBe(expected);
  });

  test('that holds no text is no evidence', () => {
    expect(outcome({ message_id: 'empty' })).toMatchObject({ code: 'citation.empty' });
  });
});

describe('words', () => {
  test('are cited as the bytes in which they stand, whatever the white space', () => {
    const made = outcome({ quote: ' port 2222 is  taken é ' });
    expect(made).toMatchObject({ kind: 'found', citation: { message_id: 't1' } });
    if (made.kind !== 'found') return;
    const { range, excerpt_hash } = made.citation;
    const text = '{"command":"just test"}\nport 2222\nis taken  é\nexit 1';
    const bytes = Buffer.from(text).subarray(range?.start, range?.end).toString();
    expect(bytes).toBe('port 2222\nis taken  é');
    expect(excerpt_hash).toBe(excerptHash(bytes));
  });

  test.each<[string, Omit<CitationDraft, 'session_id'>, boolean, Envelope[], string]>([
    ['that stand in two messages', { quote: 'exit 1' }, true, [], 'citation.ambiguous'],
    [
      'that stand in two messages, of one that is named',
      { quote: 'exit 1', message_id: 't1' },
      true,
      [],
      'found',
    ],
    [
      'that the named message does not hold',
      { quote: 'exit 1', message_id: 'p1' },
      true,
      [],
      'citation.quote',
    ],
    ['that nobody said', { quote: 'exit 2' }, true, [], 'citation.quote'],
    ['that nobody said yet', { quote: 'exit 2' }, false, [], 'waits'],
    ['that we put before the agent', { quote: 'is taken</credence' }, true, [], 'citation.quote'],
    ['beside what we put before the agent', { quote: 'nothing else' }, true, [], 'found'],
    [
      'of a message that has no id yet',
      { quote: 'Only hooks saw this.' },
      false,
      [nameless],
      'waits',
    ],
    [
      'of a message that never gets one',
      { quote: 'Only hooks saw this.' },
      true,
      [nameless],
      'waits',
    ],
    ['that are a pattern', { quote: '.*' }, true, [], 'citation.quote'],
    ['with a lone bracket', { quote: '(exit [' }, true, [], 'citation.quote'],
  ])('%s', (_what, cited, sealed, more, expected) => {
    const made = outcome(cited, sealed, more);
    expect(made.kind === 'refused' ? made.code : made.kind).toBe(expected);
  });

  test('of a large text are found fast, and none of its own making hangs', () => {
    const result = `${' '.repeat(200_000)}${'a '.repeat(50_000)}b`;
    const big = event({ message_id: 'big', tool: { result } });
    const quote = `${'a '.repeat(2_000)}c`;
    expect(outcome({ quote }, true, [big])).toMatchObject({ code: 'citation.quote' });
  });
});

test.each<[string, object]>([
  ['no message and no words', {}],
  ['blank words', { quote: ' \n ' }],
  ['an empty id', { message_id: '' }],
  ['a hash of its own', { message_id: 'm', excerpt_hash: 'f'.repeat(64) }],
])('a citation with %s is none', (_what, fields) => {
  expect(Draft.safeParse({ session_id: 's', ...fields }).success).toBe(false);
});
