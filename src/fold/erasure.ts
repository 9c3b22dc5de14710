import { textOf } from '../base/unknown.ts';
import type { OpenedEntry } from '../ledger/entry.ts';
import { ERASABLE, type ErasureBody } from '../record/erasure.ts';
import type { OpenedRecord } from '../record/record.ts';
import type { Folding } from './folding.ts';
import type { Change, Reader } from './state.ts';
import { principalOf } from './view.ts';

/** All that a stub gives: that something stood there. */
export function stubRows(seq: number, commitment: string): Change[] {
  const row = { key: String(seq), at: seq, commitment, context: null, erasure: null };
  return [{ table: 'erased', row }];
}

/**
 * What has to be known of an entry so that it can be erased later: also of one that changes nothing else, since its text
 * stands in the ledger all the same.
 */
export function contentRow(reader: Reader, entry: OpenedEntry): Change | undefined {
  const { seq, context, commitment = null } = entry;
  if (!ERASABLE.has(context) || 'erased' in entry) return undefined;
  const record = 'record' in entry ? entry.record : undefined;
  const { principal, operator } = (record && speakerOf(reader, record.author)) ?? {
    principal: '',
    operator: '',
  };
  const about = (record && claimOf(reader, record)) ?? null;
  const row = { key: String(seq), at: seq, context, commitment, principal, operator, about };
  return { table: 'contents', row };
}

function speakerOf(reader: Reader, author: string) {
  return principalOf(reader, author) ?? { principal: author, operator: author };
}

/** The claim that a record is, or speaks of. */
function claimOf(reader: Reader, { id, context, body }: OpenedRecord): string | undefined {
  if (context === 'claim') return id;
  if (context === 'verdict')
    return reader.get('promotions', textOf(body['promotion_id']) ?? '')?.claim;
  return textOf(body['claim_id']);
}

/** The positions that an erasure names, and the tombstones of what stood there. */
export function foldErasure({ record, at }: Folding, body: ErasureBody): Change[] {
  const erasure = record.id;
  const erased = body.entries.map(({ seq, commitment, context }): Change => {
    const row = { key: String(seq), at, commitment, context, erasure };
    return { table: 'erased', row };
  });
  const tombstones = body.tombstones.map((key): Change => {
    return { table: 'tombstones', row: { key, at, erasure } };
  });
  return [...erased, ...tombstones];
}

/** A position that an accepted erasure has named. */
export interface NamedPosition {
  readonly seq: number;
  readonly commitment: string;
}

/** The positions that changes say an accepted erasure has named. */
export function namedIn(changes: readonly Change[]): NamedPosition[] {
  return changes.flatMap((change) => {
    if (change.table !== 'erased' || change.row.erasure === null) return [];
    return [{ seq: Number(change.row.key), commitment: change.row.commitment }];
  });
}
