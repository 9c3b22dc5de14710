import { describe, expect, test } from 'vitest';
import {
  digestOf,
  homelessBody,
  householdOf,
  repoMapBody,
  sealed,
  sessionBody,
  T0,
} from '../../test/kit/fleet.ts';
import { newSql, snapshotOf } from '../../test/kit/member.ts';
import { toInstant } from '../base/time.ts';
import { step } from '../fold/step.ts';
import { open, seal } from '../record/record.ts';
import { applyChanges, readerOf } from '../snapshot/database.ts';
import {
  countSessions,
  findSession,
  listRepos,
  listSessions,
  sealedParts,
  unresolvedFolders,
} from './session.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');

const session = (id: string, fields = {}, home = ann) =>
  sealed(home, sessionBody(home, id, fields));
const snapshotWith = (...ids: string[]) => snapshotOf(ids.map((id) => session(id)));
/** A session whose last event came so many seconds after T0. */
const at = (seconds: number) => ({
  window: { first: toInstant(T0), last: toInstant(T0 + seconds * 1_000) },
});

describe('a session by its id, or the beginning of it', () => {
  test.each<[string, string[], string, string]>([
    ['the whole id', ['abc', 'abd'], 'abc', 'abc'],
    ['a beginning that only one has', ['abc', 'abd', 'b'], 'abd', 'abd'],
    ['one letter', ['abc', 'bcd'], 'b', 'bcd'],
    ['an id that others begin with', ['ab', 'abc', 'abd'], 'ab', 'ab'],
    ['an id of a subagent', ['s1', 's1:agent-a', 's1:agent-b'], 's1:agent-b', 's1:agent-b'],
    ['a session with subagents', ['s1', 's1:agent-a', 's1:agent-b'], 's1', 's1'],
    ['letters beyond ASCII', ['größe', 'grob'], 'grö', 'größe'],
    ['astral letters', ['🦊a', '🐻a'], '🦊', '🦊a'],
    ['a letter beyond all others', ['\uffffa', 'a'], '\uffff', '\uffffa'],
    ['a percent sign, literally', ['a%b', 'axb'], 'a%', 'a%b'],
    ['an underscore, literally', ['a_b', 'axb'], 'a_', 'a_b'],
    ['a star, literally', ['a*b', 'axb'], 'a*', 'a*b'],
    ['a quote', ["a'b", 'axb'], "a'", "a'b"],
    ['a backslash', ['a\\b', 'a\\\\'], 'a\\b', 'a\\b'],
  ])('%s', (_what, ids, id, expected) => {
    expect(findSession(snapshotWith(...ids), id).session).toBe(expected);
  });

  test.each([
    ['nothing begins so', ['abc'], 'b'],
    ['the id is longer', ['abc'], 'abcd'],
    ['another case', ['abc'], 'ABC'],
    ['what it ends with', ['abc'], 'bc'],
    ['a percent sign', ['abc'], '%'],
    ['an underscore for any letter', ['abc'], 'a_c'],
    ['a percent sign behind', ['abc'], 'ab%'],
    ['an empty snapshot', [], 'a'],
  ])('none: %s', (_what, ids, id) => {
    expect(() => findSession(snapshotWith(...ids), id)).toThrow(
      expect.objectContaining({ category: 'missing', code: 'session.missing', data: { id } }),
    );
  });

  test('several: with the candidates, in order', () => {
    const sql = snapshotWith('ac', 'ab', 'aa', 'b', 'a%');
    expect(() => findSession(sql, 'a')).toThrow(
      expect.objectContaining({
        category: 'incorrect',
        code: 'session.ambiguous',
        message: '4 sessions begin with a',
        data: { id: 'a', candidates: ['a%', 'aa', 'ab', 'ac'] },
        next: expect.stringContaining('more'),
      }),
    );
  });

  test('many: ten candidates, and no more than is known about how many there are', () => {
    const sql = snapshotWith(
      ...Array.from({ length: 30 }, (_, i) => `s${String(i).padStart(2, '0')}`),
    );
    const candidates = Array.from({ length: 10 }, (_, i) => `s0${i}`);
    expect(() => findSession(sql, 's')).toThrow(
      expect.objectContaining({
        message: 'more than 10 sessions begin with s',
        data: { id: 's', candidates },
      }),
    );
    expect(() => findSession(sql, 's0')).toThrow(
      expect.objectContaining({ message: '10 sessions begin with s0' }),
    );
    expect(findSession(sql, 's29').session).toBe('s29');
  });

  test('all that is known of it', () => {
    const digest = digestOf({ asked: 'Why?', worked: true });
    const body = sessionBody(ann, 's', { parent: 'p', imported: true, digest });
    expect(findSession(snapshotOf([sealed(ann, body)]), 's')).toEqual({
      session: 's',
      agent: 'ann-cc',
      runtime: 'claude-code',
      host: ann.hostId,
      parent: 'p',
      repo: 'github.com/acme/web',
      cwd: '/home/me/web',
      revision: 1,
      firstAt: toInstant(T0 - 60_000),
      lastAt: toInstant(T0),
      imported: true,
      digest,
      parts: body.parts,
    });
    const homeless = snapshotOf([sealed(ann, homelessBody(ann, 's', '/x'))]);
    expect(findSession(homeless, 's')).toMatchObject({ repo: undefined, parent: undefined });
  });
});

