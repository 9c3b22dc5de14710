import { type Signer, verifyHere } from '../../src/base/ed25519.ts';
import { toInstant } from '../../src/base/time.ts';
import type { Reader } from '../../src/fold/state.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { type CheckedBundle, checkBundle } from '../../src/ledger/bundle.ts';
import { commitPending } from '../../src/ledger/committer.ts';
import { commitmentOf, type WholeEntry } from '../../src/ledger/entry.ts';
import { findEntry } from '../../src/ledger/find.ts';
import { hostIdOf } from '../../src/ledger/found.ts';
import { deposit } from '../../src/ledger/inbox.ts';
import { tombstonesOf } from '../../src/ledger/tombstone.ts';
import { exportBundle } from '../../src/query/export.ts';
import type { ExportWish } from '../../src/query/export-wish.ts';
import { keywordRetriever } from '../../src/query/retriever.ts';
import type { AdmissionBody } from '../../src/record/fleet.ts';
import { open, type SignedRecord, SPEC, seal } from '../../src/record/record.ts';
import { readerOf } from '../../src/snapshot/database.ts';
import { headOf } from '../../src/snapshot/follow.ts';
import type { Sql } from '../../src/snapshot/port.ts';
import { importBundle } from '../../src/verbs/bundles.ts';
import { KnowledgeBase } from '../../src/verbs/knowledge.ts';
import { admissionBody, householdOf, T0, worldAt } from './fleet.ts';
import { auditLedger, foundOn, memberOf, newSql } from './member.ts';
import { openMemoryStore } from './memory-store.ts';

/** The fleet's secret of tests. */
const SECRET: Uint8Array = Buffer.alloc(32, 7);

/**
 * A fleet called `fleet`, as all of them, of a household of that name: with the verbs of knowledge, and bundles. No two
 * of different names are the same fleet.
 */
export async function bundleFleet(
  name: string,
  admission: 'open' | 'closed' = 'open',
  state: Sql = newSql(),
  store: ObjectStore = openMemoryStore(),
) {
  const home = householdOf(name);
  const world = worldAt(T0, name);
  await foundOn(store, home, admission, world);
  let counter = 0;
  const parts = {
    store,
    state,
    fleetId: 'fleet',
    verifyAll: verifyHere,
    followed: () => {},
    world,
    host: home.host,
    hostId: home.hostId,
    nextCounter: () => ++counter,
    fleetSecret: SECRET,
  };
  const base = new KnowledgeBase({ ...parts, retriever: keywordRetriever });
  const reader: Reader = readerOf(state);
  return {
    ...{ store, home, world, state, base, reader },
    entries: async () => (await auditLedger(store)).records.length,
    async export(wish: ExportWish = {}) {
      await base.claims('');
      return exportBundle({ state, store, signer: home.person, now: world.now() }, wish);
    },
    async import(bytes: Uint8Array | CheckedBundle, by: Signer = home.person, dryRun = false) {
      const bundle = bytes instanceof Uint8Array ? checkBundle(bytes) : bytes;
      return importBundle(parts, bundle, by, { dryRun });
    },
    /** Erases what stands at these positions, by the person who founded the fleet. */
    async erase(...seqs: readonly number[]) {
      const named = await Promise.all(seqs.map((seq) => findEntry(store, seq, headOf(state).n)));
      const whole = named.flatMap((entry) => ('record' in entry ? [entry] : []));
      const record = erasureOf(whole, home.person, world.now());
      await deposit(store, hostIdOf(home.host.address), ++counter, [record]);
      await commitPending(memberOf(store, home, world).parts);
      await base.claims('');
    },
    /** Admits a key, as an agent that may propose and review, by the person who founded the fleet. */
    async admit(address: string, fields: Partial<AdmissionBody> = {}) {
      const body = admissionBody(home.person, address, {
        roles: ['propose', 'review'],
        issued_at: toInstant(world.now()),
        ...fields,
      });
      const record = seal('admission', body, home.person);
      await deposit(store, hostIdOf(home.host.address), ++counter, [record]);
      await commitPending(memberOf(store, home, world).parts);
      await base.claims('');
    },
  };
}

function erasureOf(entries: readonly WholeEntry[], by: Signer, now: number): SignedRecord {
  const named = entries.map((entry) => {
    const { context } = entry.record;
    return { seq: entry.seq, commitment: commitmentOf(entry).toString('hex'), context };
  });
  const marks = entries.flatMap(({ record }) => tombstonesOf(SECRET, open(record)));
  const said = { entries: named, reason: 'asked for', tombstones: [...new Set(marks)].sort() };
  const base = { spec: SPEC, author: by.address, issued_at: toInstant(now) };
  return seal('erasure', { ...base, ...said }, by);
}

/** A fleet of {@link bundleFleet}. */
export type BundleFleet = Awaited<ReturnType<typeof bundleFleet>>;
