import * as z from 'zod';
import { canonical } from '../base/canonical.ts';
import type { VerifyAll } from '../base/ed25519.ts';
import { codeOf } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';
import type { Instant } from '../base/time.ts';
import { ERASABLE } from '../record/erasure.ts';
import {
  type OpenedRecord,
  SignedRecord,
  type UncheckedRecord,
  uncheckedRecord,
} from '../record/record.ts';

/**
 * One position of the ledger. `salt` is 16 random bytes in hex, drawn by the committer, so that a short text
 * cannot be guessed from its commitment once the entry is erased.
 */
export const WholeEntry = z.strictObject({
  seq: z.int().positive(),
  salt: z.string().regex(/^[0-9a-f]{32}$/),
  record: SignedRecord,
});
export type WholeEntry = z.infer<typeof WholeEntry>;

/** What is left of an entry that was erased: the data of its leaf, so that every root and proof stays. */
export const Stub = z.strictObject({
  seq: z.int().positive(),
  commitment: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Stub = z.infer<typeof Stub>;

/** What a position holds. */
export const Entry = z.union([WholeEntry, Stub]);
export type Entry = z.infer<typeof Entry>;

/** A whole entry, with the canonical text of its record where it is at hand: then it is not encoded again. */
export interface WholeWithText extends WholeEntry {
  readonly recordText?: string;
}

/** What a position holds, as it is read and hashed. */
export type EntryWithText = WholeWithText | Stub;

/** The canonical line of an entry. */
export function lineOf(entry: EntryWithText): string {
  if ('commitment' in entry) return `{"commitment":"${entry.commitment}","seq":${entry.seq}}`;
  const { record, recordText, salt, seq } = entry;
  return `{"record":${recordText ?? canonical(record)},"salt":"${salt}","seq":${seq}}`;
}

/** The entry of a line that is canonical JSON: its record comes first, and what follows it is known to the letter. */
export function withText(entry: Entry, line: string): EntryWithText {
  if ('commitment' in entry) return entry;
  const rest = `,"salt":"${entry.salt}","seq":${entry.seq}}`;
  return { ...entry, recordText: line.slice('{"record":'.length, line.length - rest.length) };
}

/** SHA-256(salt ‖ canonical JSON of the whole signed record): the data of the entry's leaf in the tree. */
export function commitmentOf(entry: EntryWithText): Buffer {
  if ('commitment' in entry) return Buffer.from(entry.commitment, 'hex');
  return sha256(Buffer.from(entry.salt, 'hex'), entry.recordText ?? canonical(entry.record));
}

/** What is left of an entry once it is erased. */
export function stubOf(entry: EntryWithText): Stub {
  return { seq: entry.seq, commitment: commitmentOf(entry).toString('hex') };
}

interface OpenedBase {
  readonly seq: number;
  readonly context: string;
  /** Of what can be erased, hex: the data of its leaf. Absent where the entry has no position yet. */
  readonly commitment?: string | undefined;
}

/**
 * An entry whose record was checked: what the fold reads. `fault` is the code of what is wrong with it; `recordedAt` the
 * instant of its commit, by which its dates are judged, absent where a committer has judged them. Of one that was
 * erased, `erased` is the commitment that it left, and the context says nothing.
 */
export type OpenedEntry =
  | (OpenedBase & { readonly record: OpenedRecord; readonly recordedAt?: Instant | undefined })
  | (OpenedBase & { readonly fault: string })
  | (OpenedBase & { readonly context: 'erased'; readonly erased: string });

/** An opened entry, as it is once it is erased. */
export function erasedEntry(seq: number, commitment: string): OpenedEntry {
  return { seq, context: 'erased', erased: commitment };
}

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
    if (!('check' in entry)) return entry;
    const { seq, context, commitment, record } = entry;
    if (valid.next().value === true)
      return { seq, context, commitment, record, recordedAt: entries[i]?.recordedAt };
    return { seq, context, commitment, fault: 'record.signature' };
  });
}

function unchecked(entry: EntryWithText): OpenedEntry | (OpenedBase & UncheckedRecord) {
  const { seq } = entry;
  if ('commitment' in entry) return erasedEntry(seq, entry.commitment);
  const { record, recordText } = entry;
  const { context } = record;
  const commitment = ERASABLE.has(context) ? commitmentOf(entry).toString('hex') : undefined;
  try {
    return { seq, context, commitment, ...uncheckedRecord(record, recordText) };
  } catch (error) {
    return { seq, context, commitment, fault: codeOf(error) };
  }
}
