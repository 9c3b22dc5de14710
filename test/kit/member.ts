import { onTestFinished } from 'vitest';
import { verifyHere } from '../../src/base/ed25519.ts';
import type { World } from '../../src/base/world.ts';
import { admissionView } from '../../src/fold/admission.ts';
import type { TableName } from '../../src/fold/state.ts';
import { step } from '../../src/fold/step.ts';
import { openMemorySqlite } from '../../src/io/sqlite.ts';
import { commitKey } from '../../src/lake/layout.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { type Commit, GENESIS, type Head, propose, readCommit } from '../../src/ledger/commit.ts';
import { type CommitterParts, commitPending, type Waiting } from '../../src/ledger/committer.ts';
import { openEntries } from '../../src/ledger/entry.ts';
import { foundFleet, type Household } from '../../src/ledger/found.ts';
import { RejectionBody } from '../../src/record/fleet.ts';
import type { SignedRecord } from '../../src/record/record.ts';
import { applyChanges, prepare, readerOf } from '../../src/snapshot/database.ts';
import { follow } from '../../src/snapshot/follow.ts';
import type { Sql } from '../../src/snapshot/port.ts';
import { TABLES } from '../../src/snapshot/schema.ts';
import { entriesOf, fleetRows, T0, worldAt } from './fleet.ts';

/** A new database in memory with the given tables, closed when the test is over. */
export function newSql(tables: readonly TableName[] = TABLES): Sql {
  const sql = openMemorySqlite();
  onTestFinished(() => sql.close());
  prepare(sql, tables);
  return sql;
}

/** A database in memory after records that stand in a ledger in this order. */
export function snapshotOf(records: readonly SignedRecord[]): Sql {
  const sql = newSql();
  if (records[0]?.context !== 'fleet') applyChanges(sql, fleetRows());
  for (const entry of entriesOf(records)) applyChanges(sql, step(readerOf(sql), entry));
  return sql;
}

/** Follows a store on this thread. */
export function followOn(
  store: ObjectStore,
  state: Sql,
  fleetId: string,
  followed: (position: number) => void = () => {},
): Promise<Head> {
  return follow({ store, state, fleetId, verifyAll: verifyHere, followed });
}

/** One host at work on a store: a state of its own, which follows the ledger, and a committer. */
export interface Member {
  readonly home: Household;
  readonly state: Sql;
  readonly parts: CommitterParts;
  follow(): Promise<Head>;
  commit(): Promise<readonly Waiting[]>;
}

/** A member on a store; `fleetId` is that of `foundedStore` unless told. */
export function memberOf(
  store: ObjectStore,
  home: Household,
  world: World,
  fleetId = 'fleet',
): Member {
  const state = newSql();
  const followed = () => followOn(store, state, fleetId);
  const parts: CommitterParts = {
    store,
    fleetId,
    signer: home.host,
    hostId: home.hostId,
    world,
    verifyAll: verifyHere,
    async follow() {
      const head = await followed();
      return { head, view: admissionView(readerOf(state), head.frontier.size) };
    },
  };
  return { home, state, parts, follow: followed, commit: () => commitPending(parts) };
}

/** Founds the fleet `fleet` of a household on a store. */
export async function foundOn(
  store: ObjectStore,
  home: Household,
  admission: 'open' | 'closed' = 'open',
  world: World = worldAt(),
): Promise<void> {
  await foundFleet(store, { fleetId: 'fleet', admission }, home, world);
}

/** Puts records into the ledger as the commit after `head`, whatever admission would say; signed by a host. */
export async function putCommit(
  store: ObjectStore,
  head: Head,
  records: readonly SignedRecord[],
  by: { readonly home: Household; readonly now?: number; readonly fleetId?: string },
): Promise<Head> {
  const { home, now = T0, fleetId = 'fleet' } = by;
  const world = worldAt(now, `commit ${head.n + 1}`);
  const bytes = propose(head, records, { fleetId, signer: home.host, world, now });
  await store.putIfAbsent(commitKey(head.n + 1), bytes);
  return readCommit(bytes, head, fleetId).head;
}

/**
 * Reads the whole ledger from its stored bytes and checks it, as a stranger would: no number is left out, each
 * commit follows the one before it, no signature is wrong, no record stands in it twice. Throws where one is.
 */
export async function auditLedger(
  store: ObjectStore,
  fleetId = 'fleet',
): Promise<{ readonly commits: readonly Commit[]; readonly records: readonly SignedRecord[] }> {
  const commits: Commit[] = [];
  let head = GENESIS;
  for (;;) {
    const bytes = await store.get(commitKey(head.n + 1));
    if (!bytes) break;
    const commit = readCommit(bytes, head, fleetId);
    commits.push(commit);
    head = commit.head;
  }
  const keys: string[] = [];
  for await (const key of store.list('ledger/')) keys.push(key);
  const expected = commits.map((_, i) => commitKey(i + 1));
  if (keys.join() !== expected.join()) throw new Error(`a gap in the ledger: ${keys.join(', ')}`);
  const entries = commits.flatMap((commit) => commit.entries);
  const ids = new Set<string>();
  for (const opened of await openEntries(entries, verifyHere)) {
    if ('fault' in opened) throw new Error(`entry ${opened.seq}: ${opened.fault}`);
    if ('erased' in opened) continue;
    if (ids.has(opened.record.id)) throw new Error(`entry ${opened.seq} is there twice`);
    ids.add(opened.record.id);
  }
  const records = entries.flatMap((entry) => ('record' in entry ? [entry.record] : []));
  return { commits, records };
}

/** The keys of the inbox that are left. */
export async function inboxOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list('inbox/')) keys.push(key);
  return keys;
}

/** What the rejections among records say of what, in order. */
export function rejectionsOf(
  records: readonly SignedRecord[],
): { readonly code: string; readonly of: string }[] {
  return records
    .filter((record) => record.context === 'rejection')
    .map((record) => RejectionBody.parse(record.body))
    .map(({ code, item, line, record }) => ({ code, of: record ?? `${item}#${line ?? 0}` }));
}
