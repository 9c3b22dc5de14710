import { dayOf, toInstant } from '../base/time.ts';
import type { InBatch, KnownClaim, ModelSession } from '../extract/model.ts';
import { principalOf } from '../fold/view.ts';
import { operatorOf } from '../gate/exposure.ts';
import type { Injected } from '../runtime/envelope.ts';
import { readerOf } from './database.ts';
import type { Sql } from './port.ts';

/** What was begun and not finished by then is free again. Source: design page 6, `extraction`. */
const UNFINISHED_MS = 24 * 3_600_000;

/** Claims on file that a model is shown: more would leave no room for the session. */
const KNOWN_MAX = 40;
const KNOWN_BYTES_MAX = 6_000;

function sessionIn(row: Readonly<Record<string, unknown>>): ModelSession {
  const text = (value: unknown) => (value === null ? undefined : String(value));
  return {
    session: String(row['key']),
    agent: String(row['agent']),
    repo: text(row['repo']),
    parent: text(row['parent']),
  };
}

/**
 * The sealed sessions of its operator's agents whose newest revision no model has read, and none is reading: the newest first, and those that
 * failed before behind all others. Which model it was does not matter: another one is not paid for what is read.
 */
export function dueIn(state: Sql, address: string, provider: string, now: number): ModelSession[] {
  const reader = readerOf(state);
  const operator = principalOf(reader, address)?.operator;
  const rows = state.all(
    `SELECT key, agent, repo, parent,
       (SELECT max(issued_at) FROM extractions AS e WHERE e.session = sessions.key AND e.revision = sessions.revision
          AND e.state = 'failed' AND e.extractor NOT LIKE 'rules/%') AS failed_at
     FROM sessions WHERE NOT EXISTS (
       SELECT 1 FROM extractions AS e WHERE e.session = sessions.key AND e.revision = sessions.revision
         AND e.extractor NOT LIKE 'rules/%' AND (e.state = 'done'
           OR (e.state IN ('started', 'submitted') AND e.issued_at > ?)
           OR (e.state = 'submitted' AND e.author = ? AND substr(e.extractor, 1, length(?)) = ?)))
     ORDER BY failed_at IS NOT NULL, failed_at, last_at DESC, key`,
    toInstant(now - UNFINISHED_MS),
    address,
    `${provider}/`,
    `${provider}/`,
  );
  return rows.map(sessionIn).filter(({ agent }) => operatorOf(reader, agent) === operator);
}

/** What a host's batches at a provider hold, however long ago they were sent. */
export function inBatchesIn(state: Sql, address: string, provider: string): InBatch[] {
  const rows = state.all(
    `SELECT e.session AS key, e.revision, e.batch_id, e.extractor, e.issued_at, s.agent, s.repo, s.parent
     FROM extractions AS e JOIN sessions AS s ON s.key = e.session
     WHERE e.state = 'submitted' AND e.author = ? AND substr(e.extractor, 1, length(?)) = ?
     ORDER BY e.issued_at, e.key`,
    address,
    `${provider}/`,
    `${provider}/`,
  );
  return rows.map((row) => ({
    ...sessionIn(row),
    revision: Number(row['revision']),
    batch: String(row['batch_id']),
    extractor: String(row['extractor']),
    since: String(row['issued_at']),
  }));
}

/** What the hosts of an operator spent on a day, in millionths of a dollar. */
export function spentIn(state: Sql, address: string, now: number): number {
  const reader = readerOf(state);
  const operator = principalOf(reader, address)?.operator;
  return reader
    .where('spend', 'day', dayOf(toInstant(now)))
    .filter(({ author }) => principalOf(reader, author)?.operator === operator)
    .reduce((sum, { usd_micros }) => sum + usd_micros, 0);
}

/** The claims that stand and that a session's agent could say again: of its repo, of the fleet, and its own; the newest. */
export function knownIn(state: Sql, space: string, { repo, agent }: ModelSession): KnownClaim[] {
  const rows = state.all(
    `SELECT claim_type, subject, statement FROM claims
     WHERE space = ? AND status IN ('pending', 'accepted') AND retired IS NULL AND superseded_by IS NULL
       AND claim_type IS NOT NULL AND (segment IS NULL OR segment = ? OR segment = ?)
     ORDER BY seq DESC LIMIT ?`,
    ...[space, `repo:${repo ?? ''}`, `agent:${agent}`, KNOWN_MAX],
  );
  let left = KNOWN_BYTES_MAX;
  return rows
    .map((row) => ({
      claim_type: String(row['claim_type']),
      subject: JSON.parse(String(row['subject'])) as string[],
      statement: String(row['statement']),
    }))
    .filter(({ statement, subject }) => {
      left -= Buffer.byteLength(statement + subject.join());
      return left >= 0;
    });
}

/** What a thing that was put before a session says, as far as the ledger has it. */
export function textsIn(state: Sql, { kind, id }: Injected): string[] {
  const reader = readerOf(state);
  if (kind === 'claim') return [reader.get('claims', id)?.statement ?? ''];
  if (kind === 'handoff') {
    const note = reader.get('handoffs', id);
    return note ? [note.summary, note.next ?? ''] : [];
  }
  const digest = reader.get('sessions', id)?.digest;
  const { asked = '', replied = '' } = digest === undefined ? {} : JSON.parse(digest);
  return [asked, replied];
}

/** How far extraction by models has come, for those who look on. */
export interface ExtractionState {
  readonly spentTodayUsdMicros: number;
  /** Sealed revisions by how far they are. */
  readonly done: number;
  readonly submitted: number;
  readonly failed: number;
  /** Why the last one failed. */
  readonly lastError: string | undefined;
}

/** What the ledger says of extraction by models, on the day of `now`; undefined where none ever read anything. */
export function extractionStateIn(
  state: Sql,
  address: string,
  now: number,
): ExtractionState | undefined {
  const rows = state.all(
    `SELECT state, count(*) AS n FROM extractions WHERE extractor NOT LIKE 'rules/%' GROUP BY state`,
  );
  if (rows.length === 0) return undefined;
  const of = (name: string) => Number(rows.find((row) => row['state'] === name)?.['n'] ?? 0);
  const last = state.get(
    `SELECT error FROM extractions WHERE state = 'failed' AND extractor NOT LIKE 'rules/%' ORDER BY issued_at DESC LIMIT 1`,
  );
  return {
    spentTodayUsdMicros: spentIn(state, address, now),
    done: of('done'),
    submitted: of('submitted'),
    failed: of('failed'),
    lastError: last && String(last['error']),
  };
}
