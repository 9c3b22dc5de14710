import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import { canonical } from '../base/canonical.ts';
import { toInstant } from '../base/time.ts';
import { mergeEvents } from '../lake/merge.ts';
import { orderEvents } from '../lake/order.ts';
import { Digest } from '../record/digest.ts';
import type { Envelope, ToolCall } from '../runtime/envelope.ts';
import { Digester, digestOf } from './digest.ts';

const START = 1_772_600_000_000;
/** An event `s` seconds in. */
const at = (s: number, fields: Partial<Envelope>): Envelope =>
  envelope({ event_id: `e${s}`, emitted_at: toInstant(START + s * 1_000), ...fields });
const prompt = (s: number, content: string) =>
  at(s, { event_type: 'prompt', role: 'user', content });
const reply = (s: number, content: string, fields: Partial<Envelope> = {}) =>
  at(s, { event_type: 'assistant', role: 'assistant', content, ...fields });
const call = (s: number, tool: ToolCall, id = `t${s}`) =>
  at(s, {
    event_type: 'tool_call',
    event_id: id,
    message_id: id,
    tool: { name: 'Bash', input: JSON.stringify({ command: `run ${id}` }), ...tool },
  });
const ok: ToolCall = { outcome: 'ok', exit_code: 0 };
const bad: ToolCall = { outcome: 'error', exit_code: 1 };

describe('outcome', () => {
  test.each<[string, Envelope[], Digest['outcome']]>([
    ['no event', [], 'clean'],
    ['an answered prompt', [prompt(0, 'a'), reply(1, 'b')], 'clean'],
    ['a prompt without an answer', [prompt(0, 'a')], 'abandoned'],
    [
      'a second prompt without an answer',
      [prompt(0, 'a'), reply(1, 'b'), prompt(2, 'c')],
      'abandoned',
    ],
    ['a prompt answered by a call', [prompt(0, 'a'), call(1, ok)], 'clean'],
    [
      'a prompt answered by a turn’s end alone',
      [prompt(0, 'a'), at(1, { event_type: 'turn_end' })],
      'clean',
    ],
    [
      'a thought is an answer',
      [prompt(0, 'a'), at(1, { event_type: 'assistant', role: 'thinking' })],
      'clean',
    ],
    ['the last call failed', [prompt(0, 'a'), call(1, ok), call(2, bad)], 'error'],
    [
      'the last call failed, and the agent said so',
      [prompt(0, 'a'), call(1, bad), reply(2, 'It fails.')],
      'error',
    ],
    ['a failure that was mended', [prompt(0, 'a'), call(1, bad), call(2, ok)], 'clean'],
    ['the last two failed', [prompt(0, 'a'), call(1, bad), call(2, bad)], 'error'],
    [
      'the last three failed',
      [prompt(0, 'a'), call(1, bad), call(2, bad), call(3, bad)],
      'abandoned',
    ],
    ['the last call was refused', [prompt(0, 'a'), call(1, { outcome: 'denied' })], 'clean'],
    [
      'the last call was interrupted',
      [prompt(0, 'a'), call(1, { outcome: 'interrupted' })],
      'clean',
    ],
    [
      'the runtime reported an error at last',
      [prompt(0, 'a'), reply(1, 'API Error', { detail: 'api_error' })],
      'error',
    ],
    [
      'the runtime went on after it',
      [prompt(0, 'a'), reply(1, 'x', { detail: 'api_error' }), reply(2, 'done')],
      'clean',
    ],
    [
      'a call in the middle whose result never came hides no failure',
      [prompt(0, 'a'), call(1, {}), call(2, bad)],
      'error',
    ],
    ['an end that was never captured decides nothing', [prompt(0, 'a'), reply(1, 'b')], 'clean'],
    [
      'an end that was captured decides nothing',
      [prompt(0, 'a'), at(1, { event_type: 'session_end' })],
      'abandoned',
    ],
  ])('%s: %3$s', (_what, events, outcome) => {
    expect(digestOf(events).outcome).toBe(outcome);
  });
});

