import type { Spool } from '../lake/port.ts';
import type { Sql } from '../snapshot/port.ts';

/** What waits on this machine. */
export interface Queue {
  /** Sessions with lines that the store has not confirmed. */
  readonly sessions: number;
  readonly bytes: number;
  /** When the oldest unconfirmed file was written last, in milliseconds; undefined where nothing waits. */
  readonly oldestAt: number | undefined;
  /** Sessions whose parts are in the store and not in a sealed revision yet. */
  readonly unsealed: number;
  readonly torn: number;
  readonly unrecognised: number;
}

/** Looks at the spool. Confirmed files that are kept until their session's seal do not wait. */
export function queueOf(spool: Spool): Queue {
  const waiting = spool.sessions().map((session) => ({
    session,
    files: session.files.filter((file) => file.state !== 'sent'),
  }));
  const files = waiting.flatMap((one) => one.files);
  const unsealed = spool.unsealed();
  const sum = (pick: (manifest: (typeof unsealed)[number]['manifest']) => number) =>
    unsealed.reduce((total, { manifest }) => total + pick(manifest), 0);
  return {
    sessions: waiting.filter((one) => one.files.length > 0).length,
    bytes: files.reduce((total, file) => total + file.bytes, 0),
    oldestAt: files.length > 0 ? Math.min(...files.map((file) => file.writtenAt)) : undefined,
    unsealed: unsealed.length,
    torn: sum((manifest) => manifest.torn),
    unrecognised: sum((manifest) => manifest.unrecognised),
  };
}

/** Captured over known events, over every session that was compared with a transcript. */
export function coverageOf(sql: Sql): { captured: number; known: number; sessions: number } {
  const row = sql.get(
    `SELECT coalesce(sum(json_extract(digest, '$.coverage.captured')), 0) AS captured,
            coalesce(sum(json_extract(digest, '$.coverage.known')), 0) AS known,
            count(json_extract(digest, '$.coverage.known')) AS sessions
     FROM sessions`,
  );
  return {
    captured: Number(row?.['captured'] ?? 0),
    known: Number(row?.['known'] ?? 0),
    sessions: Number(row?.['sessions'] ?? 0),
  };
}

/** Entries that this version could not use, by code. */
export function unusableOf(sql: Sql): { code: string; entries: number }[] {
  return sql
    .all('SELECT code, count(*) AS n FROM unusable GROUP BY code ORDER BY n DESC, code')
    .map((row) => ({ code: String(row['code']), entries: Number(row['n']) }));
}
