import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import { sha256Hex } from '../base/hash.ts';
import { dayOf } from '../base/time.ts';
import { partKey } from '../lake/layout.ts';
import { PART_COLUMNS, toRow } from '../lake/part.ts';
import type { Envelope, EventType } from '../runtime/envelope.ts';
import { parquet } from './parquet.ts';

const FULL: Envelope = {
  ...envelope({ event_id: 'full', session_id: 's/1:é%', agent_id: 'c 3', content: 'text 🦊 ☃' }),
  emitted_at: '2026-01-04T12:00:00.001Z',
  ...{ runtime_version: '1', parent_session_id: 'p', turn_id: 't', message_id: 'm', detail: '' },
  ...{ parent_message_id: 'q', repo: 'r', cwd: '/w', git_sha: 'g', branch: 'b', content_hash: 'h' },
  role: 'user',
  tool: {
    ...{ name: 'Bash', input: '{}', input_hash: 'ih', result: '', outcome: 'denied' },
    ...{ exit_code: 3_221_225_477, duration_ms: 0, paths: ['a/b.ts', 'c "d".ts'] },
  },
  usage: {
    ...{ response_id: 'x', model: 'y', input_tokens: 1, output_tokens: 2, cache_read_tokens: 3 },
    ...{ cache_write_tokens: 4, cost_usd_micros: Number.MAX_SAFE_INTEGER },
  },
  injected_context: [
    { kind: 'claim', id: 'c1', source: 's', observed_by: 'o' },
    { kind: 'digest', id: 'd1', source: '', observed_by: 'o' },
  ],
  redaction: { status: 'withheld', rules_fired: ['one', 'two'] },
  imported: true,
  reconciled: true,
};

/** Envelopes of one session, an hour apart, one of each type. */
function session(agent_id: string, session_id: string, at: string, types: readonly EventType[]) {
  return types.map((event_type, hour) => {
    const emitted_at = new Date(Date.parse(at) + hour * 3_600_000).toISOString();
    return envelope({
      event_id: emitted_at,
      agent_id,
      session_id,
      emitted_at,
      event_type,
    });
  });
}

const PARTS: readonly (readonly Envelope[])[] = [
  session('cc-01', '20260102', '2026-01-02T21:00:00.000Z', ['prompt', 'tool_call', 'tool_call']),
  session('cc-01', '20260102', '2026-01-03T00:00:00.000Z', ['tool_call', 'session_end']),
  session('cu-01', 'x:agent-1', '2026-01-02T00:00:00.000Z', ['prompt', 'assistant']),
  [FULL],
];
const ALL = PARTS.flat();