describe('counts', () => {
  test('prompts, turns, compactions, time, and what was checked out', () => {
    const digest = digestOf([
      at(0, { event_type: 'session_start', git_sha: 'a'.repeat(40), branch: 'main', cwd: '/w' }),
      prompt(1, 'one'),
      prompt(2, 'two'),
      reply(3, 'answer', { usage: { response_id: 'r', model: 'm', output_tokens: 2 } }),
      prompt(4, 'three'),
      call(5, ok),
      at(6, { event_type: 'compact' }),
      at(7, {
        event_type: 'turn_end',
        content: 'All done.',
        git_sha: 'b'.repeat(40),
        branch: 'side',
      }),
      at(8, { event_type: 'other', content: 'noise' }),
      at(65, { event_type: 'session_end' }),
    ]);
    expect(digest).toMatchObject({
      asked: 'one',
      replied: 'All done.',
      prompts: 3,
      turns: 2,
      compactions: 1,
      responses: 1,
      tool_calls: 1,
      tool_errors: 0,
      duration_ms: 65_000,
      git_sha_before: 'a'.repeat(40),
      git_sha_after: 'b'.repeat(40),
      branch: 'side',
      tokens: { input: 0, output: 2, cache_read: 0, cache_write: 0 },
      models: ['m'],
    });
    expect(Digest.safeParse(digest).error).toBeUndefined();
  });

  test('an empty session has a digest', () => {
    const digest = digestOf([]);
    expect(digest).toMatchObject({ prompts: 0, duration_ms: 0, outcome: 'clean' });
    expect(digest).not.toHaveProperty('asked');
    expect(Digest.safeParse(digest).error).toBeUndefined();
  });

  test('coverage is there where it is known', () => {
    expect(digestOf([], { captured: 3, known: 4 }).coverage).toEqual({ captured: 3, known: 4 });
    expect(digestOf([])).not.toHaveProperty('coverage');
  });

  test('the time runs from the earliest to the latest event, in whatever order they come', () => {
    expect(digestOf([reply(9, 'b'), prompt(2, 'a'), reply(5, 'c')]).duration_ms).toBe(7_000);
  });
});

describe('excerpts', () => {
  const asked = (content: string) => digestOf([prompt(0, content)]).asked;
  test.each<[string, string | undefined]>([
    ['  Fix\n\tit  ', 'Fix it'],
    ['a <credence-context ids="digest:x">told</credence-context> b', 'a b'],
    ['<credence-context ids="digest:x">told', undefined],
    ['', undefined],
    [' \n ', undefined],
    ['é'.repeat(300), `${'é'.repeat(138)}…`],
  ])('%j is %j', (content, expected) => {
    expect(asked(content)).toBe(expected);
  });

  test('the first prompt that says something is what was asked', () => {
    expect(digestOf([prompt(0, ' '), prompt(1, 'real')]).asked).toBe('real');
  });

  test('the last reply, not a thought, is what was replied', () => {
    const thought = at(3, { event_type: 'assistant', role: 'thinking', content: 'hm' });
    expect(digestOf([reply(1, 'one'), reply(2, 'two'), thought]).replied).toBe('two');
  });
});

