import { canonical } from '../base/canonical.ts';
import { hmacHex } from '../base/hash.ts';
import { listOf, objectOf, textOf } from '../base/unknown.ts';
import { BundleImportBody } from '../record/bundle.ts';
import { type OpenedRecord, uncheckedRecord } from '../record/record.ts';

/*
 * A tombstone says that content was erased, to whoever holds the fleet's secret, and nothing to anybody else. It is an
 * HMAC: from a bare hash a short text could be guessed.
 */

/** What of a record tombstones are made of. */
type Said = Pick<OpenedRecord, 'id' | 'context' | 'body'>;

/** The field of a record that is its content, by its context. */
const CONTENT: Readonly<Record<string, string>> = {
  claim: 'statement',
  episode: 'content',
  handoff: 'summary',
  memory: 'content',
};

/** A text as it is compared: what differs in normal form, case or white space alone is the same content. */
export function folded(text: string): string {
  // Folded by way of capitals: some letters have two small forms, and `ß` is `SS`.
  const lower = text.normalize('NFC').toUpperCase().toLowerCase();
  return lower.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

/** What an erasure of a record leaves: of the record itself, and of its content in any other record. Hex, in order, each once. */
export function tombstonesOf(secret: Uint8Array, record: Said): string[] {
  const marks = saidBy(record).flatMap(marksOf);
  return [...new Set(marks)].map((mark) => hmacHex(secret, mark)).sort();
}

/**
 * The tombstones by which a record is known as a copy of what was erased, as one that carries a copy, or as one that names
 * it: an id is a hash, from which a short text could be guessed.
 */
export function tombstonesAgainst(secret: Uint8Array, record: OpenedRecord): string[] {
  const marks = saidBy(record).flatMap((one) => [...marksOf(one), ...namedBy(one)]);
  return marks.map((mark) => hmacHex(secret, mark));
}

/** A record, and those that it carries: what a bundle brought in is said again by the record of its import. */
function saidBy(record: Said): Said[] {
  const { context, body } = record;
  if (context !== 'bundle-import' || !BundleImportBody.safeParse(body).success) return [record];
  // As received, not as parsed: the schema leaves out a member called `__proto__`, and the id covers it.
  const { records } = body as unknown as BundleImportBody;
  return [record, ...records.flatMap(({ record: carried }) => readable(carried))];
}

/** None where it can have no id: the rule of imports refuses that one. */
function readable(carried: BundleImportBody['records'][number]['record']): Said[] {
  try {
    return [uncheckedRecord(carried).record];
  } catch {
    return [];
  }
}

function marksOf({ id, context, body }: Said): string[] {
  const text = textOf(body[CONTENT[context] ?? '']);
  const facts = context === 'memory' ? listOf(body['facts']) : [body['fact']];
  return [
    recordMark(id),
    ...(text === undefined ? [] : [`text\n${folded(text)}`]),
    ...facts.flatMap((fact) => factMark(fact) ?? []),
  ];
}

/** What a claim says of one thing, in whatever words and for whatever span. */
function factMark(fact: unknown): string | undefined {
  const { subject, predicate, value } = objectOf(fact);
  if (typeof subject !== 'string' || typeof predicate !== 'string') return undefined;
  if (value !== null && !['string', 'boolean', 'number'].includes(typeof value)) return undefined;
  const said = typeof value === 'string' ? folded(value) : value;
  return `fact\n${canonical([folded(subject), folded(predicate), said])}`;
}

function namedBy({ body }: Said): string[] {
  const { claim_id, supersedes, claims } = body;
  const named = [claim_id, supersedes, ...listOf(claims)].map(textOf);
  return named.filter((id) => id !== undefined).map(recordMark);
}

function recordMark(id: string): string {
  return `record\n${id}`;
}
