import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { parseCanonical } from '../base/canonical.ts';
import type { Address } from '../base/ed25519.ts';
import { CredenceError, codeOf } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { BundleBody, CARRIED } from '../record/bundle.ts';
import { type AdmissionBody, FleetBody } from '../record/fleet.ts';
import { type OpenedRecord, open } from '../record/record.ts';
import { commitmentOf, WholeEntry, withText } from './entry.ts';
import { openHead, Path, type SeenHead } from './entry-proof.ts';
import type { Principal } from './port.ts';
import { rootOfInclusion } from './proof.ts';
import { NOTHING_KNOWN, type Room, roomOver } from './room.ts';
import { ruleOf } from './rules.ts';
import { leafHash } from './tree.ts';

/** A line of a bundle behind the first: an entry of the ledger, and its way to the root of the head. */
export const BundleLine = z.strictObject({ entry: WholeEntry, path: Path });

/** Entries that say for whom a key speaks. */
export const MEMBERSHIP: readonly string[] = ['fleet', 'admission'];

/** A record of a bundle, as it stands in the ledger that it comes from, and for whom its author's key spoke there. */
export interface BundledRecord {
  readonly seq: number;
  readonly record: OpenedRecord;
  readonly speaker: Principal;
}

/** What a bundle proves. */
export interface CheckedBundle {
  /** The id of the record that founded the fleet: two fleets may bear one name. */
  readonly fleet: string;
  readonly fleetId: string;
  readonly exporter: Principal;
  readonly exportedAt: string;
  readonly head: SeenHead;
  /** Claims, positions, withdrawals and episodes, in the order of their ledger. */
  readonly records: readonly BundledRecord[];
}

function refuse(code: string, what: string, line?: number, cause?: unknown): never {
  const where = line === undefined ? '' : `line ${line}: `;
  throw new CredenceError('incorrect', `bundle.${code}`, `${where}${what}`, {
    ...(cause === undefined ? {} : { cause }),
    ...(line === undefined ? {} : { data: { line } }),
    next: 'ask whoever made the bundle for it again: `credence export`',
  });
}

/** Runs, and refuses with one code for whatever is thrown. */
function orRefuse<T>(code: string, line: number, body: () => T): T {
  try {
    return body();
  } catch (error) {
    return refuse(
      code,
      `${code === 'form' ? 'not canonical JSON' : 'it cannot be trusted'} (${codeOf(error)})`,
      line,
      error,
    );
  }
}

/**
 * Checks all of a bundle, with nothing but its bytes: that it is whole and as its exporter signed it, that each entry is
 * signed and leads to the root of the head, and that by the rules of the ledger, and the membership that it carries, each
 * author might say what it says, the exporter is a member, and the head's signer might commit. Throws `bundle.*`.
 * `heard` hears how many of how many lines were checked.
 */
export function checkBundle(
  bytes: Uint8Array,
  heard: (n: number, of: number) => void = () => {},
): CheckedBundle {
  const { first, rest } = splitOf(bytes);
  const { body, author } = openFirst(first);
  if (body.content_hash !== sha256Hex(rest))
    refuse('hash', 'what follows the first line is not what was signed');
  const head = orRefuse('head', 1, () => openHead(body.head));
  if (head.fleetId !== body.fleet_id) refuse('head', 'its head is of another fleet', 1);
  const reading = readingUnder(head);
  const records: BundledRecord[] = [];
  let line = 1;
  for (const text of linesOf(rest)) {
    line += 1;
    if (line - 1 > body.lines) break;
    const taken = readLine(text, line, reading);
    if (taken) records.push(taken);
    heard(line - 1, body.lines);
  }
  if (line - 1 !== body.lines)
    refuse('lines', `it has not the ${body.lines} lines that its first line says`);
  const { fleet, room } = reading;
  const exporter = room.principal(author);
  if (!fleet || !exporter) return refuse('exporter', 'nothing in it says who its exporter is', 1);
  if (room.principal(head.committer)?.roles.includes('commit') !== true)
    refuse('committer', 'nothing in it says that the signer of its head may commit', 1);
  return { fleet, fleetId: head.fleetId, exporter, exportedAt: body.issued_at, head, records };
}

function splitOf(bytes: Uint8Array): { readonly first: string; readonly rest: Buffer } {
  if (bytes.length > LIMIT.bundle_bytes_max)
    refuse('size', `it is larger than ${LIMIT.bundle_bytes_max} bytes`);
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // Bytes that are no UTF-8 would be read as replacement characters: not what was signed.
  if (!isUtf8(whole) || whole.at(-1) !== 0x0a) refuse('torn', 'it is not whole lines of UTF-8');
  const end = whole.indexOf(0x0a);
  if (end > LIMIT.bundle_line_bytes_max) refuse('line_size', 'it is too long', 1);
  return { first: whole.toString('utf8', 0, end), rest: whole.subarray(end + 1) };
}