/** A session whose results come in the order of the calls, as events that were not merged yet. */
const anySession = fc
  .array(
    fc.record({
      kind: fc.constantFrom('prompt', 'reply', 'call', 'call', 'file', 'open', 'compact', 'turn'),
      fails: fc.boolean(),
      at: fc.integer({ min: 1, max: 5 }),
      which: fc.integer({ min: 0, max: 3 }),
    }),
    { maxLength: 25 },
  )
  .map((steps) => {
    let s = 0;
    const events = steps.flatMap(({ kind, fails, at: gap, which }): Envelope[] => {
      s += gap;
      const id = `t${s}`;
      const usage = {
        response_id: `r${which}`,
        model: `m${which}`,
        output_tokens: which * 3 + gap,
      };
      const tool = {
        name: 'Bash',
        input: JSON.stringify({ command: which === 0 ? 'npm test' : `run ${which}` }),
      };
      switch (kind) {
        case 'prompt':
          return [prompt(s, `prompt ${which}`)];
        case 'reply':
          return [reply(s, `reply ${which}`, { usage })];
        case 'call': {
          const opened = at(s, { event_type: 'tool_call', event_id: id, tool, usage });
          s += 1;
          return [
            opened,
            at(s, {
              event_type: 'tool_call',
              event_id: id,
              tool: { ...tool, ...(fails ? bad : ok) },
            }),
          ];
        }
        case 'file':
          return [
            at(s, {
              event_type: 'tool_call',
              event_id: id,
              tool: { name: fails ? 'Read' : 'Edit', paths: [`/w/${which}`], outcome: 'ok' },
            }),
          ];
        case 'open':
          return [at(s, { event_type: 'tool_call', event_id: id, tool })];
        case 'compact':
          return [at(s, { event_type: 'compact' })];
        default:
          return [at(s, { event_type: 'turn_end', content: `end ${which}` })];
      }
    });
    // A merged call stands where the call does: something after it says when its result was there.
    return [...events, at(s + 1, { event_type: 'other' })];
  });

/** The digest of events that come run by run: a later run can repeat or complete what an earlier one had. */
function inParts(parts: readonly (readonly Envelope[])[]): Digest {
  const digester = new Digester();
  for (const part of parts) for (const event of orderEvents(mergeEvents(part))) digester.add(event);
  return digester.finish();
}
function split<T>(items: readonly T[], cuts: readonly number[]): T[][] {
  const places = [
    0,
    ...cuts.map((cut) => cut % (items.length + 1)).sort((a, b) => a - b),
    items.length,
  ];
  return places.slice(1).map((end, i) => items.slice(places[i], end));
}

describe('the same events give the same digest', () => {
  test('however they are cut into parts', () => {
    fc.assert(
      fc.property(anySession, fc.array(fc.nat(), { maxLength: 5 }), (events, cuts) => {
        expect(inParts(split(events, cuts))).toEqual(inParts([events]));
      }),
      { numRuns: 300 },
    );
  });

  test('whatever a last part repeats, as a reconciliation or a second import does', () => {
    fc.assert(
      fc.property(
        anySession,
        fc.array(fc.nat(), { maxLength: 3 }),
        fc.subarray(Array.from({ length: 60 }, (_, i) => i)),
        (events, cuts, again) => {
          const repeated = again
            .flatMap((i) => events[i] ?? [])
            .map((event): Envelope => ({ ...event, reconciled: true }));
          // What only completes a call is news, not a repeat: the first copy of each event is left as it was.
          const slim = repeated.map(({ tool: _, ...event }) => event);
          expect(inParts([...split(events, cuts), slim])).toEqual(inParts([events]));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('to the byte, when it is made again', () => {
    fc.assert(
      fc.property(anySession, (events) => {
        const merged = orderEvents(mergeEvents(events));
        expect(canonical(digestOf(merged))).toBe(canonical(digestOf(structuredClone(merged))));
      }),
      { numRuns: 50 },
    );
  });
});

test('a call and its result are one, wherever the result stands', () => {
  const opened = call(1, {}, 'x');
  const done = at(9, { event_type: 'tool_call', event_id: 'x', tool: { result: 'r', ...bad } });
  expect(digestOf([opened, done])).toMatchObject({
    tool_calls: 1,
    tool_errors: 1,
    commands: [{ command: 'run x', runs: 1, failed: 1, exit: 1 }],
  });
  expect(digestOf([done])).toMatchObject({ tool_calls: 1, tool_errors: 1, commands: [] });
});

test('calls beyond those that are kept waiting are counted all the same', () => {
  const digester = new Digester();
  for (let i = 0; i < 12_000; i++) digester.add(call(i, {}, `c${i}`));
  digester.add(call(1, ok, 'c0'));
  expect(digester.finish()).toMatchObject({ tool_calls: 12_000 });
});
