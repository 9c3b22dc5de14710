import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newSql } from '../../test/kit/member.ts';
import { search } from '../query/search.ts';
import type { Sql } from './port.ts';
import { POSTINGS_MAX, rarestOf } from './rarest.ts';
import { indexText, queryTerms } from './tokens.ts';

type Counts = Readonly<Record<string, number>>;

const counting = (counts: Counts) => (term: string, most: number) =>
  Math.min(counts[term] ?? 0, most);

describe('the choice of terms', () => {
  test.each<[what: string, counts: Counts, bound: number, kept: string]>([
    ['nothing', {}, 100, ''],
    ['one, however common', { a: 9_000 }, 100, 'a'],
    ['all that fit', { a: 50, b: 20, c: 30 }, 100, 'b c a'],
    ['all but the commonest', { a: 51, b: 20, c: 30 }, 100, 'b c'],
    ['the rarest of those that are too common', { a: 9_000, b: 8_000, c: 70_000 }, 100, 'b'],
    ['of those that are alike the first', { a: 60, b: 60 }, 100, 'a'],
    ['what has no document costs nothing', { a: 0, b: 100, c: 1 }, 100, 'a c'],
    ['as many as were counted at first', { a: 256, b: 255, c: 257 }, 768, 'b a c'],
    ['one beyond the bound', { a: 256, b: 255, c: 258 }, 768, 'b a'],
  ])('%s', (_what, counts, bound, kept) => {
    expect(rarestOf(Object.keys(counts), bound, counting(counts)).join(' ')).toBe(kept);
  });

  test('as by counting all of them to the end', () => {
    const anyCount = fc.oneof(fc.nat(600), fc.nat(100_000));
    fc.assert(
      fc.property(fc.array(anyCount, { maxLength: 24 }), fc.nat(20_000), (list, bound) => {
        const counts = Object.fromEntries(list.map((count, i) => [`t${i}`, count]));
        const sorted = Object.entries(counts).sort((a, b) => a[1] - b[1]);
        let sum = 0;
        const cut = sorted.findIndex(([, count], i) => {
          sum += count;
          return i > 0 && sum > bound;
        });
        const expected = sorted.slice(0, cut < 0 ? undefined : cut).map(([term]) => term);
        expect(rarestOf(Object.keys(counts), bound, counting(counts))).toEqual(expected);
      }),
    );
  });
});

/** A state with sessions that say these texts, in two repos by turns. */
function saying(texts: readonly string[]): Sql {
  const sql = newSql();
  sql.transaction(() => {
    for (const [i, text] of texts.entries()) {
      const id = i + 1;
      const [key, repo] = [`s${i}`, i % 2 === 0 ? 'even' : 'odd'];
      sql.run('INSERT INTO documents VALUES (?, ?, ?, ?)', id, 'session', key, repo);
      sql.run('INSERT INTO search (rowid, text) VALUES (?, ?)', id, indexText(text));
    }
  });
  return sql;
}

/** The ranking by all terms. */
function byAll(sql: Sql, query: string, limit: number, repo?: string): string[] {
  const rows = sql.all(
    `SELECT documents.key AS key FROM search JOIN documents ON documents.id = search.rowid
     WHERE search MATCH ? AND (? IS NULL OR documents.repo = ?)
     ORDER BY bm25(search), documents.kind, documents.key LIMIT ?`,
    queryTerms(query).join(' OR '),
    repo ?? null,
    repo ?? null,
    limit,
  );
  return rows.map(({ key }) => String(key));
}

const found = (sql: Sql, query: string, limit: number, repo?: string) =>
  search(sql, query, { limit, repo }).map(({ id }) => id);

describe('a query whose terms have', () => {
  test('few documents: as by all terms', () => {
    const words = ['port', 'queue', 'lock', '検索', '検', 'parser', 'Parsers', 'x1'];
    const anyText = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 });
    const any = fc.record({
      texts: fc.array(anyText, { minLength: 1, maxLength: 30 }),
      query: anyText,
      limit: fc.integer({ min: 1, max: 12 }),
      repo: fc.constantFrom(undefined, 'even', 'odd'),
    });
    fc.assert(
      fc.property(any, ({ texts, query, limit, repo }) => {
        const sql = saying(texts.map((text) => text.join(' ')));
        const words = query.join(' ');
        expect(found(sql, words, limit, repo)).toEqual(byAll(sql, words, limit, repo));
        sql.close();
      }),
      { numRuns: 60 },
    );
  });

  const COMMON = POSTINGS_MAX + 100;
  // Three say a rare word; the two of even repos come first. 検索 is rare, too, and only in odd ones.
  const crowd = () =>
    saying([
      ...Array.from({ length: COMMON }, () => 'the queue waits'),
      ...['the zebra', 'a zebra and the queue', 'the zebra queue waits', '全文検索 waits'],
    ]);
  const rare = (n: number) => `s${COMMON + n}`;

  test.each<[query: string, limit: number, repo: string | undefined, ids: string[]]>([
    ['the queue waits zebra', 3, undefined, [rare(0), rare(1), rare(2)]],
    ['the queue waits zebra', 2, 'even', [rare(0), rare(2)]],
    ['the queue waits zebra', 1, 'odd', [rare(1)]],
    ['the queue waits 検索', 1, 'odd', [rare(3)]],
    ['the queue waits 検', 1, 'odd', [rare(3)]],
  ])('many: %j, %d of %s: what has the rare one', (query, limit, repo, ids) => {
    expect(found(crowd(), query, limit, repo).sort()).toEqual(ids);
  });

  test('many: where the rare one has too few, all that there are up to the limit', () => {
    const sql = crowd();
    for (const [limit, repo] of [[20], [20, 'odd'], [COMMON + 50]] as [number, string?][]) {
      const ids = found(sql, 'the queue waits zebra', limit, repo);
      expect(ids).toEqual(byAll(sql, 'the queue waits zebra', limit, repo));
      expect(ids.length).toBeGreaterThan(3);
    }
    // None of the rare ones is eligible.
    expect(found(sql, 'queue 検索', 5, 'even')).toHaveLength(5);
  });
});
