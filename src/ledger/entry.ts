import { z } from 'zod';
import { canonical } from '../base/canonical.ts';
import type { VerifyAll } from '../base/ed25519.ts';
import { codeOf } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';
import type { Instant } from '../base/time.ts';
import { type OpenedRecord, SignedRecord, uncheckedRecord } from '../record/record.ts';

/**
 * One position of the ledger. `salt` is 16 random bytes in hex, drawn by the committer, so that a short text
 * cannot be guessed from its commitment once the entry is erased.
 */
export const Entry = z.strictObject({
  seq: z.int().positive(),
  salt: z.string().regex(/^[0-9a-f]{32}$/),
  record: SignedRecord,
});
export type Entry = z.infer<typeof Entry>;

/** An entry, with the canonical text of its record where it is at hand: then it is not encoded again. */
export interface EntryWithText extends Entry {
  readonly recordText?: string;
}

/** The canonical line of an entry. */
export function lineOf({ record, recordText, salt, seq }: EntryWithText): string {
  return `{"record":${recordText ?? canonical(record)},"salt":"${salt}","seq":${seq}}`;
}

/** The entry of a line that is canonical JSON: its record comes first, and what follows it is known to the letter. */
export function withText(entry: Entry, line: string): EntryWithText {
  const rest = `,"salt":"${entry.salt}","seq":${entry.seq}}`;
  return { ...entry, recordText: line.slice('{"record":'.length, line.length - rest.length) };
}

/** SHA-256(salt ‖ canonical JSON of the whole signed record): the data of the entry's leaf in the tree. */
export function commitmentOf(entry: EntryWithText): Buffer {
  return sha256(Buffer.from(entry.salt, 'hex'), entry.recordText ?? canonical(entry.record));
}

/**
 * An entry whose record was checked: what the fold reads. `fault` is the code of what is wrong with it; `recordedAt` the
 * instant of its commit, by which its dates are judged, absent where a committer has judged them.
 */
export type OpenedEntry =
  | {
      readonly seq: number;
      readonly context: string;
      readonly record: OpenedRecord;
      readonly recordedAt?: Instant | undefined;
    }
  | { readonly seq: number; readonly context: string; readonly fault: string };

/**
 * Checks the signatures of entries' records. Total: a bad record in the ledger is the fold's to count, not a reason
 * to stop.
 */
export async function openEntries(
  entries: readonly (EntryWithText & { readonly recordedAt?: Instant })[],
  verifyAll: VerifyAll,
): Promise<OpenedEntry[]> {
  const opening = entries.map(unchecked);
  const checks = opening.flatMap((entry) => ('check' in entry ? [entry.check] : []));
  const valid = (await verifyAll(checks)).values();
  return opening.map((entry, i): OpenedEntry => {
    if ('fault' in entry) return entry;
    const { seq, context, record } = entry;
    if (valid.next().value === true)
      return { seq, context, record, recordedAt: entries[i]?.recordedAt };
    return { seq, context, fault: 'record.signature' };
  });
}

function unchecked({ seq, record, recordText }: EntryWithText) {
  const { context } = record;
  try {
    return { seq, context, ...uncheckedRecord(record, recordText) };
  } catch (error) {
    return { seq, context, fault: codeOf(error) };
  }
}
