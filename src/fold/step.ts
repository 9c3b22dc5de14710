import type { OpenedEntry } from '../ledger/entry.ts';
import type { Principal } from '../ledger/port.ts';
import { ruleOf } from '../ledger/rules.ts';
import { FleetBody, RejectionBody } from '../record/fleet.ts';
import type { OpenedRecord } from '../record/record.ts';
import { contentRow, stubRows } from './erasure.ts';
import { foldOf } from './folds.ts';
import { type Beginning, principalRow } from './membership.ts';
import type { Change, Reader } from './state.ts';
import { takenIn } from './take-in.ts';
import { principalOf, viewOf } from './view.ts';

/**
 * One entry → the rows that it changes. Judges each by the very rules by which a committer should have admitted it, so
 * that nothing which a committer lets through against them counts. Total: an entry that cannot be used is kept and
 * counted as `unusable`, never thrown, so that an older reader can follow a newer writer. Throws what the reader
 * throws, and nothing else.
 */
export function step(reader: Reader, entry: OpenedEntry): Change[] {
  if ('erased' in entry) return stubRows(entry.seq, entry.erased);
  const content = contentRow(reader, entry);
  const changes = changesOf(reader, entry);
  return content ? [content, ...changes] : changes;
}

function changesOf(
  reader: Reader,
  entry: Exclude<OpenedEntry, { readonly erased: string }>,
): Change[] {
  const { seq: at, context } = entry;
  if ('fault' in entry) return [unusable(at, context, entry.fault)];
  const { record, recordedAt } = entry;
  if (reader.get('decided', record.id)) return [unusable(at, context, 'record.repeated')];
  const decided: Change = { table: 'decided', row: { key: record.id, at, context, code: null } };
  if (context === 'rejection') return [decided, ...rejected(reader, record, at)];
  if (context === 'fleet') return [decided, ...founded(reader, record, at)];
  const rule = ruleOf(record);
  const fold = foldOf(record);
  if (!rule || !fold) return [decided, unusable(at, context, 'fold.unknown_context')];
  const judged = rule.judge(record, viewOf(reader), recordedAt);
  if (judged.kind === 'wait') return [decided, unusable(at, context, 'record.admission')];
  if (judged.kind === 'reject') return [decided, unusable(at, context, judged.code)];
  const { author, body } = judged;
  const folding = { reader, record, principal: author.principal, at };
  const changes = [decided, ...met(reader, author, record, at), ...fold(folding, body as never)];
  const taken = takenIn(reader, changes, at);
  return taken.length > 0 ? [...changes, ...taken] : changes;
}

function unusable(at: number, context: string, code: string): Change {
  return { table: 'unusable', row: { key: String(at), at, context, code } };
}

/** A key that speaks for itself is admitted by doing so. */
function met(reader: Reader, author: Principal, { body }: OpenedRecord, at: number): Change[] {
  if (reader.get('principals', author.address)) return [];
  const since = String(body['issued_at'] ?? body['asserted_at']);
  return [principalRow(reader, { ...author, since }, at)];
}

/** Entry 1: the fleet, and the person who founded it as its first admin. */
function founded(reader: Reader, { id, body }: OpenedRecord, at: number): Change[] {
  const fleet = FleetBody.safeParse(body).data;
  if (!fleet) return [unusable(at, 'fleet', 'record.body')];
  if (at !== 1) return [unusable(at, 'fleet', 'fleet.not_first')];
  const { fleet_id, admission, author, issued_at } = fleet;
  const founder: Beginning = {
    address: author,
    principal: author,
    kind: 'person',
    operator: author,
    roles: ['admin', 'review'],
    since: issued_at,
  };
  return [
    { table: 'fleet', row: { key: 'fleet', at, fleet_id, admission, record: id } },
    principalRow(reader, founder, at),
  ];
}

/** A committer's word on what it did not admit. */
function rejected(reader: Reader, record: OpenedRecord, at: number): Change[] {
  const body = RejectionBody.safeParse(record.body).data;
  if (!body) return [unusable(at, 'rejection', 'record.body')];
  if (principalOf(reader, record.author)?.roles.includes('commit') !== true)
    return [unusable(at, 'rejection', 'rejection.role')];
  const key = body.record ?? `${body.item}#${body.line ?? 0}`;
  if (reader.get('decided', key)) return [unusable(at, 'rejection', 'rejection.decided')];
  return [{ table: 'decided', row: { key, at, context: 'rejection', code: body.code } }];
}