describe('lists', () => {
  const sql = () =>
    snapshotOf([
      session('old', at(1)),
      session('new', at(3)),
      session('twin', at(3)),
      session('api', { ...at(2), repo: 'github.com/acme/api', agent: 'other' }),
      session('child', { ...at(2), parent: 'new' }, bob),
      sealed(ann, homelessBody(ann, 'lost', '/gone', at(9))),
      sealed(bob, homelessBody(bob, 'lost too', '/gone', at(8))),
      sealed(ann, homelessBody(ann, 'lost as well', '/gone', at(7))),
    ]);
  const list = (filter: object) =>
    listSessions(sql(), { limit: 9, ...filter }).map((one) => one.session);

  test.each<[string, object, string[]]>([
    [
      'the newest first',
      {},
      ['lost', 'lost too', 'lost as well', 'new', 'twin', 'api', 'child', 'old'],
    ],
    ['as many as asked for', { limit: 2 }, ['lost', 'lost too']],
    ['of a repo', { repo: 'github.com/acme/web' }, ['new', 'twin', 'child', 'old']],
    ['of an agent', { agent: 'other' }, ['api']],
    ['of a parent', { parent: 'new' }, ['child']],
    [
      'since an instant, that instant too',
      { since: toInstant(T0 + 3_000), agent: 'ann-cc' },
      ['lost', 'lost as well', 'new', 'twin'],
    ],
    ['a filter comes before the limit', { repo: 'github.com/acme/api', limit: 1 }, ['api']],
    ['of a repo that is none', { repo: '%' }, []],
  ])('%s', (_what, filter, expected) => {
    expect(list(filter)).toEqual(expected);
  });

  test('how many there are', () => {
    expect(countSessions(sql())).toBe(8);
    expect(countSessions(newSql())).toBe(0);
  });

  test('repos, with their sessions and agents', () => {
    expect(listRepos(sql())).toEqual([
      { repo: 'github.com/acme/web', sessions: 4, agents: 2, lastAt: toInstant(T0 + 3_000) },
      { repo: 'github.com/acme/api', sessions: 1, agents: 1, lastAt: toInstant(T0 + 2_000) },
    ]);
  });

  test('folders that are gone, by host, until a map gives them a home', () => {
    const before = sql();
    expect(unresolvedFolders(before)).toEqual([
      { host: ann.hostId, cwd: '/gone', sessions: 2, lastAt: toInstant(T0 + 9_000) },
      { host: bob.hostId, cwd: '/gone', sessions: 1, lastAt: toInstant(T0 + 8_000) },
    ]);
    const map = open(seal('repo-map', repoMapBody(ann.host, '/gone', 'web'), ann.host));
    applyChanges(before, step(readerOf(before), { seq: 9, context: 'repo-map', record: map }));
    expect(unresolvedFolders(before)).toEqual([]);
  });

  test('the parts of every sealed session, those of its newest revision', () => {
    const parts = (key: string) => [{ key, hash: '0'.repeat(64) }];
    const records = [
      session('s', { parts: parts('one') }),
      session('s', { revision: 2, parts: [...parts('one'), ...parts('two')] }),
      session('r', { parts: parts('three') }),
    ];
    expect(sealedParts(snapshotOf(records))).toEqual([
      { session: 'r', keys: ['three'] },
      { session: 's', keys: ['one', 'two'] },
    ]);
  });
});
