import type { Instant } from '../base/time.ts';
import type { Outbox } from '../handoff/port.ts';
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
  /** Of all that was ever sent: lines that could not be read, payloads that did not fit, and when the last was found. */
  readonly torn: number;
  readonly unrecognised: number;
  readonly oddAt: Instant | undefined;
  /** Files of the outbox that hold no note that could be sent. */
  readonly unreadable: readonly string[];
}

/** Looks at the spool and the outbox. Confirmed files that are kept until their session's seal do not wait. */
export function queueOf(spool: Spool, outbox: Outbox): Queue {
  const waiting = spool.sessions().map((session) => ({
    session,
    files: session.files.filter((file) => file.state !== 'sent'),
  }));
  const files = waiting.flatMap((one) => one.files);
  const { torn, unrecognised, last_at } = spool.counted();
  return {
    sessions: waiting.filter((one) => one.files.length > 0).length,
    bytes: files.reduce((total, file) => total + file.bytes, 0),
    oldestAt: files.length > 0 ? Math.min(...files.map((file) => file.writtenAt)) : undefined,
    unsealed: spool.unsealed().length,
    torn,
    unrecognised,
    oddAt: last_at,
    unreadable: outbox.unreadable(),
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
