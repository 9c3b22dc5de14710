import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { ownWordsIn } from './own-words.ts';
import { shownOfSession } from './shown.ts';

const TOLD =
  'cargo test needs the flag that denies warnings or else the clippy gate fails later on';
const claim = { kind: 'claim', id: 'c1', source: 's0', observed_by: 'cc-01' } as const;
const textOf = ({ id }: { id: string }) => (id === 'c1' ? [TOLD] : []);
const injected: Envelope = envelope({ injected_context: [claim] });

/** What is left of a text in a session that was told what `before` says. */
const left = (text: string, before: readonly Envelope[] = []) =>
  ownWordsIn([...before, envelope({ content: text })], [], textOf)(text);

const OPEN = '<credence-context ids="claim:c1">';
const CLOSE = '</credence-context>';

describe('fences', () => {
  test.each<[string, string, string]>([
    ['one', `a ${OPEN}told${CLOSE} b`, 'a  b'],
    ['two', `a${OPEN}x${CLOSE}b${OPEN}y${CLOSE}c`, 'abc'],
    ['one in another', `a ${OPEN}x ${OPEN}y${CLOSE} z${CLOSE} b`, 'a  b'],
    ['an unclosed one', `a ${OPEN}told and told`, 'a '],
    ['one that is unclosed inside', `a ${OPEN}x ${OPEN}y${CLOSE} still told`, 'a '],
    ['a closing one alone', `a ${CLOSE} b`, `a ${CLOSE} b`],
    ['one that begins before the other ended', `a ${OPEN}x${CLOSE}${CLOSE} b`, `a ${CLOSE} b`],
    ['one without a name', 'a <credence-context>told</credence-context> b', 'a  b'],
    [
      'one in JSON',
      'a \\u003ccredence-context ids=\\"x\\"\\u003etold\\u003c/credence-context\\u003e b',
      'a  b',
    ],
    ['one in HTML', 'a &lt;credence-context&gt;told&lt;/credence-context&gt; b', 'a  b'],
    [
      'one in capitals, with spaces',
      'a < CREDENCE-Context ids="">told</ credence-context > b',
      'a  b',
    ],
    ['one with line feeds', `a ${OPEN}\nx\ny\n${CLOSE} b`, 'a  b'],
    ['one whose end is cut', `a ${OPEN}x</credence-context`, 'a '],
    ['what only looks like one', 'a <credence-contextual>mine b', 'a <credence-contextual>mine b'],
    ['the word alone', 'the credence-context element', 'the credence-context element'],
  ])('%s', (_what, text, expected) => expect(left(text)).toBe(expected));

  test('no words from inside of one are left, however it is nested', () => {
    const piece = fc.constantFrom(OPEN, CLOSE, 'own ', '\n', '<', 'credence-context');
    fc.assert(
      fc.property(fc.array(piece), fc.array(piece), (before, after) => {
        const depth = before.reduce(
          (n, one) => (one === OPEN ? n + 1 : one === CLOSE ? Math.max(0, n - 1) : n),
          0,
        );
        const text = [...before, OPEN, 'SECRET', CLOSE, ...after].join('');
        expect(left(text)).not.toContain('SECRET');
        if (depth === 0 && !before.includes('<'))
          expect(left([...before, 'MINE'].join(''))).toContain('MINE');
      }),
    );
  });
});

describe('what repeats what was told', () => {
  test.each<[string, string, boolean]>([
    ['word by word', TOLD, false],
    ['in other case and spacing', TOLD.toUpperCase().replaceAll(' ', '\n  '), false],
    ['with a word before and behind', `So ${TOLD}, I know.`, false],
    ['more than half of it', TOLD.split(' ').slice(0, 13).join(' '), false],
    ['less than half of it', TOLD.split(' ').slice(0, 9).join(' '), true],
    ['in words of its own', 'clippy fails unless warnings are denied', true],
  ])('%s', (_what, text, isLeft) => {
    const words = text.match(/[a-z]+/gi)?.slice(1, 9) ?? [];
    const rest = left(text, [injected]).toLowerCase();
    expect(words.some((word) => rest.includes(word.toLowerCase()) && word.length > 5)).toBe(isLeft);
    // Nobody told it this: then it is an observation of its own.
    expect(left(text)).toBe(text);
  });

  test('what stands beside it is left', () => {
    expect(left(`It ran. ${TOLD}. Then port 5433 was taken.`, [injected])).toBe(
      'It ran. . Then port 5433 was taken.',
    );
  });

  test('what a fence in the session says counts as told, with or without its head', () => {
    const shown = envelope({
      tool: {
        result: `${OPEN}\n- [cc-03, 2026-03-09, repo scope, 2 sessions, conf 0.75] (3fa9c1d20b7e) ${TOLD}\n${CLOSE}`,
      },
    });
    expect(left(`Note: ${TOLD}`, [shown])).toBe('Note: ');
  });

  test('what its parent was told, it was told too', () => {
    const own = ownWordsIn([envelope({ content: TOLD })], [injected], textOf);
    expect(own(TOLD)).toBe('');
  });
});

describe('what is shown of a session', () => {
  const message = (id: string, content: string): Envelope =>
    envelope({ message_id: id, event_type: 'assistant', content });
  const shown = (events: readonly Envelope[], tokens = 1_000) =>
    shownOfSession(events, (text) => text, tokens);

  test('the oldest is left out first', () => {
    const events = Array.from({ length: 40 }, (_, i) =>
      message(`m${i}`, `message ${i} ${'word '.repeat(20)}`),
    );
    const ids = shown(events, 600).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(3);
    expect(ids.length).toBeLessThan(20);
    expect(ids.at(-1)).toBe('m39');
    expect(ids).toEqual(events.slice(-ids.length).map(({ message_id }) => message_id));
  });

  test('a long output keeps its beginning and its end', () => {
    const [only] = shown([message('m', `BEGIN ${'x '.repeat(9_000)} END`)]);
    expect(only?.text).toMatch(/^BEGIN [\s\S]*\n\[…\]\n[\s\S]* END$/);
    expect(Buffer.byteLength(only?.text ?? '')).toBeLessThan(1_000);
  });

  test.each<[string, Partial<Envelope>]>([
    [
      'what has no id',
      { message_id: undefined, event_type: 'prompt', content: 'x' } as Partial<Envelope>,
    ],
    [
      'what an agent thinks',
      { message_id: 'm', event_type: 'assistant', role: 'thinking', content: 'x' },
    ],
    ['what a system says', { message_id: 'm', event_type: 'prompt', role: 'system', content: 'x' }],
    ['what says nothing', { message_id: 'm', event_type: 'assistant', content: ' \n ' }],
    ['what is no message', { message_id: 'm', event_type: 'session_start', content: 'x' }],
  ])('not %s', (_what, fields) => {
    const { message_id: _, ...rest } = envelope({});
    expect(
      shown([
        {
          ...rest,
          ...(fields.message_id === undefined ? {} : { message_id: fields.message_id }),
          ...fields,
        } as Envelope,
      ]),
    ).toEqual([]);
  });
});
