import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  digestOf,
  handoffBody,
  homelessBody,
  householdOf,
  idOf,
  noted,
  repoMapBody,
  sealed,
  sessionBody,
} from '../../test/kit/fleet.ts';
import { snapshotOf } from '../../test/kit/member.ts';
import { seal } from '../record/record.ts';
import type { Sql, SqlValue } from '../snapshot/port.ts';
import { search } from './search.ts';

const ann = householdOf('ann');

const session = (id: string, asked: string, fields = {}) =>
  sealed(ann, sessionBody(ann, id, { digest: digestOf({ asked }), ...fields }));
const note = (id: string, summary: string) => noted(ann, handoffBody(ann, id, { summary }));
const found = (sql: Sql, query: string, repo?: string) =>
  search(sql, query, { repo, limit: 100 }).map(({ id }) => id);

describe('a query finds', () => {
  const rows: readonly [text: string, finds: string, misses: string][] = [
    ['The parser is done', 'parser', 'printer'],
    ['The parser is done', 'PARSERS', 'part'],
    ['naïve approach', 'naive', 'nave'],
    ['全文検索を実装する', '検索', '索検'],
    ['全文検索を実装する', '全文検索', '全文索検'],
    ['全文検索を実装する', '検', '機'],
    ['全文検索を実装する', '実装', '装実'],
    ['全文検索を実装する', 'る', 'ろ'],
    ['修复搜索bug', '搜索', '索修'],
    ['修复搜索bug', 'bug', 'ug'],
    ['修复搜索bug', '搜索bug', '检查test'],
    ['使用API接口v2版本', 'api', 'ap'],
    ['使用API接口v2版本', 'v2', 'v3'],
    ['使用API接口v2版本', '版本', '本版'],
    ['京都と東京', '東京', '東京都'],
    ['サーバーを再起動', 'サーバー', 'バーサ'],
    ['サーバーを再起動', 'サーバ', 'バサ'],
    ['サーバーを再起動', 'ｻｰﾊﾞｰ', 'ﾊﾞｻ'],
    ['ひらがなのテスト', 'らが', 'がら'],
    ['ひらがなのテスト', 'テスト', 'ストテ'],
    ['검색 기능을 고친다', '검색', '색검'],
    ['검색 기능을 고친다', '기능', '능기'],
    ['검색 기능을 고친다', '고', '교'],
    ['𠮷野家の件', '𠮷野', '野𠮷'],
    ['ＡＰＩの件', 'api', 'ap'],
    ['fix parseHTTPRequest', 'parsehttprequest', 'parsehttp'],
    ['fix parseHTTPRequest', 'HTTP', 'TTP'],
    ['fix parseHTTPRequest', 'request', 'quest'],
    ['fix HTTPServer', 'server', 'erver'],
    ['touch src/fold/map-state.ts', 'src/fold/map-state.ts', 'lib'],
    ['touch src/fold/map-state.ts', 'state', 'tate'],
    ['snake_case_name', 'case', 'ase'],
    ['commit 0a1b2c3d', '0a1b2c3d', '0a1b'],
  ];
  test.each(rows)('%j by %j, not by %j', (text, finds, misses) => {
    const sql = snapshotOf([session('s', text, { agent: 'x' })]);
    expect(found(sql, finds)).toEqual(['s']);
    expect(found(sql, misses)).toEqual([]);
  });

  test('what a digest says of a session', () => {
    const digest = digestOf({
      asked: 'alpha',
      replied: 'bravo',
      branch: 'charlie',
      files: [{ path: 'delta/echo.ts', reads: 1, edits: 0 }],
      commands: [{ command: 'foxtrot --golf', runs: 1, failed: 0, exit: 0 }],
      tests: [{ command: 'hotel', runs: 1, failed: 0, exit: 0 }],
      commits: [{ sha: '1234abcd', subject: 'india' }],
    });
    const sql = snapshotOf([session('s', '', { digest })]);
    const words = 'alpha bravo charlie delta echo foxtrot golf hotel 1234abcd india ann-cc'.split(
      ' ',
    );
    for (const word of words) expect(found(sql, word)).toEqual(['s']);
  });

  test('what an agent noted', () => {
    const record = noted(
      ann,
      handoffBody(ann, 's', { summary: 'alpha', next: 'bravo', status: 'blocked' }),
    );
    const sql = snapshotOf([record]);
    for (const word of ['alpha', 'bravo', 'blocked', 'ann']) {
      expect(search(sql, word, { limit: 9 })).toMatchObject([
        { kind: 'handoff', id: idOf(record), repo: 'github.com/acme/web' },
      ]);
    }
  });

  test('the newest revision only', () => {
    const sql = snapshotOf([session('s', 'alpha'), session('s', 'bravo', { revision: 2 })]);
    expect([found(sql, 'alpha'), found(sql, 'bravo')]).toEqual([[], ['s']]);
  });

  test('the best first: more of the terms, and rarer ones', () => {
    const sql = snapshotOf([
      session('common', 'parser parser'),
      session('also', 'parser and more of this and that'),
      session('best', 'parser printer'),
      session('none', 'something else'),
    ]);
    const hits = search(sql, 'parser printer', { limit: 9 });
    expect(hits[0]?.id).toBe('best');
    expect(hits.map(({ id }) => id).sort()).toEqual(['also', 'best', 'common']);
    expect(hits.map(({ score }) => score)).toEqual(
      hits.map(({ score }) => score).sort((a, b) => b - a),
    );
  });

  test('what fits alike in one order, always', () => {
    const ids = ['d', 'b', 'a', 'c'];
    const sql = snapshotOf(ids.map((id) => session(id, 'alpha')));
    expect(found(sql, 'alpha')).toEqual(['a', 'b', 'c', 'd']);
    expect(search(sql, 'alpha', { limit: 2 }).map(({ id }) => id)).toEqual(['a', 'b']);
  });
});

