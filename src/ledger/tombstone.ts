import { hmacHex } from '../base/hash.ts';
import { textOf } from '../base/unknown.ts';
import type { OpenedRecord } from '../record/record.ts';

/*
 * A tombstone says that content was erased, to whoever holds the fleet's secret, and nothing to anybody else. It is an
 * HMAC: from a bare hash a short text could be guessed.
 */

/** The field of a record that is its content, by its context. */
const CONTENT: Readonly<Record<string, string>> = {
  claim: 'statement',
  episode: 'content',
  handoff: 'summary',
};

/** A text as it is compared: what differs in normal form, case or white space alone is the same content. */
export function folded(text: string): string {
  // Folded by way of capitals: some letters have two small forms, and `ß` is `SS`.
  const lower = text.normalize('NFC').toUpperCase().toLowerCase();
  return lower.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

/** What an erasure of a record leaves: of the record itself, and of its content in any other record. Hex, in order. */
export function tombstonesOf(
  secret: Uint8Array,
  { id, context, body }: Pick<OpenedRecord, 'id' | 'context' | 'body'>,
): string[] {
  const field = CONTENT[context];
  const text = field === undefined ? undefined : textOf(body[field]);
  const marks = text === undefined ? [] : [`text\n${folded(text)}`];
  return [recordMark(id), ...marks].map((mark) => hmacHex(secret, mark)).sort();
}

/**
 * The tombstones by which a record is known as a copy of what was erased, or as one that names it: an id is a hash, from
 * which a short text could be guessed.
 */
export function tombstonesAgainst(secret: Uint8Array, record: OpenedRecord): string[] {
  const { claim_id, supersedes } = record.body;
  const named = [textOf(claim_id), textOf(supersedes)].filter((id) => id !== undefined);
  const marks = named.map((id) => hmacHex(secret, recordMark(id)));
  return [...tombstonesOf(secret, record), ...marks];
}

function recordMark(id: string): string {
  return `record\n${id}`;
}