function openFirst(text: string): { readonly body: BundleBody; readonly author: Address } {
  const received = orRefuse('form', 1, () => parseCanonical(text));
  const { context, body, author } = orRefuse('signature', 1, () => open(received));
  const parsed = context === 'bundle' ? BundleBody.safeParse(body).data : undefined;
  return parsed
    ? { body: parsed, author }
    : refuse('first', 'it is not the first line of a bundle', 1);
}

/** The lines of bytes that end in a line feed, one at a time: a million short ones are never held at once. */
function* linesOf(bytes: Buffer): Generator<string> {
  for (let at = 0, line = 2; at < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, at);
    if (end - at > LIMIT.bundle_line_bytes_max) refuse('line_size', 'it is too long', line);
    yield bytes.toString('utf8', at, end);
    at = end + 1;
  }
}

/** What is known from the lines before. */
export interface Reading {
  room: Room;
  readonly head: SeenHead;
  seq: number;
  readonly ids: Set<string>;
  fleet: string | undefined;
}

/** What is known of a bundle before its first entry. */
export function readingUnder(head: SeenHead): Reading {
  return { room: roomOver(NOTHING_KNOWN), head, seq: 0, ids: new Set(), fleet: undefined };
}

function readLine(text: string, line: number, reading: Reading): BundledRecord | undefined {
  const received = orRefuse('form', line, () => parseCanonical(text));
  const { data } = BundleLine.safeParse(received);
  if (!data) return refuse('entry', 'it is not an entry with its path', line);
  // As received, not as parsed: the schema leaves out a member called `__proto__`, and the root covers it.
  const { entry } = received as z.infer<typeof BundleLine>;
  const { seq } = entry;
  if (seq <= reading.seq)
    refuse('order', `position ${seq} does not come after ${reading.seq}`, line);
  reading.seq = seq;
  const leaf = leafHash(commitmentOf(withText(entry, lineTextOf(text))));
  const path = data.path.map((hash) => Buffer.from(hash, 'hex'));
  const root = rootOfInclusion(leaf, seq - 1, reading.head.size, path);
  if (root?.toString('hex') !== reading.head.root)
    refuse('inclusion', `position ${seq} does not lead to the root of its head`, line);
  const record = orRefuse('signature', line, () => open(data.entry.record));
  if (reading.ids.has(record.id)) refuse('repeated', `${record.id} stands in it twice`, line);
  reading.ids.add(record.id);
  return takeRecord(seq, record, line, reading);
}

/** The text of the entry in a canonical line: it comes first, and the path behind it holds nothing but hex. */
function lineTextOf(text: string): string {
  return text.slice('{"entry":'.length, text.lastIndexOf(',"path":'));
}

/**
 * Takes an entry's record into account, by the rules of the ledger; answers with what is carried, undefined for membership.
 * Throws `bundle.*`.
 */
export function takeRecord(
  seq: number,
  record: OpenedRecord,
  line: number,
  reading: Reading,
): BundledRecord | undefined {
  const { room } = reading;
  if ((seq === 1) !== (record.context === 'fleet') || (reading.fleet === undefined && seq !== 1))
    refuse('fleet', 'a bundle begins with the entry that founded the fleet', line);
  if (record.context === 'fleet') {
    found(record, line, reading);
    return undefined;
  }
  if (!CARRIED.includes(record.context) && !MEMBERSHIP.includes(record.context))
    refuse('context', `a bundle carries no ${record.context}`, line);
  const judged = ruleOf(record)?.judge(record, room);
  if (judged?.kind === 'wait') refuse('admission', 'nothing in it says who its author is', line);
  if (judged?.kind !== 'accept') {
    const code = judged?.code ?? 'record.spec';
    return refuse('refused', `the ledger takes no such ${record.context} (${code})`, line);
  }
  const speaker = judged.author;
  room.admit(speaker);
  if (CARRIED.includes(record.context)) {
    room.take(record, speaker);
    return { seq, record, speaker };
  }
  room.admit({ ...(judged.body as AdmissionBody), admitted: seq });
  return undefined;
}

/** Entry 1: the fleet, whose author is its first admin. */
function found({ id, body, author }: OpenedRecord, line: number, reading: Reading): void {
  const fleet = FleetBody.safeParse(body).data;
  if (fleet?.fleet_id !== reading.head.fleetId)
    refuse('fleet', 'its first entry founds another fleet', line);
  reading.fleet = id;
  const { fleet_id, admission } = fleet;
  reading.room = roomOver({
    ...NOTHING_KNOWN,
    fleet: () => ({ id: fleet_id, admission, entry: id }),
  });
  const kind = 'person' as const;
  reading.room.admit({
    address: author,
    principal: author,
    kind,
    operator: author,
    roles: ['admin', 'review'],
    admitted: 1,
  });
}