describe('a filter comes before the limit', () => {
  const records = [
    ...Array.from({ length: 30 }, (_, i) => session(`web ${i}`, 'alpha alpha alpha')),
    session('api', 'one alpha among many other words', { repo: 'github.com/acme/api' }),
  ];

  test('so that the only hit of a repo is found, however poor', () => {
    const sql = snapshotOf(records);
    const filter = { repo: 'github.com/acme/api', limit: 1 };
    expect(search(sql, 'alpha', filter)).toMatchObject([{ id: 'api', repo: filter.repo }]);
    expect(search(sql, 'alpha', { limit: 5 })).toHaveLength(5);
    expect(found(sql, 'alpha')).toHaveLength(31);
    expect(found(sql, 'alpha', 'github.com/acme/none')).toEqual([]);
    expect(found(sql, 'alpha', "x' OR '1'='1")).toEqual([]);
  });

  test('and goes by where a session lives now', () => {
    const sql = snapshotOf([
      sealed(ann, homelessBody(ann, 's', '/srv/web', { digest: digestOf({ asked: 'alpha' }) })),
      note('t', 'alpha'),
      seal('repo-map', repoMapBody(ann.host, '/srv/**', 'moved'), ann.host),
    ]);
    expect(search(sql, 'alpha', { repo: 'moved', limit: 9 })).toMatchObject([
      { kind: 'session', id: 's', repo: 'moved' },
    ]);
    expect(found(sql, 'alpha')).toHaveLength(2);
  });

  test('a session without a repo has none', () => {
    const sql = snapshotOf([
      sealed(ann, homelessBody(ann, 's', '/x', { digest: digestOf({ asked: 'alpha' }) })),
    ]);
    expect(search(sql, 'alpha', { limit: 1 })).toMatchObject([{ id: 's', repo: undefined }]);
  });
});

describe('no query is an error', () => {
  const sql = () => snapshotOf([session('s', 'the "quoted" text AND more'), note('s', '検索')]);

  test.each([
    '',
    ' ',
    '"',
    '""',
    '"unbalanced',
    "'; DROP TABLE search; --",
    'AND',
    'OR OR',
    'NOT x',
    'a AND',
    'NEAR(a b, 3)',
    'text:quoted',
    'nothing:quoted',
    '*',
    'qu*',
    '^quoted',
    '-quoted',
    '+ quoted',
    '(quoted',
    'quoted)',
    '{quoted}',
    'a.b/c\\d',
    '%_',
    '\0',
    'a\0b',
    '\ud83e',
    '🦊',
    '検"索',
    '(検)',
  ])('%j', (query) => {
    expect(Array.isArray(search(sql(), query, { limit: 5 }))).toBe(true);
  });

  test('operators are words like any other', () => {
    expect(found(sql(), 'AND')).toEqual(['s']);
    expect(found(sql(), '"quoted text')).toEqual(['s']);
    expect(found(sql(), 'qu*')).toEqual([]);
  });

  test.each([
    ['words', 'word '.repeat(20_000)],
    ['distinct words', Array.from({ length: 5_000 }, (_, i) => `w${i}`).join(' ')],
    ['one word', 'a'.repeat(100_000)],
    ['characters', '検索'.repeat(50_000)],
    ['runs', '検索 '.repeat(20_000)],
    ['quotes', '"'.repeat(100_000)],
    ['capitals', 'A'.repeat(100_000)],
  ])('a pasted page of %s asks for two dozen terms, and for little in them', (_what, query) => {
    const snapshot = sql();
    const asked: SqlValue[] = [];
    const watched: Sql = {
      ...snapshot,
      all(text, ...params) {
        asked.push(...params.slice(0, 1));
        return snapshot.all(text, ...params);
      },
    };
    expect(Array.isArray(search(watched, query, { limit: 5 }))).toBe(true);
    for (const expression of asked.map(String)) {
      expect(expression.split(' OR ').length).toBeLessThanOrEqual(24);
      expect(expression.length).toBeLessThanOrEqual(30_000);
    }
  });

  test('any text at all', () => {
    const snapshot = sql();
    const anyQuery = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom(
          '"',
          '*',
          '(',
          ')',
          ' ',
          ':',
          '^',
          '検',
          'カ',
          'ー',
          'a',
          'OR',
          '\ud83e',
        ),
      }),
    );
    fc.assert(
      fc.property(anyQuery, (query) => {
        expect(search(snapshot, query, { limit: 5 }).length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 300 },
    );
  });

  test('any text finds what says it', () => {
    const anyWord = fc.string({
      unit: fc.constantFrom('a', 'B', '7', '検', '索', 'カ', 'ー', '검'),
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(anyWord, (word) => {
        const only = snapshotOf([session('s', `x ${word} y`)]);
        expect(found(only, word)).toEqual(['s']);
      }),
      { numRuns: 60 },
    );
  });
});
