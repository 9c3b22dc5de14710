import { parseCanonical } from '../base/canonical.ts';
import { CredenceError } from '../base/errors.ts';
import { commitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { CheckpointBody } from '../record/fleet.ts';
import { open, SignedRecord } from '../record/record.ts';
import { Entry } from './entry.ts';

/** A commit's signed head, as its object has it, and what it says. */
export interface FoundHead {
  readonly checkpoint: SignedRecord;
  readonly body: CheckpointBody;
  readonly lines: readonly string[];
}

/** Reads commit `n`, and the signature of its head alone. Throws `ledger.missing`, `ledger.checkpoint`, `record.*`. */
export async function readHead(store: ObjectStore, n: number): Promise<FoundHead> {
  const bytes = await store.get(commitKey(n));
  if (!bytes) throw missing(`commit ${n} is not in ${store.name}`);
  const [first = '', ...lines] = Buffer.from(bytes).toString('utf8').split('\n');
  const checkpoint = parseCanonical(first);
  const { body } = open(checkpoint);
  const parsed = CheckpointBody.safeParse(body).data;
  if (parsed) return { checkpoint: SignedRecord.parse(checkpoint), body: parsed, lines };
  throw new CredenceError('incorrect', 'ledger.checkpoint', `commit ${n} has no checkpoint`);
}

/** The entry at a position of a ledger of `commits` commits. Throws `ledger.missing`, `ledger.entry`, `record.*`. */
export async function findEntry(store: ObjectStore, seq: number, commits: number): Promise<Entry> {
  const { body, lines } = await findCommit(store, seq, commits);
  return entryIn(lines[seq - body.first_seq] ?? '', seq);
}

/** The entries at positions that rise, each commit that holds some of them read once. Throws as {@link findEntry} does. */
export async function* findEntries(
  store: ObjectStore,
  seqs: readonly number[],
  commits: number,
): AsyncGenerator<Entry> {
  let commit: FoundHead | undefined;
  for (const seq of seqs) {
    if (!commit || seq > commit.body.size)
      commit = await findCommit(store, seq, commits, commit ? commit.body.n + 1 : 1);
    yield entryIn(commit.lines[seq - commit.body.first_seq] ?? '', seq);
  }
}

/** The commit from `first` to `last` that holds a position. Throws as {@link findEntry} does. */
export async function findCommit(
  store: ObjectStore,
  seq: number,
  last: number,
  first = 1,
): Promise<FoundHead & { readonly n: number }> {
  let [low, high] = [first, last];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const head = await readHead(store, middle);
    const { body } = head;
    if (seq < body.first_seq) high = middle - 1;
    else if (seq > body.size) low = middle + 1;
    else return { ...head, n: middle };
  }
  throw missing(`no commit holds position ${seq}`);
}

function entryIn(line: string, seq: number): Entry {
  const received = parseCanonical(line);
  const parsed = Entry.safeParse(received).data;
  // As received, not as parsed: the schema leaves out a member called `__proto__`, and the root covers it.
  if (parsed?.seq === seq) return received as Entry;
  throw new CredenceError('incorrect', 'ledger.entry', `position ${seq} holds another entry`);
}

function missing(what: string): CredenceError {
  return new CredenceError('missing', 'ledger.missing', what, { next: 'run `credence verify`' });
}
