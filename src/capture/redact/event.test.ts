import { describe, expect, test } from 'vitest';
import type { Event } from '../../runtime/envelope.ts';
import { redactEvent, touchesDeniedPath } from '../redact.ts';

const policy = { key: new Uint8Array(32).fill(1), deniedPaths: ['/repo/private/**'] };
const TOKEN = ['ghp', 'aZ9bY8cX7dW6eV5fU4gT3hS2iR1jQ0kP9lO8'].join('_');
const HELD = /\[withheld:([a-z0-9-]+) \d+B [0-9a-f]{8}\]/g;

function eventOf(more: Partial<Event>): Event {
  return {
    emitted_at: '2026-01-15T12:00:00.000Z',
    session_id: 's1',
    message_id: 'm1',
    event_type: 'tool_call',
    native: { key: 'tool:t1', counted: false },
    ...more,
  };
}

const callOf = (name: string, input: unknown, result: string, paths?: string[]): Event =>
  eventOf({ tool: { name, input: JSON.stringify(input), result, ...(paths ? { paths } : {}) } });

describe('texts of an event', () => {
  test('a clean event comes back as it was', () => {
    const event = callOf('Bash', { command: 'npm test' }, '12 passed', ['src/a.ts']);
    expect(redactEvent(event, policy)).toEqual({
      event,
      redaction: { status: 'clean', rules_fired: [] },
      withheld: [],
    });
  });

  test('every text is looked at, ids are not', () => {
    const { event, redaction, withheld } = redactEvent(
      eventOf({
        content: `a ${TOKEN}`,
        detail: `b ${TOKEN}`,
        cwd: `/c/${TOKEN}`,
        branch: `d/${TOKEN}`,
        runtime_version: `2 ${TOKEN}`,
        usage: { model: TOKEN, input_tokens: 1 },
        tool: {
          name: `mcp ${TOKEN}`,
          input: `{"x":"${TOKEN}"}`,
          result: TOKEN,
          paths: [`/p/${TOKEN}`],
        },
      }),
      policy,
    );
    expect(JSON.stringify(event)).not.toContain(TOKEN);
    expect(withheld).toHaveLength(10);
    expect(new Set(withheld.map(({ hash }) => hash)).size).toBe(1);
    expect(withheld[0]).toMatchObject({ rule: 'github', bytes: TOKEN.length });
    expect(redaction).toEqual({ status: 'redacted', rules_fired: ['github'] });
    expect(event).toMatchObject({ session_id: 's1', message_id: 'm1', native: { key: 'tool:t1' } });
  });

  test('rules are sorted, each once; a whole field makes the event withheld', () => {
    const { redaction } = redactEvent(
      eventOf({
        content: `${TOKEN} password=hunter22 ${TOKEN}`,
        detail: `-----BEGIN ${'RSA PRIVATE'} KEY-----`,
      }),
      policy,
    );
    expect(redaction).toEqual({
      status: 'withheld',
      rules_fired: ['github', 'named-password', 'private-key'],
    });
  });

  test('redacting again changes nothing', () => {
    const first = redactEvent(
      callOf('Write', { file_path: '.env', content: 'A=b', token: TOKEN }, 'ok then'),
      policy,
    );
    const second = redactEvent(first.event, policy);
    expect(second.event).toEqual(first.event);
    expect(second.redaction.status).toBe('clean');
  });

  test.each([
    ['an input', { file_path: '.env.password=aB3x9/dE6fG7hJ8', content: 'A=b' }, {}],
    ['an object of a result', {}, { path: '.env-2-/x', content: 'A=b' }],
  ])('nor where a path is denied only as it stands after redaction: %s', (_, input, result) => {
    const first = redactEvent(callOf('Read', input, JSON.stringify(result)), policy).event;
    const { input: asked = '', result: told = '' } = first.tool ?? {};
    expect(`${asked}${told}`.replace(HELD, '#')).toContain('"content":"#"');
    expect(redactEvent(first, policy).event).toEqual(first);
  });
});

