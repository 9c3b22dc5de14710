import { verifyHere } from '../../src/base/ed25519.ts';
import type { World } from '../../src/base/world.ts';
import { admissionView } from '../../src/fold/admission.ts';
import { foldCommit } from '../../src/fold/fold-commit.ts';
import { MapState } from '../../src/fold/map-state.ts';
import type { Reader } from '../../src/fold/state.ts';
import { openMemorySqlite } from '../../src/io/sqlite.ts';
import { commitKey } from '../../src/lake/layout.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { GENESIS, type Head, readCommit } from '../../src/ledger/commit.ts';
import { commitPending, type Waiting } from '../../src/ledger/committer.ts';
import { openEntries } from '../../src/ledger/entry.ts';
import type { Household } from '../../src/ledger/found.ts';
import { root } from '../../src/ledger/tree.ts';
import { prepare, readerOf } from '../../src/snapshot/database.ts';
import { TABLES } from '../../src/snapshot/schema.ts';
import { followOn } from './member.ts';

/** What a committer holds to be in the ledger once its call has resolved. */
export interface Belief {
  readonly n: number;
  readonly size: number;
  readonly root: string;
}

/** One of several committers on one store. */
export interface Rival {
  readonly home: Household;
  readonly reader: Reader;
  /** What it held to be true each time that it was told so, oldest first. */
  readonly beliefs: readonly Belief[];
  commit(): Promise<readonly Waiting[]>;
  follow(): Promise<Head>;
  close(): void;
}

/** A state that follows a store. */
interface Following {
  readonly reader: Reader;
  follow(): Promise<Head>;
  close(): void;
}

function followingInSqlite(store: ObjectStore): Following {
  const sql = openMemorySqlite();
  prepare(sql, TABLES);
  return {
    reader: readerOf(sql),
    follow: () => followOn(store, sql, 'fleet'),
    close: () => sql.close(),
  };
}

/** Follows in memory: each commit is folded whole, or not at all. */
export function followingInMemory(store: ObjectStore): Following {
  const state = new MapState();
  let head = GENESIS;
  return {
    reader: state,
    async follow() {
      for (;;) {
        const bytes = await store.get(commitKey(head.n + 1));
        if (!bytes) return head;
        const commit = readCommit(bytes, head, 'fleet');
        const { recordedAt } = commit.head;
        const entries = await openEntries(
          commit.entries.map((entry) => ({ ...entry, recordedAt })),
          verifyHere,
        );
        foldCommit(state, commit.checkpoint, entries, (changes) => state.apply(changes));
        head = commit.head;
      }
    },
    close: () => undefined,
  };
}

/** A committer of a household, with a state of its own in SQLite or in memory. */
export function rivalOf(
  store: ObjectStore,
  home: Household,
  world: World,
  kind: 'sqlite' | 'map',
): Rival {
  const following = kind === 'sqlite' ? followingInSqlite(store) : followingInMemory(store);
  const beliefs: Belief[] = [];
  let head = GENESIS;
  const parts = {
    store,
    fleetId: 'fleet',
    signer: home.host,
    hostId: home.hostId,
    world,
    verifyAll: verifyHere,
    async follow() {
      head = await following.follow();
      return { head, view: admissionView(following.reader, head.frontier.size) };
    },
  };
  return {
    ...following,
    home,
    beliefs,
    async commit() {
      const waiting = await commitPending(parts);
      const { n, frontier } = head;
      beliefs.push({ n, size: frontier.size, root: root(frontier).toString('hex') });
      return waiting;
    },
  };
}
