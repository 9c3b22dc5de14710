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

/** SHA-256(salt ‖ canonical JSON of the whole signed record): the data of the entry's leaf in the tree. */
export function commitmentOf(entry: Entry): Buffer {
  return sha256(Buffer.from(entry.salt, 'hex'), canonical(entry.record));
}

/** An entry whose record was checked: what the fold reads. `fault` is the code of what is wrong with it. */
export type OpenedEntry =
  | { readonly seq: number; readonly context: string; readonly record: OpenedRecord }
  | { readonly seq: number; readonly context: string; readonly fault: string };

/** Checks the signature of an entry's record. Total: a bad record in the ledger is the fold's to count, not a reason to stop. */
export function openEntry(entry: Entry): OpenedEntry {
  const { seq, record } = entry;
  try {
    return { seq, context: record.context, record: open(record) };
  } catch (error) {
    return { seq, context: record.context, fault: codeOf(error) };
  }
}
