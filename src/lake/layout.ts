import { assert } from '../base/errors.ts';
import { decodePathPart, encodePathPart } from '../base/path-part.ts';
import { isInstant } from '../base/time.ts';
import { assertKey } from './key.ts';

/*
 * Where things lie in a store. Names (runtime, agent, host, session) go through `encodePathPart`; numbers are
 * padded with zeros to a fixed width, so that the order in which a store lists keys, by code point, is the
 * order of the numbers; hashes in names are the first 16 hex digits, save in the inbox. A builder throws
 * CredenceError `incorrect`, `store.key` for what can't be a key, and fails an assertion on a number, date or
 * hash that is none. Source: docs/formats/layout.md.
 */

/** The fleet's id, the hash of entry 1 and the format; put if absent. */
export const FLEET_KEY = 'fleet.json';
/** Who works on what, derived from the hosts' own keys; the last writer wins. */
export const ROSTER_KEY = 'live/roster.json';

/** What to list for everything of one kind. */
export const PREFIX = {
  sessions: 'sessions/',
  compacted: 'compacted/',
  inbox: 'inbox/',
  ledger: 'ledger/',
  withheld: 'withheld/',
  agents: 'live/agents/',
  intents: 'live/intents/',
  leases: 'live/leases/maintenance/',
} as const;

/** Digits of a number in a key. A lease or a commit each second would last 31,000 years. */
const DIGITS = { part: 6, revision: 6, epoch: 12, commit: 12, counter: 16 } as const;
const COMMITS_PER_FOLDER = 1_000;

/** The folder of a session on one day: `date` is the UTC day, `YYYY-MM-DD`, of the first event in the part. */
export interface SessionPlace {
  readonly date: string;
  readonly runtime: string;
  readonly agent: string;
  readonly host: string;
  readonly session: string;
}

/** What the key of a part says. A name is undefined where the key holds a shortened form: the part has it. */
export interface PartKey {
  /** As `sessionFolder` gives it. */
  readonly folder: string;
  readonly date: string;
  readonly runtime: string | undefined;
  readonly agent: string | undefined;
  readonly host: string | undefined;
  readonly session: string | undefined;
  readonly n: number;
  /** The first 16 hex digits of the SHA-256 of the part's bytes. */
  readonly hash: string;
}

/** `sessions/dt=<date>/runtime=<r>/agent=<a>/host=<h>/session=<id>/`: DuckDB reads it as hive partitions. */
export function sessionFolder(place: SessionPlace): string {
  const { date, runtime, agent, host, session } = place;
  const names = Object.entries({ runtime, agent, host, session });
  const path = names.map(([name, value]) => `${name}=${encodePathPart(value)}/`).join('');
  return `${PREFIX.sessions}dt=${day(date)}/${path}`;
}

/** The key of a session's part `n`; `sha256` is that of its bytes, 64 hex digits. */
export function partKey(place: SessionPlace, n: number, sha256: string): string {
  return key(`${sessionFolder(place)}part-${pad(n, DIGITS.part)}-${short(sha256)}.parquet`);
}

const PART_KEY =
  /^sessions\/dt=([^/]+)\/runtime=([^/]+)\/agent=([^/]+)\/host=([^/]+)\/session=([^/]+)\/part-(\d{6})-([0-9a-f]{16})\.parquet$/;
const SHORTENED_NAME = /%2D[0-9a-f]{40}$/;

/** The parts of a part's key; undefined for any other key. */
export function parsePartKey(key: string): PartKey | undefined {
  const [, date = '', runtime = '', agent = '', host = '', session = '', n = '', hash = ''] =
    PART_KEY.exec(key) ?? [];
  if (!isDay(date)) return undefined;
  const names = [runtime, agent, host, session];
  const texts = names.map(decodePathPart);
  if (names.some((name, i) => texts[i] === undefined && !SHORTENED_NAME.test(name))) {
    return undefined;
  }
  return {
    folder: folderOf(key),
    date,
    runtime: texts[0],
    agent: texts[1],
    host: texts[2],
    session: texts[3],
    n: Number(n),
    hash,
  };
}

/** The folder of a key, with the `/` at its end; empty for a key without one. */
export function folderOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1);
}

/** The seal of a revision, by the host that seals; `folder` is that of the session's first part. */
export function sealKey(folder: string, revision: number, host: string): string {
  return key(`${folder}seal-${pad(revision, DIGITS.revision)}-${encodePathPart(host)}.json`);
}

