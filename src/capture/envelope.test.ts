import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '../../test/kit/envelopes.ts';
import { hashParts, sha256Hex } from '../base/hash.ts';
import { Envelope, type Event } from '../runtime/envelope.ts';
import { type Circumstance, promptKey, spooled } from './envelope.ts';

const at: Circumstance = {
  runtime: 'claude-code',
  fleetId: 'acme',
  hostId: '0123456789abcdef',
  agents: { 'claude-code': 'cc-01' },
  checkout: { repo: 'github.com/acme/web', root: '/w', sha: 'a'.repeat(40), branch: 'main' },
  injected: [],
  policy: { secret: () => Buffer.alloc(32, 1), deniedPaths: ['/w/private/**'] },
};
const event = (fields: Partial<Event> = {}): Event => ({
  event_type: 'prompt',
  emitted_at: '2026-03-04T05:06:07.890Z',
  session_id: 's1',
  native: { key: 'prompt', counted: true },
  ...fields,
});
const KEY = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
/** A written envelope must be one: with an id it passes the schema. */
const isEnvelope = (envelope: object) => Envelope.safeParse({ ...envelope, event_id: 'x' }).success;

describe('spooled', () => {
  test('adds who and where', () => {
    const { envelope, native, withheld } = spooled(event({ content: 'Fix it', role: 'user' }), at);
    expect(envelope).toEqual({
      schema_version: 1,
      event_type: 'prompt',
      emitted_at: '2026-03-04T05:06:07.890Z',
      session_id: 's1',
      role: 'user',
      content: 'Fix it',
      content_hash: sha256Hex('Fix it'),
      fleet_id: 'acme',
      agent_id: 'cc-01',
      runtime: 'claude-code',
      host_id: '0123456789abcdef',
      repo: 'github.com/acme/web',
      git_sha: 'a'.repeat(40),
      branch: 'main',
      redaction: { status: 'clean', rules_fired: [] },
    });
    expect(native).toEqual({ key: promptKey('Fix it'), counted: true });
    expect(withheld).toBeUndefined();
    expect(isEnvelope(envelope)).toBe(true);
  });

  test('an agent that nobody named is unconfigured, never another one', () => {
    expect(spooled(event(), { ...at, agents: { cursor: 'cu-01' } }).envelope.agent_id).toBe(
      'unconfigured',
    );
  });

  test('without a checkout there is no repo; what the event knows of its branch comes first', () => {
    const bare = spooled(event({ branch: 'old' }), { ...at, checkout: undefined }).envelope;
    expect(bare).not.toHaveProperty('repo');
    expect(bare).not.toHaveProperty('git_sha');
    expect(bare.branch).toBe('old');
    expect(spooled(event({ branch: 'old' }), at).envelope.branch).toBe('old');
  });

  test.each(['imported', 'reconciled'] as const)('says that it is %s', (origin) => {
    expect(spooled(event(), { ...at, origin }).envelope).toMatchObject({ [origin]: true });
  });

  test('what was put before the agent goes with it', () => {
    const injected = [{ kind: 'digest' as const, id: 'd', source: 's0', observed_by: 'cc-02' }];
    expect(spooled(event(), { ...at, injected }).envelope.injected_context).toEqual(injected);
  });

  test('hashes are taken after redaction, and withheld values are named, not kept', () => {
    const { envelope, withheld } = spooled(
      event({
        event_type: 'tool_call',
        native: { key: 'tool:t', counted: false },
        content: `key ${KEY}`,
        tool: { name: 'Bash', input: JSON.stringify({ command: `echo ${KEY}` }) },
      }),
      at,
    );
    const text = JSON.stringify(envelope);
    expect(text).not.toContain(KEY);
    expect(envelope.content_hash).toBe(sha256Hex(envelope.content ?? ''));
    expect(envelope.tool?.input_hash).toBe(hashParts([envelope.tool?.input ?? '']).slice(0, 32));
    expect(envelope.redaction.status).toBe('redacted');
    expect(withheld).toHaveLength(2);
    expect(JSON.stringify(withheld)).not.toContain(KEY);
  });

  test('a result of a denied path is not kept, the call is', () => {
    const tool = {
      name: 'Read',
      input: '{"file_path":"/w/private/a"}',
      paths: ['/w/private/a'],
      result: 'the plan',
    };
    const { envelope } = spooled(event({ event_type: 'tool_call', tool }), at);
    expect(JSON.stringify(envelope)).not.toContain('the plan');
    expect(envelope.tool).toMatchObject({ name: 'Read', paths: ['/w/private/a'] });
    expect(envelope.redaction.status).toBe('withheld');
  });

  test('texts are bounded, and a cut never leaves the first half of a secret', () => {
    const max = 256 * 1024;
    for (const before of [max - 30, max - 14, max - 6, max + 60]) {
      const { envelope } = spooled(
        event({ content: `${'x '.repeat(before / 2)}${KEY} ${'y'.repeat(max)}` }),
        at,
      );
      expect(Buffer.byteLength(envelope.content ?? '')).toBeLessThanOrEqual(max);
      expect(envelope.content?.endsWith('…')).toBe(true);
      expect(envelope.content).not.toContain(KEY.slice(0, 8));
    }
  });

  /** Cut there before it is redacted, the text would end in half of the key: what goes before it shrinks. */
  test.each([
    [256, [4, 8, 12, 16, 19]],
    [320, [4, 8, 12, 16, 19]],
    [16 * 1_024, [12]],
  ])('also where what stands before it is withheld: %i KiB', (kib, ends) => {
    for (const end of ends) {
      const hidden = `<private>${'p '.repeat(kib * 512).slice(0, kib * 1_024 - 19 - end)}</private>`;
      const text = `${hidden}${KEY} and more ${'y '.repeat(100_000)}`;
      const { envelope } = spooled(event({ content: text }), at);
      expect(envelope.content).not.toContain(KEY.slice(0, 4));
    }
  });

  test.each<[string, (text: string) => Partial<Event>]>([
    ['cwd', (text) => ({ cwd: text })],
    ['branch', (text) => ({ branch: text })],
    ['detail', (text) => ({ detail: text })],
    ['name', (text) => ({ tool: { name: text } })],
    ['path', (text) => ({ tool: { paths: [text] } })],
  ])('nor in a short field: %s', (_what, fields) => {
    for (let end = 1; end <= KEY.length; end++) {
      const { envelope } = spooled(event(fields(`/${'x'.repeat(4_094 - end)}/${KEY}`)), at);
      expect(JSON.stringify(envelope)).not.toContain(KEY.slice(0, 4));
    }
  });

  test.each<[string, string, string]>([
    ['a command', 'Bash', JSON.stringify({ command: `cat .env # ${'x '.repeat(170_000)}` })],
    [
      'a command at its end',
      'Bash',
      JSON.stringify({ command: `: ${'x '.repeat(170_000)}; cat .env` }),
    ],
    [
      'a file behind what is written',
      'mcp__fs__write',
      JSON.stringify({ content: `FOO=bar\n${'x y\n'.repeat(100_000)}`, filename: '/w/.env' }),
    ],
    ['a path that is long', 'Read', JSON.stringify({ file_path: `/${'x/'.repeat(2_100)}.env` })],
    ['one path of many', 'X', JSON.stringify({ paths: [...Array(200).fill('/w/a'), '/w/.env'] })],
  ])('what a call touches is known whatever its length: %s', (_what, name, input) => {
    const { envelope } = spooled(
      event({ event_type: 'tool_call', tool: { name, input, result: 'FOO=bar' } }),
      at,
    );
    expect(JSON.stringify(envelope)).not.toContain('FOO=bar');
    expect(envelope.redaction.status).toBe('withheld');
  });

  test('an input beyond what is read is withheld, and its result with it', () => {
    const max = 16 * 1024 * 1024;
    const of = (length: number) => {
      const input = JSON.stringify({ a: 'x '.repeat(length / 2 - 4) });
      expect(input).toHaveLength(length);
      return spooled(
        event({ event_type: 'tool_call', tool: { name: 'X', input, result: 'r' } }),
        at,
      );
    };
    expect(of(max).envelope.tool).toMatchObject({ name: 'X', result: 'r' });
    const { envelope, withheld } = of(max + 2);
    expect(envelope.tool).toMatchObject({
      name: 'X',
      input: expect.stringMatching(/^\[withheld:oversize 16777218B [0-9a-f]{8}\]$/),
      result: expect.stringMatching(/^\[withheld:unknown-call 1B [0-9a-f]{8}\]$/),
    });
    expect(envelope.redaction).toEqual({
      status: 'withheld',
      rules_fired: ['oversize', 'unknown-call'],
    });
    expect(withheld).toHaveLength(2);
  });

  test('a result beyond what is read keeps its beginning, or the mark that stands for it', () => {
    const long = `a ${'x '.repeat(9 * 1024 * 1024)}`;
    const kept = spooled(event({ tool: { result: long } }), at).envelope.tool?.result;
    expect(Buffer.byteLength(kept ?? '')).toBeLessThanOrEqual(256 * 1024);
    expect(kept).toMatch(/^a x x.*x…$/);
    const denied = { paths: ['/w/.env'], result: long };
    expect(spooled(event({ tool: denied }), at).envelope.tool?.result).toMatch(
      /^\[withheld:denied-path \d+B \w+\]$/,
    );
  });

  test('what is named for review has a bound', () => {
    const { withheld } = spooled(event({ content: `${KEY} `.repeat(6_000) }), at);
    expect(withheld).toHaveLength(5_000);
  });

  test.each<[string, Partial<Event>, string]>([
    [
      'a known word',
      { native: { key: 'start:resume', counted: true }, detail: 'resume' },
      'start:resume',
    ],
    [
      'a word that is none',
      { native: { key: `end:${KEY}`, counted: true }, detail: KEY },
      'end:[withheld:',
    ],
    [
      'a name of an event',
      { native: { key: `other:${KEY}`, counted: true }, detail: KEY },
      'other:[withheld:',
    ],
    ['an empty one', { native: { key: 'other:', counted: true }, detail: '' }, 'other:'],
    ['an id', { native: { key: 'other:u1', counted: false }, detail: 'meta' }, 'other:u1'],
  ])('a key ends in its detail as it is written: %s', (_what, fields, start) => {
    const { native, envelope } = spooled(event({ event_type: 'other', ...fields }), at);
    expect(native.key.startsWith(start)).toBe(true);
    expect(native.key).not.toContain(KEY);
    if (fields.native?.key.endsWith(`:${fields.detail}`))
      expect(native.key.endsWith(`:${envelope.detail}`)).toBe(true);
  });

  test('the branch that is checked out is a text like any other', () => {
    const checkout = { repo: 'github.com/acme/web', root: '/w', branch: `fix-${KEY}` };
    const { envelope } = spooled(event(), { ...at, checkout });
    expect(envelope.branch).toMatch(/^fix-\[withheld:/);
    expect(envelope.redaction.status).toBe('redacted');
  });

  test('the short fields are bounded too: what a payload says can never outgrow a part', () => {
    const long = 'x'.repeat(1024 * 1024);
    const { envelope, native } = spooled(
      event({
        event_type: 'tool_call',
        native: { key: `tool:${long}`, counted: false },
        session_id: long,
        parent_session_id: long,
        turn_id: long,
        message_id: long,
        parent_message_id: long,
        runtime_version: long,
        detail: long,
        cwd: `/${long}`,
        branch: long,
        git_sha: long,
        usage: { model: long, response_id: long },
        tool: {
          name: long,
          paths: Array.from({ length: 500 }, (_, i) => `/${i}${'y'.repeat(20_000)}`),
          input: '{}',
        },
      }),
      at,
    );
    expect(JSON.stringify({ envelope, native }).length).toBeLessThan(500_000);
    expect(envelope.session_id.length).toBeLessThanOrEqual(256);
    expect(envelope.parent_session_id?.length).toBeLessThanOrEqual(256);
    expect(isEnvelope(envelope)).toBe(true);
  });

  test('long ids that differ at their end stay apart', () => {
    const long = 'x'.repeat(5_000);
    const id = (end: string) =>
      spooled(
        event({
          session_id: long + end,
          message_id: long + end,
          native: { key: `tool:${long}${end}`, counted: false },
        }),
        at,
      );
    expect(id('a').envelope.session_id).not.toBe(id('b').envelope.session_id);
    expect(id('a').envelope.message_id).not.toBe(id('b').envelope.message_id);
    expect(id('a').native.key).not.toBe(id('b').native.key);
    expect(id('a')).toEqual(id('a'));
  });

  test('any texts give an envelope of the schema that UTF-8 can say', () => {
    const text = fc.oneof(anyText, fc.constantFrom('\ud800', 'a\0b', '<private>x</private>'));
    const anyEvent = fc.record({
      content: text,
      cwd: text,
      detail: text,
      name: text,
      input: text,
      result: text,
      path: text,
    });
    fc.assert(
      fc.property(anyEvent, ({ content, cwd, detail, name, input, result, path }) => {
        const { envelope } = spooled(
          event({
            event_type: 'tool_call',
            content,
            cwd,
            detail,
            tool: { name, input, result, paths: [path] },
          }),
          at,
        );
        expect(isEnvelope(envelope)).toBe(true);
        for (const kept of [envelope.content, envelope.tool?.result, envelope.tool?.input]) {
          expect(kept?.isWellFormed()).toBe(true);
          expect(kept).not.toContain('\0');
        }
      }),
    );
  });
});

describe('promptKey', () => {
  test.each<[string, string, boolean]>([
    ['Fix  it\n', ' Fix it', true],
    ['Fix it', 'fix it', false],
    ['e\u0301', '\u00e9', true],
    ['', ' \n', true],
    ['a', 'b', false],
  ])('%j and %j are one prompt: %j', (a, b, same) => {
    expect(promptKey(a) === promptKey(b)).toBe(same);
  });
});
