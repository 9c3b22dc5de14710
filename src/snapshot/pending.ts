import { type NamedPosition, namedIn } from '../fold/erasure.ts';
import { foldCommit } from '../fold/fold-commit.ts';
import { MapState } from '../fold/map-state.ts';
import type { Change, TableName } from '../fold/state.ts';
import type { Commit, Head } from '../ledger/commit.ts';
import { erasedEntry, type OpenedEntry } from '../ledger/entry.ts';
import { formatFrontier } from '../ledger/tree.ts';
import type { OpenedCommit } from './batch.ts';
import { setMeta } from './database.ts';
import type { StateRows } from './first-rows.ts';
import type { Sql } from './port.ts';
import { assertFollowedBefore, MustForget } from './renew.ts';
import { RowCache } from './row-cache.ts';
import { addStubs, stubsWithin } from './stubs.ts';
import { appendLeaves } from './tiles.ts';

/** Entries that are written in one transaction, about: what they change in common is written once. */
const ENTRIES_MAX = 4_000;

/** Their bytes in the ledger, about, so that few large records take no more memory than many small ones. */
const BYTES_MAX = 8 * 1_024 * 1_024;

/**
 * Commits that are folded onto a state in memory, until all of them are written to it in one transaction. The stubs too: an
 * erasure names only positions before its own, so that no commit is folded by those that are not written yet.
 */
export class Pending {
  readonly #state: Sql;
  readonly #below: StateRows;
  readonly #written: RowCache;
  #rows: MapState;
  /** The last change of each row, by table and key. */
  readonly #changes = new Map<TableName, Map<string, Change>>();
  #leaves: Buffer[] = [];
  #named: NamedPosition[] = [];
  #bytes = 0;
  #head: Head | undefined;

  /** `below` are the state's rows. */
  constructor(state: Sql, below: StateRows) {
    this.#state = state;
    this.#below = below;
    this.#written = new RowCache(below);
    this.#rows = new MapState(this.#written);
  }

  /**
   * Folds commits, one after another, until what is pending is due; answers how many those were. Throws `ledger.committer`
   * for one whose signer may not commit, `ledger.fork` for one in whose place another was followed before, {@link MustForget}
   * for one that erases what the state holds. Of that one nothing is kept then; those before it stay pending.
   */
  fold(commits: readonly OpenedCommit[]): number {
    // Nothing is written here. Outside of a transaction the file would be locked and unlocked for each row that is read.
    return this.#state.transaction(() => {
      let folded = 0;
      for (const commit of commits) {
        if (this.isDue) break;
        this.#fold(commit);
        folded++;
      }
      return folded;
    });
  }

  #fold({ commit, entries, bytes }: OpenedCommit): void {
    const changes = this.#changesOf(commit, entries);
    for (const change of changes) {
      const known = this.#changes.get(change.table);
      if (known) known.set(change.row.key, change);
      else this.#changes.set(change.table, new Map([[change.row.key, change]]));
    }
    this.#leaves.push(...commit.leaves);
    this.#named.push(...namedIn(changes));
    this.#bytes += bytes;
    this.#head = commit.head;
  }

  /** What a commit changes, laid over the rows; where it is at fault they are what they were. */
  #changesOf(commit: Commit, entries: readonly OpenedEntry[]): Change[] {
    const changes: Change[] = [];
    try {
      foldCommit(this.#rows, commit.checkpoint, withStubs(this.#state, commit, entries), (more) => {
        this.#rows.apply(more);
        changes.push(...more);
      });
      const named = namedIn(changes);
      const holds = ({ seq }: NamedPosition) => this.#rows.get('contents', String(seq));
      if (named.some(holds)) throw new MustForget(named);
      assertFollowedBefore(this.#state, commit.head);
      return changes;
    } catch (error) {
      this.#rows = this.#rowsBefore();
      throw error;
    }
  }

  #rowsBefore(): MapState {
    const rows = new MapState(this.#written);
    for (const changes of this.#changes.values()) rows.apply([...changes.values()]);
    return rows;
  }

  /** True once there is enough of it to be written. */
  get isDue(): boolean {
    return this.#leaves.length >= ENTRIES_MAX || this.#bytes >= BYTES_MAX;
  }

  /** Writes what was folded since the last time, all of it or nothing, and answers the head then; undefined where there was nothing. */
  write(): Head | undefined {
    const head = this.#head;
    if (head) {
      const changes = [...this.#changes.values()].flatMap(inKeyOrder);
      this.#state.transaction(() => this.#writeTo(this.#state, changes, head));
      this.#written.wrote(changes);
    }
    this.#rows = new MapState(this.#written);
    this.#changes.clear();
    this.#leaves = [];
    this.#named = [];
    this.#bytes = 0;
    this.#head = undefined;
    return head;
  }

  #writeTo(state: Sql, changes: readonly Change[], { n, frontier, recordedAt }: Head): void {
    this.#below.apply(changes);
    addStubs(state, this.#named);
    appendLeaves(state, frontier.size - this.#leaves.length, this.#leaves);
    setMeta(state, 'commit', String(n));
    setMeta(state, 'position', String(frontier.size));
    setMeta(state, 'frontier', formatFrontier(frontier));
    setMeta(state, 'recorded_at', recordedAt);
  }
}

/** Most keys are hashes: in their order each page of a table is looked for, and written, once. */
function inKeyOrder(changes: ReadonlyMap<string, Change>): Change[] {
  return [...changes.keys()].sort().flatMap((key) => changes.get(key) ?? []);
}

/** The entries as they are folded: what was erased is a stub, whether or not the store's bytes are one yet. */
function withStubs(
  state: Sql,
  { checkpoint: { first_seq, size } }: Commit,
  entries: readonly OpenedEntry[],
): readonly OpenedEntry[] {
  const stubs = new Map(stubsWithin(state, first_seq, size).map((stub) => [stub.seq, stub]));
  if (stubs.size === 0) return entries;
  return entries.map((entry) => {
    const stub = stubs.get(entry.seq);
    return stub ? erasedEntry(stub.seq, stub.commitment) : entry;
  });
}
