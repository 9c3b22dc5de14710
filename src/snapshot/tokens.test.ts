import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexText, queryTerms } from './tokens.ts';

describe('the text of the index', () => {
  test.each([
    ['words as they are', 'the parser is done', 'the parser is done'],
    ['white space of any kind', ' a\n\tb\u3000c ', 'a b c'],
    ['nothing', '', ''],
    ['two characters: their pair, and the last', '検索', '検索 索'],
    ['one character', '検', '検 検'],
    ['a run of pairs', '全文検索', '全文 文検 検索 索'],
    ['ASCII on both sides', 'src検索ts', 'src 検索 索 ts'],
    ['digits inside', '第3章', '第 第 3 章 章'],
    ['kana, with the long mark', 'サーバー', 'サー ーバ バー ー'],
    ['half-width kana', 'ｻｰﾊﾞ', 'サー ーバ バ'],
    ['a mark of repetition', '人々', '人々 々'],
    ['Hangul', '검색어', '검색 색어 어'],
    ['Hangul in its parts', '\u1100\u1165\u11b7\u1109\u1162\u11a8', '검색 색'],
    ['characters beyond the first plane', '𠮷野', '𠮷野 野'],
    ['full-width letters', 'ＡＰＩ', 'API'],
    ['marks between runs', '検索、文書', '検索 索 、 文書 書'],
    ['camel case', 'parseRequest', 'parseRequest parse Request'],
    ['an abbreviation inside', 'parseHTTPRequest', 'parseHTTPRequest parse HTTP Request'],
    ['an abbreviation in front', 'HTTPServer', 'HTTPServer HTTP Server'],
    ['a number inside', 'sha256Hex', 'sha256Hex sha256 Hex'],
    ['a plain capital', 'Parser README v2', 'Parser README v2'],
    ['a path', 'src/readConfig.test.ts', 'src/readConfig.test.ts read Config'],
  ])('%s', (_what, text, expected) => {
    expect(indexText(text)).toBe(expected);
  });

  const small = 'a'.repeat(120_000);
  const capitals = 'A'.repeat(60_000);
  const half = 'a'.repeat(60_000);
  // What grew by the square of the length would not end in the time that a test has.
  test.each<[string, string, string]>([
    ['small letters', small, small],
    ['capitals', capitals, capitals],
    [
      'capitals, then small letters',
      capitals + half,
      `${capitals}${half} ${capitals.slice(1)} A${half}`,
    ],
    ['small letters, then a capital', `${small}A`, `${small}A ${small} A`],
    ['camels', 'aA'.repeat(60_000), `${'aA'.repeat(60_000)} a ${'Aa '.repeat(59_999)}A`],
    ['white space', ' '.repeat(120_000), ''],
    ['characters', '検'.repeat(120_000), `${'検検 '.repeat(119_999)}検`],
  ])('of a long text of %s', (_what, text, expected) => {
    // Not toBe: where they differ, a comparison of so much text is of no use to anybody.
    expect(indexText(text) === expected).toBe(true);
  });
});

describe('the terms of a query', () => {
  const queryExpression = (query: string) => queryTerms(query).join(' OR ') || undefined;

  test.each<[string, string, string | undefined]>([
    ['terms by OR', 'parser done', '"parser" OR "done"'],
    ['each once, whatever its case', 'Parser parser PARSER', '"parser"'],
    ['a run as a phrase of pairs', '全文検索', '"全文 文検 検索"'],
    ['a pair', '検索', '"検索"'],
    ['one character as the beginning of a pair', '検', '"検"*'],
    ['runs and words', 'src検索ts', '"src" OR "検索" OR "ts"'],
    ['half-width kana', 'ｻｰﾊﾞ', '"サー ーバ"'],
    ['a path', 'src/fold/step.ts', '"src" OR "fold" OR "step" OR "ts"'],
    [
      'operators as words',
      'a AND b NOT c NEAR(d, 2)',
      '"a" OR "and" OR "b" OR "not" OR "c" OR "near" OR "d" OR "2"',
    ],
    ['quotes', `"a" 'b' "`, '"a" OR "b"'],
    ['columns, stars and carets', 'text:a* ^b -c {d}', '"text" OR "a" OR "b" OR "c" OR "d"'],
    ['nothing', '', undefined],
    ['marks alone', '"*()-^:+{}[]|;', undefined],
    ['an animal', '🦊', undefined],
    ['NUL', '\0', undefined],
    ['a lone surrogate', '\ud83ea', '"a"'],
  ])('%s', (_what, query, expected) => {
    expect(queryExpression(query)).toBe(expected);
  });

  test('24 terms at most', () => {
    const query = Array.from({ length: 40 }, (_, i) => `w${i}`).join(' ');
    expect(queryTerms(query)).toHaveLength(24);
  });

  test('whatever the query, each part is quoted and holds no quote', () => {
    const anyQuery = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', 'a', ' ', '検', '索', '*', 'OR', "'", '\ud83e') }),
    );
    fc.assert(
      fc.property(anyQuery, (query) => {
        const expression = queryExpression(query);
        expect(expression ?? '"a"').toMatch(/^"[^"]+"\*?(?: OR "[^"]+"\*?)*$/);
      }),
      { numRuns: 300 },
    );
  });
});
