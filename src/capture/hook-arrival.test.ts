import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BRIEF, GIT, hook, payload, spooledIn } from '../../test/kit/hook-call.ts';
import { memoryFiles } from '../../test/kit/memory-files.ts';
import { HOOK_EVENTS } from '../runtime/claude-code/hook.ts';
import { Envelope } from '../runtime/envelope.ts';

describe('whatever arrives, there is a valid answer and one line', () => {
  const MB = 1024 * 1024;
  const whole = payload('UserPromptSubmit', { prompt: 'x'.repeat(200) });
  const deep = `{"hook_event_name":"PreToolUse","session_id":"s1","tool_name":"X","tool_use_id":"t","tool_input":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  type Row = readonly [
    what: string,
    event: string,
    received: Uint8Array | string,
    recognised: boolean,
    session: string,
  ];
  test.each<Row>([
    ['a payload that fits', 'UserPromptSubmit', whole, true, 's1'],
    ['truncated JSON', 'UserPromptSubmit', whole.slice(0, -50), false, 's1'],
    ['JSON that ends in its first field', 'UserPromptSubmit', whole.slice(0, 30), false, 'unknown'],
    ['no JSON', 'Stop', 'hello', false, 'unknown'],
    ['nothing', 'Stop', '', false, 'unknown'],
    ['a list', 'Stop', '[1,2]', false, 'unknown'],
    ['null', 'Stop', 'null', false, 'unknown'],
    ['a number', 'Stop', '7', false, 'unknown'],
    [
      '10 MB',
      'UserPromptSubmit',
      payload('UserPromptSubmit', { prompt: 'x'.repeat(10 * MB) }),
      true,
      's1',
    ],
    [
      '20 MB',
      'UserPromptSubmit',
      payload('UserPromptSubmit', { prompt: 'x'.repeat(20 * MB) }),
      false,
      's1',
    ],
    ['20 MB of no JSON', 'Stop', Buffer.alloc(20 * MB, 0xff), false, 'unknown'],
    ['NUL bytes between the fields', 'Stop', payload('Stop').replaceAll(',', '\0,'), true, 's1'],
    ['NUL alone', 'Stop', Buffer.alloc(1_000), false, 'unknown'],
    [
      'bad UTF-8',
      'Stop',
      Buffer.concat([
        Buffer.from(payload('Stop').slice(0, -1)),
        Buffer.from(',"a":"'),
        Buffer.from([0xff, 0xc0, 0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]),
      true,
      's1',
    ],
    [
      'lone surrogates',
      'UserPromptSubmit',
      payload('UserPromptSubmit', { prompt: 'a\ud800b\udc00' }),
      true,
      's1',
    ],
    [
      'lone surrogates in an id',
      'Stop',
      payload('Stop', { session_id: 's\ud800' }),
      true,
      's\ufffd',
    ],
    [
      'an event of a later version',
      'Notification',
      payload('Notification', { message: 'x' }),
      false,
      's1',
    ],
    ['an event without a name', '', payload(''), false, 's1'],
    ['a name that the payload does not repeat', 'Stop', '{"session_id":"s1"}', false, 's1'],
    ['nesting beyond any stack', 'PreToolUse', deep, true, 's1'],
    [
      'a session that is no text',
      'Stop',
      payload('Stop', { session_id: { a: 1 } }),
      false,
      'unknown',
    ],
    ['a folder that is no text', 'Stop', payload('Stop', { cwd: 7 }), true, 's1'],
    ['a folder that is not there', 'Stop', payload('Stop', { cwd: '/gone' }), true, 's1'],
    ['a folder with NUL', 'Stop', payload('Stop', { cwd: '/w\0/../etc' }), true, 's1'],
    [
      'a session of a megabyte',
      'Stop',
      payload('Stop', { session_id: 'x'.repeat(MB) }),
      true,
      'x'.repeat(79),
    ],
  ])('%s', (_what, event, received, recognised, session) => {
    const files = memoryFiles(GIT);
    const { output } = hook(event, received, files);
    expect(JSON.parse(output)).toEqual({});
    const [line, ...more] = spooledIn(files);
    expect(more).toEqual([]);
    expect(line?.recognised).toBe(recognised);
    expect(line?.envelope.session_id.startsWith(session)).toBe(true);
    expect(Envelope.safeParse({ ...line?.envelope, event_id: 'x' }).error).toBeUndefined();
    expect(JSON.stringify(line).length).toBeLessThan(1.2 * MB);
  });

  test('of a payload that is too large the start is kept, with its size', () => {
    const files = memoryFiles(GIT);
    const call = { agent_id: 'a7', tool_name: 'Read', tool_input: { file_path: '/w/src/a.ts' } };
    const text = payload('PostToolUse', { ...call, tool_response: 'x'.repeat(17 * MB) });
    hook('PostToolUse', text, files);
    hook(
      'UserPromptSubmit',
      payload('UserPromptSubmit', { prompt: 'go on '.repeat(3 * MB) }),
      files,
      {},
      { size: 99 * MB },
    );
    const [result, prompt] = spooledIn(files);
    const detail = `PostToolUse of ${text.length} bytes`;
    expect(result).toMatchObject({
      recognised: false,
      native: { key: `other:${detail}`, counted: true },
      envelope: {
        session_id: 's1:a7',
        parent_session_id: 's1',
        cwd: '/w',
        repo: 'github.com/acme/web',
        event_type: 'other',
        detail,
        tool: { name: 'Read', paths: ['/w/src/a.ts'] },
      },
    });
    expect(prompt).toMatchObject({
      recognised: false,
      envelope: {
        event_type: 'other',
        detail: `UserPromptSubmit of ${99 * MB} bytes`,
        content: expect.stringMatching(/^go on .*on …$|^go on .*go …$/),
      },
    });
  });

  test('what was said is kept up to the last word where it breaks off; half of a prompt is none', () => {
    const files = memoryFiles(GIT);
    const text = JSON.stringify({
      hook_event_name: 'UserPromptSubmit',
      session_id: 's1',
      cwd: '/w',
      prompt: 'Fix the bug',
    });
    hook('UserPromptSubmit', text.slice(0, -2), files);
    hook('UserPromptSubmit', text.slice(0, -1), files);
    const stop = JSON.stringify({ session_id: 's1', last_assistant_message: 'It is done now' });
    hook('Stop', stop.slice(0, -2), files);
    expect(spooledIn(files)).toMatchObject([
      {
        recognised: false,
        envelope: { event_type: 'other', detail: 'UserPromptSubmit', content: 'Fix the …' },
      },
      { recognised: false, envelope: { event_type: 'prompt', content: 'Fix the bug' } },
      { recognised: false, envelope: { event_type: 'turn_end', content: 'It is done …' } },
    ]);
  });

  test('a result that breaks off is not taken for one that is known', () => {
    const files = memoryFiles(GIT);
    const text = payload('PostToolUse', {
      tool_name: 'Read',
      tool_response: 'FOO=bar',
      tool_input: { file_path: '/w/.env' },
    });
    for (let end = text.length; end > 0; end--) hook('PostToolUse', text.slice(0, end), files);
    expect([...files.files.values()].join('')).not.toContain('FOO=bar');
  });

  test('half of a secret in an unreadable payload does not reach the disk', () => {
    const key = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
    const files = memoryFiles(GIT);
    const text = JSON.stringify({ session_id: 's1', prompt: `use ${key}` });
    for (let end = text.length; end > 0; end--) hook('UserPromptSubmit', text.slice(0, end), files);
    expect([...files.files.values()].join('')).not.toContain('AKIA');
  });

  test('a secret in an unreadable payload does not reach the disk', () => {
    const key = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
    const files = memoryFiles(GIT);
    hook(
      'UserPromptSubmit',
      payload('UserPromptSubmit', { prompt: key, session_id: 's1' }).slice(0, -3),
      files,
    );
    hook('UserPromptSubmit', payload('UserPromptSubmit', { prompt: key }), files);
    expect([...files.files.values()].join('')).not.toContain(key);
  });

  test('any bytes, any event', () => {
    const text = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.json().map((json) => payload('Stop', { a: json }).slice(1)),
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      text.map((one) => Buffer.from(one)),
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom<string>(...HOOK_EVENTS), fc.string()),
        bytes,
        (event, received) => {
          const files = memoryFiles({ ...GIT, ...BRIEF });
          JSON.parse(hook(event, received, files).output);
          expect(spooledIn(files)).toHaveLength(1);
        },
      ),
      { numRuns: 300 },
    );
  });
});
