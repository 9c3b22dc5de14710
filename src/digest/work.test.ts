import { describe, expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import type { Envelope, ToolCall } from '../runtime/envelope.ts';
import { failed, WorkTally } from './work.ts';

const ok = { outcome: 'ok' as const };
const call = (name: string, tool: ToolCall): Envelope =>
  envelope({ event_type: 'tool_call', tool: { name, ...tool } });
const bash = (command: string, tool: ToolCall = { ...ok, exit_code: 0 }) =>
  call('Bash', { input: JSON.stringify({ command }), ...tool });
const error = (exit_code = 1): ToolCall => ({ outcome: 'error', exit_code });
const file = (name: string, path: string, tool: ToolCall = ok) =>
  call(name, { paths: [path], ...tool });
function tally(calls: readonly Envelope[], outcome: 'clean' | 'error' | 'abandoned' = 'clean') {
  const work = new WorkTally();
  work.startIn('/w');
  work.startIn('/elsewhere');
  for (const one of calls) work.add(one);
  return { ...work.finish(outcome), trailing: work.trailingFailures };
}

test.each<[string, ToolCall, boolean]>([
  ['a good end', { outcome: 'ok', exit_code: 0 }, false],
  ['an error', { outcome: 'error' }, true],
  ['an error without a code', { outcome: 'error', exit_code: 0 }, true],
  ['a code alone', { exit_code: 2 }, true],
  ['a code that the runtime took for good', { outcome: 'ok', exit_code: 1 }, true],
  ['a person’s refusal', { outcome: 'denied' }, false],
  ['an interruption', { outcome: 'interrupted' }, false],
  ['no result', {}, false],
])('%s: failed %j', (_what, tool, expected) => {
  expect(failed(call('X', tool))).toBe(expected);
});

describe('files', () => {
  test('are named from where the session began, and counted by what was done', () => {
    const { files, worked } = tally([
      file('Read', '/w/src/a.ts'),
      file('Edit', '/w/src/a.ts'),
      file('Write', '/w/src/b.ts'),
      file('Read', '/etc/hosts'),
      file('Read', '/wide/c.ts'),
      file('Grep', '/w/src'),
      file('Edit', '/w/src/d.ts', { outcome: 'error' }),
      file('Edit', '/w/src/d.ts', { outcome: 'denied' }),
    ]);
    expect(files).toEqual([
      { path: 'src/a.ts', reads: 1, edits: 1 },
      { path: 'src/b.ts', reads: 0, edits: 1 },
      { path: '/etc/hosts', reads: 1, edits: 0 },
      { path: '/wide/c.ts', reads: 1, edits: 0 },
    ]);
    expect(worked).toBe(true);
  });

  test('are sorted by edits, reads, then path, whatever came first', () => {
    const calls = [
      file('Read', '/w/z'),
      file('Read', '/w/a'),
      file('Read', '/w/m'),
      file('Read', '/w/m'),
      file('Edit', '/w/e'),
    ];
    const order = (list: readonly Envelope[]) => tally(list).files.map(({ path }) => path);
    expect(order(calls)).toEqual(['e', 'm', 'a', 'z']);
    expect(order(calls.toReversed())).toEqual(['e', 'm', 'a', 'z']);
  });

  test('have bounded names', () => {
    expect(
      Buffer.byteLength(tally([file('Read', `/w/${'é'.repeat(5_000)}`)]).files[0]?.path ?? ''),
    ).toBeLessThanOrEqual(200);
  });
});

describe('commands', () => {
  test('are one by their words, with the last exit code', () => {
    expect(tally([bash('ls  -l\n'), bash('ls -l', error(2)), bash(' ls -l', {})]).commands).toEqual(
      [{ command: 'ls -l', runs: 3, failed: 1, exit: '?' }],
    );
  });

  test('whose input was cut, or is none, are calls and no commands', () => {
    const cut = [
      call('Bash', { input: '{"command":"ls', ...ok }),
      call('Bash', ok),
      call('Bash', { input: '7' }),
      call('Bash', { input: '{"command":7}' }),
    ];
    expect(tally(cut)).toMatchObject({ commands: [], tests: [], tool_calls: 4 });
  });

  test('of tools that are no shell are not guessed', () => {
    expect(tally([call('Task', { input: '{"command":"npm test"}', ...ok })])).toMatchObject({
      commands: [],
      tests: [],
    });
  });

  test('texts that UTF-8 can’t say are made such', () => {
    const { commands } = tally([
      call('Bash', { input: '{"command":"echo \\ud83d\\u0000"}', ...ok }),
    ]);
    expect(commands[0]?.command.isWellFormed()).toBe(true);
  });

  test('are sorted by failures, runs, then words', () => {
    const calls = [bash('c'), bash('b'), bash('d'), bash('d'), bash('a', error())];
    for (const list of [calls, calls.toReversed()])
      expect(tally(list).commands.map((line) => line.command)).toEqual(['a', 'd', 'b', 'c']);
  });
});

describe('tests', () => {
  test.each<[string, ToolCall, number | '?']>([
    ['npm test', { ...ok, exit_code: 0 }, 0],
    ['npm test', error(1), 1],
    ['npm test 2>&1', { ...ok, exit_code: 0 }, 0],
    ['cd pkg && go test ./...', { ...ok, exit_code: 0 }, 0],
    ['npm test | tail -5', { ...ok, exit_code: 0 }, '?'],
    ['npm test | tail -5', error(1), 1],
    ['npm test; echo done', { ...ok, exit_code: 0 }, '?'],
    ['npm test || true', { ...ok, exit_code: 0 }, '?'],
    ['npm test && echo ok', { ...ok, exit_code: 0 }, 0],
    ['npm test', { outcome: 'ok' }, '?'],
    ['npm test', {}, '?'],
  ])('%j that ended with %j: exit %j', (command, tool, exit) => {
    const { tests, commands } = tally([bash(command, tool)]);
    expect(commands).toEqual([]);
    expect(tests).toMatchObject([{ runs: 1, exit }]);
  });

  test.each<[string, boolean]>([
    ['cd web\nnpm test', true],
    [`cat > notes.md <<'EOF'\n${'x'.repeat(200)}\nEOF\nnpm test`, true],
    ['git commit -m "fix; npm test fails"', false],
    ['git commit -m "fix\nnpm test"', false],
  ])('are told by all of a command, not by its name: %j', (command, isTest) => {
    const { tests, commands } = tally([bash(command)]);
    expect([tests.length, commands.length]).toEqual(isTest ? [1, 0] : [0, 1]);
  });

  test('another command’s exit code is its own, whatever stands after it', () => {
    expect(tally([bash('ls | wc -l')]).commands).toMatchObject([{ exit: 0 }]);
  });
});

describe('commits', () => {
  const committed = (command: string, result: string) =>
    tally([bash(command, { ...ok, exit_code: 0, result })]).commits;
  test('are those that git says it made, each once, in order', () => {
    const result = '[main 0123abc] One\n 1 file changed\n[main 4567def] Two\n';
    expect(committed('git commit -am x', result)).toEqual([
      { sha: '0123abc', subject: 'One' },
      { sha: '4567def', subject: 'Two' },
    ]);
    const twice = [bash('git commit', { ...ok, result }), bash('git commit', { ...ok, result })];
    expect(tally(twice).commits).toHaveLength(2);
  });

  test.each<[string, string]>([
    ['cat log', '[main 0123abc] One'],
    ['git log', '  [main 0123abc] One'],
    ['git commit', '[main 0123abg] One'],
    ['git commit', '[0123abc] One'],
    ['git commit', 'nothing to commit'],
  ])('%j with %j made none', (command, result) => {
    expect(committed(command, result)).toEqual([]);
  });
});

describe('friction', () => {
  const edits = (count: number) => Array.from({ length: count }, () => file('Edit', '/w/a.ts'));
  const fails = (command: string, count: number) =>
    Array.from({ length: count }, () => bash(command, error()));
  test.each<[string, Envelope[], object[]]>([
    ['a command that failed twice', fails('make', 2), []],
    ['three times', fails('make', 3), [{ kind: 'repeated_failure', command: 'make', count: 3 }]],
    [
      'tests that failed three times',
      fails('npm test', 3),
      [{ kind: 'repeated_failure', command: 'npm test', count: 3 }],
    ],
    ['two commands that failed twice each', [...fails('a', 2), ...fails('b', 2)], []],
    ['a file edited four times', edits(4), []],
    ['five times', edits(5), [{ kind: 'repeated_edit', path: 'a.ts', count: 5 }]],
    [
      'five edits of which one failed',
      [...edits(4), file('Edit', '/w/a.ts', { outcome: 'error' })],
      [],
    ],
  ])('%s', (_what, calls, friction) => {
    expect(tally(calls).friction).toEqual(friction);
  });

  test('giving up is friction where the session was abandoned after three failures', () => {
    expect(tally(fails('a', 3), 'abandoned').friction[0]).toEqual({
      kind: 'abandoned_after_failures',
      count: 3,
    });
    expect(tally(fails('a', 2), 'abandoned').friction).toEqual([]);
  });
});

describe('work and failures', () => {
  test.each<[string, Envelope[], boolean]>([
    ['nothing', [], false],
    ['two calls', [bash('a'), bash('b')], false],
    ['three', [bash('a'), bash('b'), bash('c')], true],
    ['one edit', [file('Edit', '/w/a')], true],
    ['one edit that failed', [file('Edit', '/w/a', { outcome: 'error' })], false],
  ])('%s is real work: %j', (_what, calls, worked) => {
    expect(tally(calls).worked).toBe(worked);
  });

  test.each<[string, Envelope[], number]>([
    ['none', [bash('a')], 0],
    ['the last two', [bash('a'), bash('b', error()), bash('c', error())], 2],
    ['none after a good one', [bash('a', error()), bash('b')], 0],
    ['none after a refusal', [bash('a', error()), bash('b', { outcome: 'denied' })], 0],
    [
      'the last ones, with a call whose result never came',
      [bash('a', error()), bash('b', error()), bash('c', {})],
      2,
    ],
  ])('failures at the end: %s', (_what, calls, trailing) => {
    expect(tally(calls)).toMatchObject({ trailing, tool_calls: calls.length });
  });
});
