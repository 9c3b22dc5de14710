import { describe, expect, test } from 'vitest';
import { digestOf } from '../../test/kit/fleet.ts';
import type { Family } from '../query/session.ts';
import type { Digest } from '../record/digest.ts';
import { deeds, describeSession, duration, isTroubled, troubles } from './describe.ts';

const session = (digest: Digest, fields: Partial<Family> = {}): Family => ({
  session: 's',
  agent: 'cc-01',
  runtime: 'claude-code',
  host: 'h',
  parent: undefined,
  repo: 'github.com/acme/web',
  cwd: '/w',
  revision: 1,
  firstAt: '2026-03-04T04:00:00.000Z',
  lastAt: '2026-03-04T04:59:00.000Z',
  imported: false,
  parts: [],
  digest,
  subagents: [],
  ...fields,
});

describe('a session in words', () => {
  test.each<[number, string]>([
    [0, '<1 min'],
    [29_999, '<1 min'],
    [60_000, '1 min'],
    [119 * 60_000, '119 min'],
    [120 * 60_000, '2 h'],
    [47 * 3_600_000, '47 h'],
    [48 * 3_600_000, '2 d'],
  ])('%i ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  test.each<[string, Partial<Digest>, string[]]>([
    ['nothing', {}, []],
    [
      'giving up',
      { friction: [{ kind: 'abandoned_after_failures', count: 3 }] },
      ['abandoned after 3 failed calls in a row'],
    ],
    [
      'edits over and over',
      { friction: [{ kind: 'repeated_edit', path: 'a.ts', count: 5 }] },
      ['a.ts edited 5 times'],
    ],
    [
      'tests that fail',
      { tests: [{ command: 'npm test', runs: 1, failed: 1, exit: 1 }] },
      ['`npm test` still failed at its last run (exit 1)'],
    ],
    [
      'tests that are named already',
      {
        friction: [{ kind: 'repeated_failure', command: 'npm test', count: 3 }],
        tests: [{ command: 'npm test', runs: 3, failed: 3, exit: 1 }],
      },
      ['`npm test` failed 3 times'],
    ],
    [
      'tests of which it is not known',
      { tests: [{ command: 'npm test', runs: 1, failed: 0, exit: '?' }] },
      [],
    ],
  ])('trouble: %s', (_what, digest, phrases) => {
    expect(troubles(digestOf(digest))).toEqual(phrases);
  });

  test.each<[string, Partial<Digest>, string[]]>([
    ['nothing', {}, []],
    [
      'edits',
      {
        files: ['a', 'b', 'c', 'd', 'e'].map((path) => ({ path, reads: 0, edits: 1 })),
      },
      ['edited a, b, c, d and 1 more'],
    ],
    [
      'edits, of which the size limit took some',
      {
        files: ['a', 'b', 'c', 'd', 'e'].map((path) => ({ path, reads: 0, edits: 1 })),
        omitted: { files: 2 },
      },
      ['edited a, b, c, d and 1 or more'],
    ],
    [
      'one edit, where the size limit took files',
      { files: [{ path: 'a', reads: 0, edits: 1 }], omitted: { files: 2 } },
      ['edited a and perhaps more'],
    ],
    [
      'edits, where the size limit took files that were read',
      {
        files: [
          { path: 'a', reads: 0, edits: 1 },
          { path: 'b', reads: 9, edits: 0 },
        ],
        omitted: { files: 213 },
      },
      ['edited a'],
    ],
    [
      'reads, of which the size limit took some',
      { files: [{ path: 'a', reads: 1, edits: 0 }], omitted: { files: 2, tests: 1 } },
      ['read 3 files'],
    ],
    ['reads alone', { files: [{ path: 'a', reads: 1, edits: 0 }] }, ['read 1 file']],
    [
      'tests that passed',
      {
        tests: [
          { command: 'npm test', runs: 1, failed: 0, exit: 0 },
          { command: 'go test', runs: 1, failed: 0, exit: 0 },
        ],
      },
      ['`npm test` passed (and 1 other)'],
    ],
    [
      'tests of which it is not known',
      { tests: [{ command: 'npm test', runs: 1, failed: 0, exit: '?' }] },
      [],
    ],
    [
      'the last commit',
      {
        commits: [
          { sha: '1', subject: 'One' },
          { sha: '2', subject: 'Two' },
        ],
      },
      ['committed 2 “Two”'],
    ],
  ])('deeds: %s', (_what, digest, phrases) => {
    expect(deeds(digestOf(digest))).toEqual(phrases);
  });

  test.each<[Partial<Digest>, boolean]>([
    [{}, false],
    [{ outcome: 'error' }, true],
    [{ outcome: 'abandoned' }, true],
    [{ friction: [{ kind: 'repeated_edit', path: 'a', count: 5 }] }, true],
  ])('%j is trouble: %j', (digest, troubled) => {
    expect(isTroubled(session(digestOf(digest)))).toBe(troubled);
  });

  test('commits that the size limit took are counted', () => {
    const digest = { commits: [{ sha: 'a', subject: 'b' }], omitted: { commits: 41 } };
    expect(describeSession(session(digestOf(digest)), () => 'id')).toContain('clean, 42 commits]');
  });

  test('one without a prompt says so', () => {
    const { asked: _, ...digest } = digestOf({ commits: [{ sha: 'a', subject: 'b' }] });
    expect(describeSession(session(digest), () => 'id')).toBe(
      '- [cc-01, 2026-03-04, 1 min, clean, 1 commit] (id) no prompt was captured\n  committed a “b”',
    );
  });

  const subagent = (name: string, digest: Partial<Digest> = {}) =>
    session(digestOf(digest), { session: `s:${name}`, parent: 's' });
  const failing = {
    friction: [{ kind: 'repeated_failure' as const, command: 'make', count: 4 }],
  };
  const edited = (...names: string[]) => ({
    files: names.map((name) => ({ path: name, reads: 0, edits: 1 })),
  });

  test.each<[string, Family['subagents'], string, string | undefined]>([
    ['one subagent', [subagent('a')], '1 subagent', undefined],
    ['many', Array.from({ length: 25 }, (_, i) => subagent(`${i}`)), '25 subagents', undefined],
    [
      'more than are looked at',
      Array.from({ length: 50 }, (_, i) => subagent(`${i}`)),
      '50 or more subagents',
      undefined,
    ],
    [
      'one that failed',
      [subagent('a'), subagent('b', failing)],
      '2 subagents',
      'subagent s:b: `make` failed 4 times',
    ],
    [
      'some that failed',
      [subagent('a', { outcome: 'abandoned' }), subagent('b'), subagent('c', failing)],
      '3 subagents',
      'subagent s:a: ended as abandoned, and trouble in 1 more',
    ],
    [
      'what they edited',
      [subagent('a', edited('a.ts', 'b.ts')), subagent('b', edited('b.ts', 'c', 'd', 'e', 'f'))],
      '2 subagents',
      'subagents edited a.ts, b.ts, c, d and 2 more',
    ],
  ])('with %s', (_what, subagents, count, happened) => {
    const text = describeSession(session(digestOf({ asked: 'x' }), { subagents }), (id) => id);
    const rest = happened === undefined ? '' : `\n  ${happened}`;
    expect(text).toBe(`- [cc-01, 2026-03-04, 1 min, clean, ${count}] (s) “x”${rest}`);
  });

  test('a subagent that stands for its session says so', () => {
    const say = (subagents: Family['subagents']) =>
      describeSession({ ...subagent('a'), subagents }, (id) => id);
    expect(say([])).toContain('clean, a subagent] (s:a)');
    expect(say([subagent('b'), subagent('c')])).toContain('clean, a subagent beside 2 others]');
  });

  test('what failed in a subagent is told, however much failed beside it', () => {
    const friction = Array.from({ length: 6 }, (_, i) => ({
      kind: 'repeated_edit' as const,
      path: `f${i}`,
      count: 5,
    }));
    const family = session(digestOf({ friction }), { subagents: [subagent('a', failing)] });
    expect(describeSession(family, (id) => id)).toContain('subagent s:a: `make` failed 4 times');
    expect(isTroubled(session(digestOf(), { subagents: [subagent('a', failing)] }))).toBe(true);
    expect(isTroubled(session(digestOf(), { subagents: [subagent('a')] }))).toBe(false);
  });
});