/** True for what `sealKey` gives. */
export function isSealKey(key: string): boolean {
  return /\/seal-\d+-[^/]+\.json$/.test(key);
}

/** The digest of a revision, beside its seal. */
export function digestKey(folder: string, revision: number): string {
  return key(`${folder}digest-${pad(revision, DIGITS.revision)}.json`);
}

/** An agent's line in the roster, written by its host alone. */
export function agentKey(host: string, agent: string): string {
  return key(`${PREFIX.agents}${encodePathPart(host)}.${encodePathPart(agent)}.json`);
}

/** What an agent is about to do, written by its host alone. */
export function intentKey(host: string, agent: string): string {
  return key(`${PREFIX.intents}${encodePathPart(host)}.${encodePathPart(agent)}.json`);
}

/** The maintenance lease of an epoch, put if absent. */
export function leaseKey(epoch: number): string {
  return key(`${PREFIX.leases}${pad(epoch, DIGITS.epoch)}.json`);
}

const LEASE_KEY = /^live\/leases\/maintenance\/(\d{12})\.json$/;

/** The epoch of a lease's key; undefined for any other key. */
export function parseLeaseKey(key: string): number | undefined {
  const [, epoch] = LEASE_KEY.exec(key) ?? [];
  return epoch === undefined ? undefined : Number(epoch);
}

/** An inbox item: listed, items come in the order (host, counter, hash). */
export function inboxKey(host: string, counter: number, sha256: string): string {
  const name = `${pad(counter, DIGITS.counter)}-${whole(sha256)}.ndjson`;
  return key(`${PREFIX.inbox}${encodePathPart(host)}/${name}`);
}

const INBOX_KEY = /^inbox\/([^/]+)\/(\d{16})-([0-9a-f]{64})\.ndjson$/;

/** The host, the counter and the SHA-256 in the key of an inbox item; undefined for any other key. */
export function parseInboxKey(
  key: string,
): { readonly host: string; readonly counter: number; readonly hash: string } | undefined {
  const [, name = '', digits = '', hash = ''] = INBOX_KEY.exec(key) ?? [];
  const host = decodePathPart(name);
  const counter = Number(digits);
  if (!host || !Number.isSafeInteger(counter)) return undefined;
  return { host, counter, hash };
}

/** The fleet's secret, sealed to a host. */
export function secretKey(host: string): string {
  return key(`secrets/${encodePathPart(host)}.json`);
}

/** Commit `n` of the ledger, from 1 on, in a folder of a thousand. */
export function commitKey(n: number): string {
  const commit = pad(n, DIGITS.commit);
  // The folder has 3 digits less, since it counts thousands.
  const folder = pad(Math.floor(n / COMMITS_PER_FOLDER), DIGITS.commit - 3);
  return key(`${PREFIX.ledger}${folder}/${commit}.ndjson`);
}

const COMMIT_KEY = /^ledger\/\d+\/(\d+)\.ndjson$/;

/** The number of a commit's key; undefined for any other key. */
export function parseCommitKey(key: string): number | undefined {
  const n = Number(COMMIT_KEY.exec(key)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(n) && n > 0 && commitKey(n) === key ? n : undefined;
}

/** A derived part of sealed sessions; `generation` is the SHA-256 of what it was made from. */
export function compactedKey(date: string, generation: string, n: number): string {
  const folder = `${PREFIX.compacted}dt=${day(date)}/gen=${short(generation)}/`;
  return key(`${folder}part-${pad(n, DIGITS.part)}.parquet`);
}

/** The rules and hashes of one withholding, for review. */
export function withheldKey(agent: string, date: string, ulid: string): string {
  return key(
    `${PREFIX.withheld}${encodePathPart(agent)}/${day(date)}/${encodePathPart(ulid)}.json`,
  );
}

function key(text: string): string {
  assertKey(text);
  return text;
}

function pad(n: number, digits: number): string {
  const text = String(n).padStart(digits, '0');
  assert(Number.isSafeInteger(n) && n >= 0 && text.length === digits, `${n} has ${digits} digits`);
  return text;
}

function isDay(text: string): boolean {
  return isInstant(`${text}T00:00:00.000Z`);
}

function day(text: string): string {
  assert(isDay(text), 'a date in a key is a day');
  return text;
}

function whole(sha256: string): string {
  assert(/^[0-9a-f]{64}$/.test(sha256), 'a hash in a key is a SHA-256');
  return sha256;
}

function short(sha256: string): string {
  return whole(sha256).slice(0, 16);
}