let folder = '';
let ask: (sql: string) => Promise<readonly Record<string, unknown>[]>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'credence duckdb '));
  for (const [n, part] of PARTS.entries()) {
    const [first] = part;
    if (first === undefined) continue;
    const bytes = parquet.encode(part);
    const place = {
      ...{ date: dayOf(first.emitted_at), runtime: first.runtime, agent: first.agent_id },
      ...{ host: first.host_id, session: first.session_id },
    };
    const path = join(folder, partKey(place, n, sha256Hex(bytes)));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  ask = async (sql) => {
    const lake = `read_parquet('${folder}/sessions/**/*.parquet', hive_partitioning=true)`;
    const result = await connection.runAndReadAll(sql.replaceAll('LAKE', lake));
    return result.getRowObjectsJson() as Record<string, unknown>[];
  };
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('DuckDB, with no code of ours', () => {
  test('counts events by agent and type', async () => {
    const found = await ask(
      'SELECT agent_id, event_type, count(*)::INT AS n FROM LAKE GROUP BY ALL ORDER BY ALL',
    );
    expect(found).toEqual([
      { agent_id: 'c 3', event_type: 'prompt', n: 1 },
      { agent_id: 'cc-01', event_type: 'prompt', n: 1 },
      { agent_id: 'cc-01', event_type: 'session_end', n: 1 },
      { agent_id: 'cc-01', event_type: 'tool_call', n: 3 },
      { agent_id: 'cu-01', event_type: 'assistant', n: 1 },
      { agent_id: 'cu-01', event_type: 'prompt', n: 1 },
    ]);
  });

  // The zone of the process is Kathmandu's: a column of local times would shift these by 5:45.
  test.each([
    ["emitted_at >= TIMESTAMPTZ '2026-01-02 23:00:00+00'", '2026-01-02T23:00:00.000Z'],
    ["emitted_at >= TIMESTAMPTZ '2026-01-04 12:00:00.001Z'", '2026-01-04T12:00:00.001Z'],
    ["dt = '2026-01-04'", '2026-01-04T00:00:00.000Z'],
  ])('filters by time: %s', async (where, from) => {
    const [found] = await ask(`SELECT count(*)::INT AS n FROM LAKE WHERE ${where}`);
    expect(found).toEqual({ n: ALL.filter((event) => event.emitted_at >= from).length });
  });

  test('decodes the names in the folders', async () => {
    const [found] = await ask(
      "SELECT agent, session, session_id FROM LAKE WHERE event_id = 'full'",
    );
    expect(found).toEqual({ agent: 'c 3', session: 's/1:é%', session_id: 's/1:é%' });
    const [other] = await ask("SELECT count(*)::INT AS n FROM LAKE WHERE session = 'x:agent-1'");
    expect(other).toEqual({ n: 2 });
  });

  test('reads every value of every column', async () => {
    const columns = PART_COLUMNS.map(({ name, type }) => {
      return type === 'instant' ? `epoch_ms(${name})::BIGINT AS ${name}` : name;
    });
    for (const event of [FULL, ...ALL.slice(0, 1)]) {
      const found = await ask(
        `SELECT ${columns.join(', ')} FROM LAKE WHERE event_id = '${event.event_id}'`,
      );
      const row = toRow(event).map((value) => {
        return typeof value === 'number' ? String(value) : (value ?? null);
      });
      expect(found).toEqual([Object.fromEntries(PART_COLUMNS.map((c, i) => [c.name, row[i]]))]);
    }
  });

  test('takes lists apart, and flags as true or false', async () => {
    const paths = await ask('SELECT unnest(tool_paths) AS path FROM LAKE ORDER BY path');
    expect(paths).toEqual([{ path: 'a/b.ts' }, { path: 'c "d".ts' }]);
    const claims = await ask(
      "SELECT i.id FROM (SELECT unnest(injected_context) AS i FROM LAKE) WHERE i.kind = 'claim'",
    );
    expect(claims).toEqual([{ id: 'c1' }]);
    const [live] = await ask('SELECT count(*)::INT AS n FROM LAKE WHERE NOT imported');
    expect(live).toEqual({ n: ALL.length - 1 });
  });

  test('sees instants as such, and one row group with bounds by which to pass a part over', async () => {
    const types = await ask(
      "SELECT column_type FROM (DESCRIBE SELECT * FROM LAKE) WHERE column_name = 'emitted_at'",
    );
    expect(types).toEqual([{ column_type: 'TIMESTAMP WITH TIME ZONE' }]);
    const bounds = await ask(
      `SELECT row_group_id::INT AS g, stats_min_value AS low FROM parquet_metadata('${folder}/sessions/**/*.parquet')
       WHERE path_in_schema = 'emitted_at' AND row_group_num_rows = 3`,
    );
    expect(bounds).toEqual([{ g: 0, low: '2026-01-02 21:00:00+00' }]);
  });

  test('reads an empty part', async () => {
    const path = join(folder, 'empty.parquet');
    writeFileSync(path, parquet.encode([]));
    expect(await ask(`SELECT event_id FROM '${path}'`)).toEqual([]);
  });

  test('runs the queries that docs/formats/part.md gives', async () => {
    const page = readFileSync('docs/formats/part.md', 'utf8');
    const [, sql = ''] = /```sql\n([^`]*)```/.exec(page) ?? [];
    const statements = sql.replaceAll("'lake/", `'${folder}/`).split(';').slice(0, -1);
    const found = [];
    for (const statement of statements) found.push(await ask(statement));
    expect(found).toHaveLength(3);
    expect(found[1]).toHaveLength(6);
    expect(found[2]).toEqual([
      { path: 'a/b.ts', calls: '1' },
      { path: 'c "d".ts', calls: '1' },
    ]);
    const lake = `read_parquet('${folder}/sessions/**/*.parquet', hive_types_autocast = false)`;
    const types = await ask(`SELECT DISTINCT typeof(session) AS type FROM ${lake}`);
    expect(types).toEqual([{ type: 'VARCHAR' }]);
  });
});
