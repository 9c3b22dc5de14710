import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../src/io/sqlite.ts';
import { type ClaimsSought, search } from '../src/query/search.ts';
import { applyChanges, makeIndexes, prepare, readerOf } from '../src/snapshot/database.ts';
import { neighboursIn } from '../src/snapshot/neighbours.ts';
import type { Sql } from '../src/snapshot/port.ts';
import { TABLES } from '../src/snapshot/schema.ts';
import { queryTerms } from '../src/snapshot/tokens.ts';
import { chanceOf, claimRow, sentence, wordOf } from './kit/claims.ts';
import { type Figure, print } from './kit/figures.ts';

/*
 * Search, and the neighbours of claims, in a state in a file.
 *
 *   npm run bench -- search [claims, 100,000 unless given] [queries of each kind, 200 unless given]
 */
const CLAIMS = Number(process.argv[2] ?? 100_000);
const QUERIES = Number(process.argv[3] ?? 200);
const SPACE = 'bench';
const LIMIT = 10;

function fill(state: Sql): void {
  prepare(state, TABLES);
  const chance = chanceOf(1);
  const fleet = { key: 'fleet', at: 0, fleet_id: SPACE, admission: 'open', record: '' };
  state.transaction(() => {
    applyChanges(state, [{ table: 'fleet', row: fleet }]);
    for (let i = 0; i < CLAIMS; i++)
      applyChanges(state, [{ table: 'claims', row: claimRow(i, chance, SPACE) }]);
  });
  makeIndexes(state);
}

const statementOf = (state: Sql, i: number) =>
  readerOf(state).get('claims', claimRow(i, chanceOf(0), SPACE).key)?.statement ?? '';

/** Half of a claim's words, among as many that have nothing to do with it. */
function about(statement: string, chance: () => number): string {
  const words = statement.split(' ').filter(() => chance() < 0.5);
  return [...words, sentence(chance, 5, 12)].join(' ');
}

/** Queries of each kind. */
function queriesOf(state: Sql): Record<string, string[]> {
  const chance = chanceOf(2);
  const many = (make: (i: number) => string) => Array.from({ length: QUERIES }, (_, i) => make(i));
  const some = () => statementOf(state, Math.floor(chance() * CLAIMS));
  return {
    '2 to 4 words': many(() => sentence(chance, 2, 4)),
    'sentences of 10 to 25 words': many(() => sentence(chance, 10, 25)),
    'sentences about a claim': many(() => about(some(), chance)),
  };
}

/** The ranking by all terms of a query. */
function unbounded(state: Sql, query: string): string[] {
  const rows = state.all(
    `SELECT documents.key AS key FROM search JOIN documents ON documents.id = search.rowid
     WHERE search MATCH ? ORDER BY bm25(search), documents.kind, documents.key LIMIT ?`,
    queryTerms(query).join(' OR '),
    LIMIT,
  );
  return rows.map(({ key }) => String(key));
}

/** Milliseconds of each. */
function timesOf<T>(items: readonly T[], body: (item: T) => unknown): number[] {
  const times = items.map((item) => {
    const start = performance.now();
    body(item);
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

function figuresOf(state: Sql, kind: string, queries: string[], bare: number): Figure[] {
  const readers: [string, ClaimsSought][] = [
    ['a person', 'all'],
    ['an agent', { agent: 'agent-3' }],
  ];
  const taken = readers.flatMap(([who, claims]) => {
    const times = timesOf(queries, (query) => search(state, query, { limit: LIMIT, claims }));
    const what = `${kind}, as ${who}`;
    const beside = { what: 'a bare MATCH of two rare terms', value: bare };
    return [
      { what: `${what}: p50`, value: at(times, 0.5), unit: 'ms' },
      { what: `${what}: p95`, value: at(times, 0.95), unit: 'ms', target: '10', bare: beside },
      { what: `${what}: max`, value: at(times, 1), unit: 'ms' },
    ];
  });
  let [shared, all, first] = [0, 0, 0];
  for (const query of queries) {
    const whole = unbounded(state, query);
    const found = search(state, query, { limit: LIMIT }).map(({ id }) => id);
    shared += whole.filter((id) => found.includes(id)).length;
    all += whole.length;
    first += whole[0] === found[0] ? 1 : 0;
  }
  return [
    ...taken,
    { what: `${kind}: of the best ten by all terms found`, value: (100 * shared) / all, unit: '%' },
    { what: `${kind}: the same one first`, value: (100 * first) / queries.length, unit: '%' },
  ];
}

/** Milliseconds of a query for two rare words by FTS5 alone. */
function bareMatch(state: Sql): number {
  const pairs = Array.from({ length: QUERIES }, (_, i) => [5_000 + 7 * i, 6_000 + 11 * i]);
  const times = timesOf(pairs, (pair) =>
    state.all(
      'SELECT rowid FROM search WHERE search MATCH ? ORDER BY bm25(search) LIMIT ?',
      pair.map((n) => `"${wordOf(n)}"`).join(' OR '),
      LIMIT,
    ),
  );
  return at(times, 0.95);
}

function neighbourRate(state: Sql): Figure {
  const neighbours = neighboursIn(state);
  const rows = Array.from({ length: QUERIES }, (_, i) => (i * 7_919) % CLAIMS).flatMap(
    (i) => readerOf(state).get('claims', claimRow(i, chanceOf(0), SPACE).key) ?? [],
  );
  const start = performance.now();
  for (const row of rows) neighbours(row);
  const seconds = (performance.now() - start) / 1_000;
  return {
    what: 'neighbours of claims',
    value: rows.length / seconds,
    unit: 'claims/s',
    target: 'at least 150',
  };
}

const folder = mkdtempSync(join(tmpdir(), 'credence-bench-'));
const path = join(folder, 'state.sqlite');
const filled = openSqlite(path);
fill(filled);
filled.close();
const state = openSqlite(path, { readOnly: true });
const bare = bareMatch(state);
const kinds = Object.entries(queriesOf(state));
print([
  ...kinds.flatMap(([kind, queries]) => figuresOf(state, kind, queries, bare)),
  neighbourRate(state),
]);
state.close();
rmSync(folder, { recursive: true });
