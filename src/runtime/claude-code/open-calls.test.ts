import { describe, expect, test } from 'vitest';
import type { Event } from '../envelope.ts';
import type { TranscriptReader } from '../transcript.ts';
import { claudeTranscript } from './transcript.ts';

const SOURCE = { session: 's1' };
const reader = (saved?: unknown) => claudeTranscript(SOURCE, saved);

function read(from: TranscriptReader, fields: object): Event | undefined {
  const outcome = from.line(JSON.stringify({ sessionId: 's1', cwd: '/w', ...fields }));
  return outcome.kind === 'skipped' ? undefined : outcome.events[0];
}
const call = (from: TranscriptReader, id: string, input: unknown, more: object = {}) =>
  read(from, {
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id, name: 'X', input }] },
    ...more,
  });
const result = (from: TranscriptReader, id: string, more: object = {}) =>
  read(from, {
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'seen' }] },
    ...more,
  });
const isOpen = (from: TranscriptReader) => (from.state() as { open: unknown[] }).open;

describe('a result goes with what its call asked', () => {
  test('its input, the files that this names, and where', () => {
    const from = reader();
    expect(call(from, 't1', { file_path: 'a.md', limit: 3 })).not.toHaveProperty('asked');
    const event = result(from, 't1', { cwd: '/elsewhere' });
    expect(event?.tool).toEqual({ result: 'seen', outcome: 'ok' });
    expect(event?.asked).toEqual({
      input: '{"file_path":"a.md","limit":3}',
      paths: ['a.md'],
      cwd: '/w',
    });
  });

  test('each with its own, in whatever order they come', () => {
    const from = reader();
    for (const id of ['a', 'b', 'c']) call(from, id, { command: id });
    const asked = ['c', 'a', 'b'].map((id) => result(from, id)?.asked);
    expect(asked).toMatchObject(['c', 'a', 'b'].map((id) => ({ input: `{"command":"${id}"}` })));
    expect(isOpen(from)).toEqual([]);
  });

  test('several of one line too', () => {
    const from = reader();
    const block = (id: string) => ({ type: 'tool_use', id, name: 'X', input: { command: id } });
    const text = { type: 'text', text: 'I look.' };
    read(from, { type: 'assistant', message: { content: [text, block('a'), block('b')] } });
    expect([result(from, 'b')?.asked, result(from, 'a')?.asked]).toMatchObject([
      { input: '{"command":"b"}' },
      { input: '{"command":"a"}' },
    ]);
  });

  test('also where the reading was resumed in between', () => {
    const before = reader();
    call(before, 't1', { file_path: '/w/a' });
    call(before, 't2', { command: 'ls' }, { cwd: undefined });
    const after = reader(JSON.parse(JSON.stringify(before.state())));
    for (const id of ['t1', 't2']) expect(result(after, id)).toEqual(result(before, id));
  });
});

describe('what a call asked is unknown', () => {
  test.each<[string, (from: TranscriptReader) => void]>([
    ['where there was none', () => {}],
    [
      'where it had its result already',
      (from) => {
        call(from, 't', { command: 'ls' });
        result(from, 't');
      },
    ],
    ['where it asked nothing that can be written', (from) => call(from, 't', undefined)],
    ['where it is too long', (from) => call(from, 't', { command: 'x'.repeat(70_000) })],
    [
      'where many came after it',
      (from) => {
        for (let n = 0; n <= 256; n++) call(from, n === 0 ? 't' : `t${n}`, { command: 'ls' });
      },
    ],
    [
      'where long ones came after it',
      (from) => {
        for (let n = 0; n <= 17; n++)
          call(from, n === 0 ? 't' : `t${n}`, { a: 'x'.repeat(64_000) });
      },
    ],
  ])('%s', (_what, before) => {
    const from = reader();
    before(from);
    expect(result(from, 't')?.asked).toBe('unknown');
  });

  test.each([undefined, 7, [7], [['tool:t']], [['tool:t', { input: 7 }]], [[7, { input: '{}' }]]])(
    'in a saved state that says %j',
    (open) => {
      expect(result(reader({ open }), 't')?.asked).toBe('unknown');
    },
  );
});

describe('the state stays small', () => {
  const long = 'x'.repeat(1_000_000);
  test.each<[string, object, object]>([
    ['a file that is written', { file_path: '/w/a', content: long }, { content: '' }],
    [
      'an edit',
      { path: '/w/a', old_string: long, new_string: 'b' },
      { old_string: '', new_string: '' },
    ],
    [
      'several edits',
      { file_path: '/w/a', edits: [{ old_string: long, new_string: long }] },
      { edits: [{ old_string: '', new_string: '' }] },
    ],
    ['a task', { prompt: long, subagent_type: 'x' }, { prompt: '' }],
  ])('of %s without the text', (_what, input, without) => {
    const from = reader();
    call(from, 't', input);
    expect(JSON.stringify(from.state()).length).toBeLessThan(1_000);
    const { asked } = result(from, 't') ?? {};
    if (asked === undefined || asked === 'unknown') throw new Error('not known');
    expect(JSON.parse(asked.input)).toEqual({ ...input, ...without });
  });

  test('whatever is called and never answered', () => {
    const from = reader();
    for (let n = 0; n < 300; n++) call(from, `t${n}`, { command: `${n} ${'x'.repeat(60_000)}` });
    expect(JSON.stringify(from.state()).length).toBeLessThan(1_200_000);
    for (let n = 0; n < 300; n++) call(from, `t${n}`, { command: `${n}` });
    expect(isOpen(from).length).toBeLessThanOrEqual(256);
  });

  test('nesting beyond any stack is not looked into', () => {
    const from = reader();
    for (const depth of [1_000, 10_000, 100_000]) {
      const deep = `${'['.repeat(depth)}"${long}"${']'.repeat(depth)}`;
      from.line(
        `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"X","input":${deep}}]}}`,
      );
      expect(result(from, 't')?.asked).toBe('unknown');
    }
  });
});
