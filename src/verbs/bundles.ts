import { canonical } from '../base/canonical.ts';
import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { LIMIT } from '../base/limits.ts';
import { toInstant } from '../base/time.ts';
import { listOf } from '../base/unknown.ts';
import { admit } from '../ledger/admit.ts';
import type { BundledRecord, CheckedBundle } from '../ledger/bundle.ts';
import { deposit } from '../ledger/inbox.ts';
import type { AdmissionView } from '../ledger/port.ts';
import type { BundleImportBody, ForeignRecord } from '../record/bundle.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { type CommitParts, commitAll, followedView } from '../snapshot/commit-all.ts';
import { readerOf } from '../snapshot/database.ts';

/** What an import works with. `host` commits; `nextCounter` numbers its inbox items. */
export interface ImportParts extends CommitParts {
  readonly nextCounter: () => number;
}

/** Somebody who speaks in a bundle. */
export interface Speaker {
  /** Whom the keys speak for in the bundle's fleet. */
  readonly principal: string;
  readonly kind: string;
  readonly operator: string;
  readonly keys: readonly {
    readonly address: string;
    /** Whom the key speaks for here; null while it is foreign. */
    readonly here: string | null;
  }[];
  readonly claims: number;
  readonly records: number;
}

/** What importing a bundle comes to. */
export interface Imported {
  readonly claims: number;
  readonly records: number;
  /** Records that were held already. */
  readonly known: number;
  /** Records that stay out: they were erased here, or rest on what was. */
  readonly erased: number;
  readonly speakers: readonly Speaker[];
  /** The ids of the records that say it in this fleet's ledger; none where all of it was known, or nothing was to be stored. */
  readonly said: readonly string[];
}

/** So many import records go into one item of the inbox: some 8 MiB of them. */
const ITEM_RECORDS_MAX = 8;

/**
 * Says in the ledger what a checked bundle holds and is not known yet, signed by `by`. Judged against the state that it
 * follows, all of it, before anything is stored. Throws `import.*`, `record.future`, `record.admission`.
 */
export async function importBundle(
  parts: ImportParts,
  bundle: CheckedBundle,
  by: Signer,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<Imported> {
  const { store, world, hostId } = parts;
  const { view } = await followedView(parts);
  if (view.fleet()?.entry === bundle.fleet) throw refused('import.own');
  const room = view.room(bundle.fleet);
  const unknown = bundle.records.filter(({ record }) => !room.isHeld(record.id));
  const fresh = withoutErased(unknown, view);
  const speakers = speakersOf(bundle.records, view);
  const records = importRecords(bundle, fresh, by, world.now());
  const now = (await store.time()) ?? world.now();
  for (const record of records) judge(record, view, now);
  if (!dryRun) {
    for (let at = 0; at < records.length; at += ITEM_RECORDS_MAX) {
      const some = records.slice(at, at + ITEM_RECORDS_MAX);
      await deposit(store, hostId, parts.nextCounter(), some);
    }
    // Where nothing is new too: an import that was cut off may have left its item in the inbox.
    await commitAll(parts);
  }
  const said = dryRun ? [] : records.map(({ context, body }) => recordId(context, body));
  for (const id of said) assertTaken(parts, id);
  const claims = bundle.records.filter(({ record }) => record.context === 'claim').length;
  const known = bundle.records.length - unknown.length;
  const erased = unknown.length - fresh.length;
  return { claims, records: bundle.records.length, known, erased, speakers, said };
}

/** What of a bundle is neither erased here nor rests on what is: the rest of it can come in. */
function withoutErased(records: readonly BundledRecord[], view: AdmissionView): BundledRecord[] {
  const gone = new Set<unknown>();
  return records.filter(({ record }) => {
    const { claim_id, supersedes, episodes, id } = record.body;
    const rests = [claim_id, supersedes, ...listOf(episodes)].some((one) => gone.has(one));
    if (!rests && view.isErased?.(record) !== true) return true;
    gone.add(record.context === 'episode' ? id : record.id);
    return false;
  });
}

function judge(record: SignedRecord, view: AdmissionView, now: number): void {
  const ruling = admit(record, view, now);
  if (ruling.kind === 'reject' || ruling.kind === 'wait') throw refused(ruling.code);
  if (ruling.kind === 'accept') view.advance(ruling.record);
}

/** Another committer may have decided otherwise, on the state that it found. */
function assertTaken({ state }: ImportParts, id: string): void {
  const decided = readerOf(state).get('decided', id);
  if (!decided) throw refused('record.waits');
  if (decided.code !== null) throw refused(decided.code);
}

const NEXT: Readonly<Record<string, string>> = {
  'import.own': 'nothing is to be done: all of it stands in this ledger',
  'import.role': 'ask an admin of the fleet for the role propose, or to import it',
  'record.future': 'its records are dated in the future: import it later, or set this clock right',
  'record.admission': 'this machine waits to be admitted; then import it again',
  'record.waits': 'this machine may not commit; the next sync of one that may decides on it',
};

function refused(code: string): CredenceError {
  const own =
    code === 'import.own' ? 'this bundle is of this very fleet' : 'this fleet refuses the bundle';
  return new CredenceError('incorrect', code, own, {
    next: NEXT[code] ?? 'nothing of it was stored; ask whoever made the bundle',
  });
}

/** The records that say it, in the order of their ledger, none larger than one may be. */
function importRecords(
  { fleet, fleetId, exporter, head }: CheckedBundle,
  fresh: readonly BundledRecord[],
  by: Signer,
  now: number,
): SignedRecord[] {
  const { n, size, root, committer } = head;
  const origin = { fleet, fleet_id: fleetId, exporter: exporter.address, n, size, root, committer };
  const base = { spec: SPEC, author: by.address, issued_at: toInstant(now), origin } as const;
  const room = LIMIT.import_bytes_max - Buffer.byteLength(canonical({ ...base, records: [] }));
  const groups: ForeignRecord[][] = [];
  let taken = 0;
  for (const { seq, record, speaker } of fresh) {
    const { principal, kind, operator } = speaker;
    const one: ForeignRecord = { seq, principal, kind, operator, record: record.signed };
    const bytes = Buffer.byteLength(canonical(one)) + 1;
    const group = groups.at(-1);
    if (group && group.length < LIMIT.import_records_max && taken + bytes <= room) {
      group.push(one);
      taken += bytes;
    } else {
      groups.push([one]);
      taken = bytes;
    }
  }
  return groups.map((records): SignedRecord => {
    const body: BundleImportBody = { ...base, records };
    return seal('bundle-import', body, by);
  });
}

/** Who speaks in a bundle, by name, with each key that they speak by. */
function speakersOf(records: readonly BundledRecord[], view: AdmissionView): Speaker[] {
  const byName = new Map<string, BundledRecord[]>();
  for (const one of records) {
    const { principal } = one.speaker;
    const own = byName.get(principal);
    if (own) own.push(one);
    else byName.set(principal, [one]);
  }
  return [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([principal, own]) => {
      const addresses = [...new Set(own.map(({ record }) => record.author))];
      const [{ kind = '', operator = '' } = {}] = own.map(({ speaker }) => speaker);
      return {
        principal,
        kind,
        operator,
        keys: addresses.map((address) => ({
          address,
          here: view.principal(address)?.principal ?? null,
        })),
        claims: own.filter(({ record }) => record.context === 'claim').length,
        records: own.length,
      };
    });
}
