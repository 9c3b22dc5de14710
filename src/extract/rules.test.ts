import { expect, test } from 'vitest';
import type { Envelope } from '../runtime/envelope.ts';
import { outcomesIn } from './rules.ts';

let ordinal = 0;

/** A call of a shell that ended so. */
function call(command: string, exit: number | undefined, fields: Partial<Envelope> = {}): Envelope {
  ordinal += 1;
  const tool = { name: 'Bash', input: JSON.stringify({ command }), result: 'done' };
  return {
    message_id: `toolu_${ordinal}`,
    event_type: 'tool_call',
    emitted_at: '2026-01-28T03:12:00.000Z',
    tool: exit === undefined ? tool : { ...tool, exit_code: exit },
    ...fields,
  } as Envelope;
}

const said = (...events: Envelope[]) => outcomesIn(events).map(({ statement }) => statement);

test.each<[string, Envelope[], string[]]>([
  [
    'a run at a commit',
    [call('npm test', 0, { git_sha: 'abc123def4567890' })],
    ['`npm test` passed at `abc123def456`.'],
  ],
  ['one that failed', [call('npm test', 1)], ['`npm test` failed on 2026-01-28 at 03:12 UTC.']],
  [
    'a branch',
    [call('go test ./...', 0, { branch: 'main' })],
    ['`go test ./...` passed on 2026-01-28 at 03:12 UTC on branch `main`.'],
  ],
  ['an exit that is not known', [call('npm test', undefined)], []],
  ['an exit that is not that of the tests', [call('npm test | tail -3', 0)], []],
  ['what runs no tests', [call('npm run build', 0)], []],
  ['a message without an id', [call('npm test', 0, { message_id: undefined })], []],
  [
    'the last of several',
    [call('npm test', 1), call('npm test', 0)],
    ['`npm test` passed on 2026-01-28 at 03:12 UTC.'],
  ],
  [
    'quotes',
    [call('npm test -- `pwd`', 0)],
    ["`npm test -- 'pwd'` passed on 2026-01-28 at 03:12 UTC."],
  ],
])('%s', (_, events, expected) => {
  expect(said(...events)).toEqual(expected);
});

test('of many the last are told', () => {
  const runs = Array.from({ length: 12 }, (_, i) => call(`npm test -- ${i}`, 0));
  expect(said(...runs).map((one) => /-- (\d+)/.exec(one)?.[1])).toEqual([
    '4',
    '5',
    '6',
    '7',
    '8',
    '9',
    '10',
    '11',
  ]);
});
