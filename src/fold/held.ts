import { canonical } from '../base/canonical.ts';
import { objectOf } from '../base/unknown.ts';
import type { HeldView } from '../ledger/port.ts';
import { knownClaim, NOTHING_KNOWN } from '../ledger/room.ts';
import type { BundleImportBody, ForeignRecord } from '../record/bundle.ts';
import { type OpenedRecord, recordId, type SignedRecord } from '../record/record.ts';
import type { Folding } from './folding.ts';
import type { HeldRow, OriginRow } from './held-rows.ts';
import type { Change, Reader } from './state.ts';

/** The key of what is held of a fleet, so that what two fleets say of one record never meets. */
function heldKey(origin: string, record: string): string {
  return `${origin}\n${record}`;
}

/** A held record, as it was signed. */
export function signedOf({ signed }: HeldRow): SignedRecord {
  return JSON.parse(signed) as SignedRecord;
}

/** What is held of another fleet, as the rules by which it took it see it. */
export function heldView(reader: Reader, origin: string): HeldView {
  const about = (subject: string, context: string) =>
    reader
      .where('held', 'subject', subject)
      .find((row) => row.origin === origin && row.context === context);
  const spaceOf = (row: HeldRow) => String(objectOf(signedOf(row).body['scope'])['space']);
  return {
    ...NOTHING_KNOWN,
    claim(id) {
      const row = about(id, 'claim');
      if (!row) return undefined;
      const { body } = signedOf(row);
      const isRetired = about(id, 'retirement') !== undefined;
      return knownClaim(row.principal, body as OpenedRecord['body'], isRetired);
    },
    episode(id) {
      const row = about(id, 'episode');
      return row && { space: spaceOf(row) };
    },
    isHeld: (id) => reader.get('held', heldKey(origin, id)) !== undefined,
  };
}

/** What a bundle held: each record as it is, once, under the fleet that it comes from. */
export function foldBundleImport({ reader, at }: Folding, body: BundleImportBody): Change[] {
  const { fleet: key, ...rest } = body.origin;
  const known: OriginRow | undefined = reader.get('origins', key);
  const origin: Change[] =
    known && known.size >= rest.size ? [] : [{ table: 'origins', row: { key, at, ...rest } }];
  const rows = body.records.map((one) => heldRow(key, one, at));
  const fresh = rows.filter((row) => !reader.get('held', row.key));
  const held = fresh.map((row): Change => ({ table: 'held', row }));
  return [...origin, ...held, ...carriedRows(rows, at)];
}

/** What was held before, too: each import has its own copy of it. */
function carriedRows(rows: readonly HeldRow[], at: number): Change[] {
  const claims = new Set(
    rows.filter(({ context }) => context !== 'episode').map(({ subject }) => subject),
  );
  return [...claims].map((claim): Change => {
    return { table: 'carried', row: { key: `${at}\n${claim}`, at, claim } };
  });
}

/** The positions at which a claim stands, or something about it: those of imports that carry it among them. */
export function positionsAbout(reader: Reader, claim: string): number[] {
  const own = reader.where('contents', 'about', claim).map(({ key }) => Number(key));
  const imports = reader.where('carried', 'claim', claim).map(({ at }) => at);
  return [...new Set([...own, ...imports])];
}

function heldRow(origin: string, one: ForeignRecord, at: number): HeldRow {
  const { seq, principal, kind, operator } = one;
  const { context, body } = one.record;
  const record = recordId(context, body);
  const subject = context === 'claim' ? record : String(body['claim_id'] ?? body['id']);
  return {
    key: heldKey(origin, record),
    at,
    origin,
    seq,
    record,
    context,
    subject,
    author: body.author,
    principal,
    kind,
    operator,
    taken: null,
    signed: canonical(one.record),
  };
}