describe('the input stays JSON', () => {
  const inputOf = (input: string) =>
    redactEvent(eventOf({ tool: { input } }), policy).event.tool?.input ?? '';

  test.each([
    ['a secret in the middle', { a: `x "${TOKEN}" \n y` }, { a: 'x "#" \n y' }],
    [
      'a value under a telling key',
      { user: 'ada', password: 'correcthorse' },
      { user: 'ada', password: '#' },
    ],
    [
      'a number under a telling key',
      { password: 12_345_678, port: 5432 },
      { password: '#', port: 5432 },
    ],
    ['a card as a number', { card: 4_111_111_111_111_111 }, { card: '#' }],
    ['a card as a text', { card: '4111111111111111' }, { card: '#' }],
    ['another number', { order_id: 4_111_111_111_111_111 }, { order_id: 4_111_111_111_111_111 }],
    ['another text', { order_id: '4111111111111111' }, { order_id: '4111111111111111' }],
    [
      'a value beside a telling name',
      [{ name: 'DB_PASSWORD', value: 'opensesame' }],
      [{ name: 'DB_PASSWORD', value: '#' }],
    ],
    [
      'a value beside another name',
      [{ name: 'REGION', value: 'opensesame' }],
      [{ name: 'REGION', value: 'opensesame' }],
    ],
    ['in lists', { args: ['--x', TOKEN] }, { args: ['--x', '#'] }],
    ['as a key', { [TOKEN]: 1 }, { '#': 1 }],
    ['a private block ends with its string', { a: '<private>x', b: 'y' }, { a: '#', b: 'y' }],
    [
      'JSON inside JSON',
      { a: JSON.stringify({ password: 'correcthorse' }) },
      { a: '{"password":"#"}' },
    ],
    [
      'types and flags stay',
      { password: true, token: null, secret: '' },
      { password: true, token: null, secret: '' },
    ],
  ])('%s', (_, input, expected) => {
    const text = inputOf(JSON.stringify(input));
    expect(JSON.parse(text.replace(HELD, '#'))).toEqual(expected);
    expect(() => JSON.parse(text)).not.toThrow();
  });

  test('what is not replaced keeps its spelling', () => {
    const input = `{ "n": 12345678901234567890.50, "s": "\\u0041\\/", "x":"${TOKEN}" }`;
    expect(inputOf(input).replace(HELD, '#')).toBe(
      '{ "n": 12345678901234567890.50, "s": "\\u0041\\/", "x":"#" }',
    );
  });

  test('an escaped secret is found, as it is meant', () => {
    const escaped = TOKEN.replace('g', '\\u0067');
    expect(inputOf(`{"x":"${escaped}"}`)).toMatch(/^{"x":"\[withheld:github /);
  });

  test('half of a JSON text is redacted as text', () => {
    expect(inputOf(`{"x":"${TOKEN} and cu`).replace(HELD, '#')).toBe('{"x":"# and cu');
  });

  test('depth costs no stack', () => {
    const deep = `${'['.repeat(50_000)}"${TOKEN}"${']'.repeat(50_000)}`;
    expect(inputOf(deep)).not.toContain(TOKEN);
  });
});

describe('denied paths', () => {
  const redact = (event: Event) => {
    const { event: clean, redaction } = redactEvent(event, policy);
    return { ...clean.tool, status: redaction.status, rules: redaction.rules_fired };
  };

  test('a read keeps its path and loses its result', () => {
    const tool = redact(callOf('Read', { file_path: '/repo/.env' }, 'FOO=bar\nX=y'));
    expect(tool.input).toBe('{"file_path":"/repo/.env"}');
    expect(tool.result).toMatch(/^\[withheld:denied-path 11B [0-9a-f]{8}\]$/);
    expect(tool).toMatchObject({ status: 'withheld', rules: ['denied-path'] });
  });

  test('a write loses its content too', () => {
    const tool = redact(
      callOf('Write', { file_path: '/repo/.env', content: 'FOO=bar' }, 'written'),
    );
    expect(tool.input?.replace(HELD, '#')).toBe('{"file_path":"/repo/.env","content":"#"}');
  });

  test('so do edits, one or many', () => {
    const input = {
      file_path: '.env',
      edits: [{ old_string: 'A=one', new_string: 'A=two', replace_all: false }],
    };
    expect(redact(callOf('MultiEdit', input, 'ok')).input?.replace(HELD, '#')).toBe(
      '{"file_path":".env","edits":[{"old_string":"#","new_string":"#","replace_all":false}]}',
    );
  });

  test('the listed paths count as well: a patch', () => {
    const tool = redact(callOf('apply_patch', { patch: '+A=b' }, 'ok', ['/repo/.env']));
    expect(tool.input?.replace(HELD, '#')).toBe('{"patch":"#"}');
    expect(tool.paths).toEqual(['/repo/.env']);
  });

  test.each([
    ['Bash', { command: 'cat .env', description: 'Show it' }],
    ['shell', { command: ['bash', '-lc', 'cat .env'] }],
    ['exec', { cmd: 'cat', args: ['.env'], command: 'cat .env' }],
    ['Grep', { pattern: 'TOKEN', path: '/repo', glob: '.env*' }],
    ['read', { exclusivePath: '/repo/.env' }],
    ['read', { workDir: '/srv/.aws', command: 'cat credentials' }],
    ['mcp__fs__read', { uri: 'file:///repo/.env' }],
    ['read_file', { target_file: '.aws/credentials' }],
    ['read_many', { paths: ['a.ts', 'server.pem'] }],
    ['Grep', { pattern: 'x', path: '/repo/private' }],
    ['LS', { path: '/repo/private/' }],
    ['list', { directory: '/repo/private' }],
    ['shell', { command: ['cat', 'a.md'], workdir: '/repo/private' }],
    ['run', { command: 'cat', args: ['.env'] }],
    ['run', { args: ['.env'] }],
    ['fetch', { url: 'file:///repo/.env' }],
    ['read', { path: '/home/me/.aws', file: 'credentials' }],
    ['read', { files: ['credentials'], directory: '~/.aws' }],
    ['mcp__x__executeCode', { code: "print(open('.env').read())" }],
    ['mcp__x__executeCode', { language: 'bash', code: 'cat .env' }],
  ])('%s %j: the result is withheld, the call is kept', (name, input) => {
    const tool = redact(callOf(name, input, 'A=b'));
    expect(tool.result).toMatch(/^\[withheld:denied-path 3B /);
    expect(tool.input).toBe(JSON.stringify(input));
  });

  test('what stands under a key that holds paths or texts goes, where it is no denied path', () => {
    const input = { notebook_path: '/repo/private/a.ipynb', new_source: 'FOO=bar', source: '.env' };
    expect(redact(callOf('NotebookEdit', input, 'ok')).input?.replace(HELD, '#')).toBe(
      '{"notebook_path":"/repo/private/a.ipynb","new_source":"#","source":".env"}',
    );
    const digits = { file_path: '.env', content: '123456789012345' };
    expect(redact(callOf('Write', digits, 'ok')).input?.replace(HELD, '#')).toBe(
      '{"file_path":".env","content":"#"}',
    );
  });

  test('a command that writes one loses what it writes', () => {
    const command = 'cat > .env <<EOF\nA=b\nEOF\necho done';
    const tool = redact(callOf('Bash', { command }, ''));
    const kept = JSON.parse(tool.input ?? '').command.replace(HELD, '#');
    expect(kept).toBe('cat > .env <<EOF\n#\nEOF\necho #');
    expect(tool.result).toBe('');
  });

  test('so does code that writes one', () => {
    const code = "open('.env', 'w').write('A=b')";
    expect(redact(callOf('run', { code }, '')).input?.replace(HELD, '#')).toBe('{"code":"#"}');
  });

  test('so does one that names it from the working folder', () => {
    const command = 'cat > private/plan.md <<EOF\nthe plan\nEOF';
    const tool = redact({ ...callOf('Bash', { command }, 'the plan'), cwd: '/repo' });
    expect(JSON.parse(tool.input ?? '').command.replace(HELD, '#')).toBe(
      'cat > private/plan.md <<EOF\n#\nEOF',
    );
    expect(tool.result).toMatch(/^\[withheld:denied-path 8B /);
  });

  test('of a search above a denied folder only the hits in it are withheld', () => {
    for (const path of ['.', '/repo', '']) {
      const input = { pattern: 'plan', path };
      const found = 'src/a.ts:1:plan\nprivate/plan.md:1:the plan';
      const tool = redact({ ...callOf('Grep', input, found), cwd: '/repo' });
      expect(tool.result?.replace(HELD, '#')).toBe('src/a.ts:1:plan\nprivate/plan.md:1:#');
    }
  });

  test('globs of the policy, absolute or from the working folder', () => {
    const read = (path: string, cwd?: string) =>
      redact({ ...callOf('Read', { file_path: path }, 'text'), ...(cwd ? { cwd } : {}) }).result;
    expect(read('/repo/private/a.md')).toMatch(/^\[withheld/);
    expect(read('private/a.md', '/repo')).toMatch(/^\[withheld/);
    expect(read('../private/a.md', '/repo/src')).toMatch(/^\[withheld/);
    expect(read('private/a.md', '/other')).toBe('text');
  });

  test.each([
    ['Read', { file_path: '/repo/.env.example' }],
    ['Edit', { file_path: 'src/env.ts', old_string: 'a', new_string: '.env' }],
    ['Grep', { pattern: '\\.env', path: 'src' }],
    ['Bash', { command: 'git add .env' }],
    ['Glob', { pattern: '**/*.pem' }],
    ['find', { excludedFiles: ['.env'], path: 'src' }],
    ['find', { ignorePaths: ['.env'], path: 'src' }],
    ['find', { include: '.*', path: 'src' }],
    ['NotebookEdit', { notebook_path: 'a.ipynb', new_source: 'df.key' }],
    ['read', { path: '/repo/aws', file: 'credentials' }],
    ['mcp__x__executeCode', { code: "i18n.t('login.key')" }],
    ['mcp__x__executeCode', { language: 'bash', code: 'ls .env' }],
  ])('%s %j is none', (name, input) => {
    const event = callOf(name, input, 'some text');
    expect(redactEvent(event, policy).event).toEqual(event);
  });
});

test.each([
  [
    'echo opensesame1 | docker login -u ada --password-stdin',
    'echo # | docker login -u ada --password-stdin',
  ],
  [
    "printf '%s' 'opensesame1' | gh auth login --with-token",
    "printf '%s' # | gh auth login --with-token",
  ],
  ['echo opensesame1 | sudo -S ls', 'echo # | sudo -S ls'],
  ['gh secret set KEY <<< opensesame1', 'gh secret set KEY <<< #'],
  [
    'echo "$TOKEN" | docker login --password-stdin',
    'echo "$TOKEN" | docker login --password-stdin',
  ],
  [
    'echo done | tee log; docker login --password-stdin',
    'echo done | tee log; docker login --password-stdin',
  ],
])('what a command feeds to another as a password: %s', (command, expected) => {
  const { tool } = redactEvent(callOf('Bash', { command }, ''), policy).event;
  expect(JSON.parse(tool?.input ?? '').command.replace(HELD, '#')).toBe(expected);
});

describe('results', () => {
  const resultOf = (result: string, input: unknown = {}) =>
    redactEvent(callOf('x', input, result), policy).event.tool?.result ?? '';

  test('a JSON result stays JSON', () => {
    const result = resultOf(JSON.stringify({ id: 1, password: 'correcthorse', ids: [TOKEN] }));
    expect(JSON.parse(result.replace(HELD, '#'))).toEqual({ id: 1, password: '#', ids: ['#'] });
  });

  test('the integrity of a lock file survives as JSON', () => {
    const lock = JSON.stringify({
      integrity: `sha512-${'aB3dE6fG'.repeat(10)}aBcDeF==`,
      etag: 'kP3xQ9vLm2TzW8rBy5JcH7nDf4GsA6eKu1XoZ0iV',
    });
    expect(resultOf(lock)).toBe(lock);
  });

  test.each([
    [
      [
        { path: '.env', content: 'A=b' },
        { path: 'a.ts', content: 'x' },
      ],
      [
        { path: '.env', content: '#' },
        { path: 'a.ts', content: 'x' },
      ],
    ],
    [
      { lines: { text: 'A=b' }, path: { text: '.env' } },
      { lines: { text: '#' }, path: { text: '.env' } },
    ],
    [
      { filename: '.env', patch: '+A=b', status: 'modified', sha: 'a1b2' },
      { filename: '.env', patch: '#', status: 'modified', sha: 'a1b2' },
    ],
    [
      { file: '.env', hits: [{ text: 'A=b' }, 'C=d'] },
      { file: '.env', hits: [{ text: '#' }, '#'] },
    ],
    [
      { files: ['.env', 'a.ts'], text: 'two' },
      { files: ['.env', 'a.ts'], text: 'two' },
    ],
    [
      { path: '.env.example', content: 'A=b' },
      { path: '.env.example', content: 'A=b' },
    ],
    [
      { name: 'login.key', value: 'Enter' },
      { name: 'login.key', value: 'Enter' },
    ],
  ])('what stands beside a denied path in JSON: %j', (result, expected) => {
    expect(JSON.parse(resultOf(JSON.stringify(result)).replace(HELD, '#'))).toEqual(expected);
  });

  test('the same in lines of JSON', () => {
    const line = (path: string, text: string) =>
      JSON.stringify({ type: 'match', data: { path: { text: path }, lines: { text } } });
    const found = [line('.env', 'A=b'), line('a.ts', 'x'), 'done', ''].join('\n');
    const expected = [line('.env', '#'), line('a.ts', 'x'), 'done', ''].join('\n');
    expect(resultOf(found).replace(HELD, '#')).toBe(expected);
    expect(resultOf(resultOf(found))).toBe(resultOf(found));
  });

  test('what a command prints by purpose is withheld whole', () => {
    expect(resultOf('opensesame', { command: 'vault kv get secret/db' })).toMatch(
      /^\[withheld:secret-command 10B /,
    );
  });
});

describe('whether a call touches a denied path', () => {
  test.each([
    [{ file_path: 'private/a.md' }, [], true],
    [{ file_path: './src/../private/a.md' }, [], true],
    [{ file_path: '/repo/src/../private/a.md' }, [], true],
    [{ file_path: 'a.ts', path: '.env' }, ['a.ts'], true],
    [{ pattern: 'x', glob: '.env*' }, [], true],
    [{ pattern: 'x', path: 'private' }, [], true],
    [{ patch: '' }, ['a.ts', 'private/a.md'], true],
    [{ paths: ['a.ts', 'server.pem'] }, [], true],
    [{ file_path: 'src/a.ts' }, ['src/a.ts'], false],
    [{ pattern: 'x', path: '.' }, [], false],
    [{ pattern: '.env', path: 'src' }, [], false],
    [{ command: 'cat .env' }, [], false],
    [{}, [], false],
  ])('%j with %j: %s', (input, paths, expected) => {
    const call = { name: 'x', input: JSON.stringify(input), paths };
    expect(touchesDeniedPath(call, { ...policy, cwd: '/repo' })).toBe(expected);
  });

  test('without an input, by its paths', () => {
    expect(touchesDeniedPath({ paths: ['.env'] }, {})).toBe(true);
    expect(touchesDeniedPath({}, {})).toBe(false);
  });
});

describe('inputs of any length', () => {
  const filler = 'word '.repeat(400_000);

  test('a path at their end is seen, and so is a secret', () => {
    const input = { content: filler, token: TOKEN, file_path: '.env' };
    const { tool } = redactEvent(callOf('Write', input, 'FOO=bar'), policy).event;
    expect(JSON.parse(tool?.input ?? '')).toMatchObject({ file_path: '.env' });
    expect(tool?.input).not.toContain(TOKEN);
    expect(tool?.input).not.toContain('word');
    expect(tool?.result).toMatch(/^\[withheld:denied-path 7B /);
  });

  test('a long command is read to its end', () => {
    const command = `cat > .env <<EOF\n${'A=b\n'.repeat(400_000)}EOF\ncat x`;
    const { tool } = redactEvent(callOf('Bash', { command }, 'FOO=bar'), policy).event;
    expect(JSON.parse(tool?.input ?? '').command.replace(HELD, '#')).toBe(
      'cat > .env <<EOF\n#\nEOF\ncat x',
    );
    expect(tool?.result).toMatch(/^\[withheld:denied-path 7B /);
    const late = { command: `${'echo a\n'.repeat(200_000)}cat .env` };
    expect(redactEvent(callOf('Bash', late, 'FOO=bar'), policy).event.tool?.result).toMatch(
      /^\[withheld:denied-path 7B /,
    );
  });

  test('many values are all recorded', () => {
    const { withheld } = redactEvent(eventOf({ content: '123-45-6789 '.repeat(130_000) }), policy);
    expect(withheld).toHaveLength(130_000);
  });
});
