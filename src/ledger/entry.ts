import { z } from 'zod';
import { canonical } from '../base/canonical.ts';
import { codeOf } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';
import { type OpenedRecord, open, SignedRecord } from '../record/record.ts';

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

/** An entry whose record was checked: what the fold reads. `fault` is the code of what is wrong with it. */
export type OpenedEntry =
  | { readonly seq: number; readonly context: string; readonly record: OpenedRecord }
  | { readonly seq: number; readonly context: string; readonly fault: string };

/** Checks the signature of an entry's record. Total: a bad record in the ledger is the fold's to count, not a reason to stop. */
export function openEntry(entry: EntryWithText): OpenedEntry {
  const { seq, record, recordText } = entry;
  try {
    return { seq, context: record.context, record: open(record, recordText) };
  } catch (error) {
    return { seq, context: record.context, fault: codeOf(error) };
  }
}
