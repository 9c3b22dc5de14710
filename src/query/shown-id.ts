import { CredenceError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import type { Sql } from '../snapshot/port.ts';

/** What has ids that people type. */
export type Named = 'session' | 'handoff' | 'claim';

const TABLES = { session: 'sessions', handoff: 'handoffs', claim: 'claims' } as const;

/** How many an ambiguous id is answered with. */
const CANDIDATES_MAX = 10;

/** What is shown of an id, and of the part that a subagent's has behind its session's: the first pair that is clear. */
const LENGTHS = [
  [12, 8],
  [20, 16],
  [36, 36],
] as const;

/** What every terminal, shell and command line passes on as it is: a `~` or `-` in front would mean something else. */
const PLAIN = /^[A-Za-z0-9._:][A-Za-z0-9._:~-]*$/;
const PLAIN_BEGINNING = /^[A-Za-z0-9._:][A-Za-z0-9._:~-]{0,11}/;
/** The form of last resort: how the id begins, and 64 bits of its hash. */
const HASHED = /^(.*)\.\.([0-9a-f]{16})$/s;

const hashOf = (key: string) => sha256Hex(key).slice(0, 16);

/** A subagent's session is `<session>:<agent id>`. */
function split(id: string): readonly [head: string, tail: string | undefined] {
  const at = id.indexOf(':');
  return at < 0 ? [id, undefined] : [id.slice(0, at), id.slice(at + 1)];
}

function has(sql: Sql, kind: Named, key: string): boolean {
  return sql.get(`SELECT 1 FROM ${TABLES[kind]} WHERE key = ?`, key) !== undefined;
}

/** The first key from `from` on, where that begins so. One look-up each, whatever the table holds. */
function keyFrom(sql: Sql, kind: Named, from: string, beginning: string): string | undefined {
  const row = sql.get(`SELECT key FROM ${TABLES[kind]} WHERE key >= ? ORDER BY key LIMIT 1`, from);
  const key = row && String(row['key']);
  return key?.startsWith(beginning) ? key : undefined;
}

/** The keys that begin so, in order. */
function* keysUnder(sql: Sql, kind: Named, beginning: string): Generator<string> {
  let key = keyFrom(sql, kind, beginning, beginning);
  while (key !== undefined) {
    yield key;
    key = keyFrom(sql, kind, `${key}\0`, beginning);
  }
}

/** The sessions that begin so, and those whose subagents do; a session with subagents is passed in one step. */
function* headsUnder(sql: Sql, kind: Named, beginning: string): Generator<string> {
  const seen = new Set<string>();
  let key = keyFrom(sql, kind, beginning, beginning);
  while (key !== undefined) {
    const [head, tail] = split(key);
    if (!seen.has(head)) yield head;
    seen.add(head);
    // `;` follows `:`.
    key = keyFrom(sql, kind, tail === undefined ? `${key}\0` : `${head};`, beginning);
  }
}

/** The keys that a beginning means, in order: of a session and its subagents only the session. */
function* keysBeginning(sql: Sql, kind: Named, id: string): Generator<string> {
  const [beginning, tail] = split(id);
  for (const head of headsUnder(sql, kind, beginning)) {
    if (tail !== undefined) yield* keysUnder(sql, kind, `${head}:${tail}`);
    else if (has(sql, kind, head)) yield head;
  }
}

function* keysHashed(sql: Sql, kind: Named, id: string): Generator<string> {
  const [, beginning, hash] = HASHED.exec(id) ?? [];
  if (beginning === undefined) return;
  for (const key of keysUnder(sql, kind, beginning)) if (hashOf(key) === hash) yield key;
}

function first(keys: Iterable<string>, max: number): string[] {
  const found: string[] = [];
  for (const key of keys) {
    found.push(key);
    if (found.length === max) break;
  }
  return found;
}

/** At most so many of the keys that an id means. The form of last resort comes first: nothing else can stand for it. */
function keysOf(sql: Sql, kind: Named, id: string, max: number): string[] {
  const hashed = first(keysHashed(sql, kind, id), max);
  if (hashed.length > 0) return hashed;
  return has(sql, kind, id) ? [id] : first(keysBeginning(sql, kind, id), max);
}

/**
 * The key that an id means: the whole of it, how it begins, or `<beginning>:<beginning>` of a subagent's. Throws
 * `<kind>.missing` and `<kind>.ambiguous`, with candidates.
 */
export function findKey(sql: Sql, kind: Named, id: string): string {
  const found = keysOf(sql, kind, id, CANDIDATES_MAX + 1);
  const [key] = found;
  if (key === undefined) throw missing(sql, kind, id);
  if (found.length === 1) return key;
  const candidates = found.slice(0, CANDIDATES_MAX);
  const count = found.length > CANDIDATES_MAX ? `more than ${CANDIDATES_MAX}` : found.length;
  throw new CredenceError(
    'incorrect',
    `${kind}.ambiguous`,
    `${count} ${TABLES[kind]} begin with ${id}`,
    { data: { id, candidates }, next: 'give more of the id' },
  );
}

function missing(sql: Sql, kind: Named, id: string): CredenceError {
  // Subagents are sealed ahead of a session that is still running.
  const candidates = first(keysUnder(sql, kind, id), CANDIDATES_MAX);
  const next = {
    session: '`credence sessions` lists them; one that is running is sealed when it ends',
    handoff: '`credence handoffs` lists them',
    claim: '`credence claims` lists them; what others said since comes with `credence sync --once`',
  } as const;
  return new CredenceError(
    'missing',
    `${kind}.missing`,
    `no ${kind === 'session' ? 'sealed session' : kind} begins with ${id}`,
    { data: { id, ...(candidates.length > 0 ? { candidates } : {}) }, next: next[kind] },
  );
}

/** The first form of an id that is clear: short, in plain characters, whatever the id is. */
export function shownAs(key: string, isClear: (form: string) => boolean): string {
  const [head, tail] = split(key);
  for (const [ofHead, ofTail] of LENGTHS) {
    const start = head.slice(0, ofHead);
    const form = tail === undefined ? start : `${start}:${tail.slice(0, ofTail)}`;
    if (PLAIN.test(form) && !HASHED.test(form) && isClear(form)) return form;
  }
  return `${PLAIN_BEGINNING.exec(key)?.[0] ?? ''}..${hashOf(key)}`;
}

/**
 * What is printed of an id, wherever one is: `findKey` opens that session or handoff with it, and no other. `running`
 * are sessions that are not sealed yet. A few look-ups, however many ids begin the same.
 */
export function shownId(
  sql: Sql,
  kind: Named,
  key: string,
  running: readonly string[] = [],
): string {
  const expected = has(sql, kind, key) ? [key] : [];
  return shownAs(key, (form) => {
    const heads = first(headsUnder(sql, kind, split(form)[0]), 2);
    if (heads.length === 2 && form !== key) return false;
    if (running.some((other) => other !== key && isMeant(form, other))) return false;
    const found = keysOf(sql, kind, form, 2);
    return found.length === expected.length && found[0] === expected[0];
  });
}

/** Those of some keys that an id means, as `findKey` finds them in a table. */
export function keysMeant(keys: readonly string[], id: string): readonly string[] {
  const [, beginning, hash] = HASHED.exec(id) ?? [];
  const hashed = keys.filter(
    (key) => beginning !== undefined && key.startsWith(beginning) && hashOf(key) === hash,
  );
  if (hashed.length > 0) return hashed;
  return keys.includes(id) ? [id] : keys.filter((key) => isMeant(id, key));
}

/** True where a form means a session that `findKey` cannot see yet. */
function isMeant(form: string, key: string): boolean {
  const [beginning, part] = split(form);
  const [head, tail] = split(key);
  if (!head.startsWith(beginning)) return false;
  return part === undefined ? tail === undefined : tail?.startsWith(part) === true;
}
