import { CredenceError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { type Instant, toInstant, toMs } from '../base/time.ts';
import type { Envelope, Injected } from '../runtime/envelope.ts';
import { parsePartKey } from './layout.ts';
import type { ObjectStore } from './objects.ts';

/** Turns the envelopes of one part into stored bytes and back. Source: docs/formats/part.md. */
export interface PartCodec {
  /**
   * The same envelopes, in the same order, always give the same bytes. The texts are well-formed (see
   * `cleanText`): a lone surrogate, which UTF-8 can't say, comes back as U+FFFD. Throws CredenceError
   * `incorrect`, `part.too_large` for more than PART_LIMIT allows.
   */
  encode(envelopes: readonly Envelope[]): Uint8Array;
  /**
   * The envelopes in their order. Rejects with CredenceError `incorrect`, `part.malformed` for bytes that are
   * not a part of valid envelopes, whatever they are; columns that it doesn't know it ignores.
   */
  decode(bytes: Uint8Array): Promise<Envelope[]>;
  /** The time of the earliest of them, undefined where there are none. Rejects as `decode` does, for what it reads. */
  begin(bytes: Uint8Array): Promise<Instant | undefined>;
}

/** A part by its key, and the SHA-256 of its bytes where a manifest or a signed record names it. */
export interface PartRef {
  readonly key: string;
  readonly hash?: string;
}

/** Reads one part. Throws as {@link partBytes} does, and `part.malformed` where it is none. */
export async function readPart(
  store: ObjectStore,
  codec: PartCodec,
  part: PartRef,
): Promise<Envelope[]> {
  return codec.decode(await partBytes(store, part));
}

/**
 * The bytes of one part. Throws `lake.part_missing` where the store lost it, `lake.part_changed` where they are not
 * those that were put (the key itself holds the first digits of their hash).
 */
export async function partBytes(store: ObjectStore, { key, hash }: PartRef): Promise<Uint8Array> {
  const bytes = await store.get(key);
  if (!bytes) {
    throw new CredenceError('missing', 'lake.part_missing', `part ${key} is not in ${store.name}`, {
      data: { key },
      next: 'the store lost a confirmed object; run `credence doctor`, and restore it from a backup',
    });
  }
  const found = sha256Hex(bytes);
  if (found === (hash ?? found) && found.startsWith(parsePartKey(key)?.hash ?? '')) return bytes;
  throw new CredenceError(
    'incorrect',
    'lake.part_changed',
    `part ${key} in ${store.name} is not the one that was put there: its SHA-256 is ${found}`,
    {
      data: { key, found },
      next: 'somebody changed a confirmed object; put the bytes back that its key names, from a backup',
    },
  );
}

/**
 * What one part may hold: envelopes, and UTF-16 units of text in all of them. Parts are cut far below it; it is
 * there so that no part is ever stored that the bounds on reading, which hostile parts need, would refuse.
 */
export const PART_LIMIT = { envelopes_max: 100_000, text_units_max: 32 * 1024 * 1024 } as const;

/** How a file says by which version of the mapping below it was made; a reader refuses any other. */
export const PART_VERSION = { key: 'credence.schema_version', value: '1' } as const;

/**
 * What a column holds: text in UTF-8; a signed 64-bit integer that JavaScript holds exactly; milliseconds
 * since the epoch, UTC; a list of texts; a list of `Injected`.
 */
export type PartType = 'text' | 'integer' | 'boolean' | 'instant' | 'texts' | 'injected';

/** A value in a column: an instant as milliseconds; undefined is a null. */
export type PartValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly Injected[]
  | undefined;

/** One envelope as values in the order of PART_COLUMNS. */
export type PartRow = readonly PartValue[];

/** A column, and the field of the envelope that it holds. */
export interface PartColumn {
  readonly name: string;
  readonly type: PartType;
  readonly nullable: boolean;
  /** The object of the envelope that holds the field; absent for the envelope itself. */
  readonly group?: 'tool' | 'usage' | 'redaction';
  readonly field: string;
}

/**
 * Every column, in file order. A field that is added later is nullable, so that older parts, which lack its
 * column, still read. `has_tool` and `has_usage` tell an object without fields from none, and stand before its fields.
 */
export const PART_COLUMNS: readonly PartColumn[] = [
  required('schema_version', 'integer'),
  required('event_id'),
  required('emitted_at', 'instant'),
  required('fleet_id'),
  required('agent_id'),
  required('runtime'),
  optional('runtime_version'),
  required('host_id'),
  required('session_id'),
  optional('parent_session_id'),
  optional('turn_id'),
  optional('message_id'),
  optional('parent_message_id'),
  optional('repo'),
  optional('cwd'),
  optional('git_sha'),
  optional('branch'),
  required('event_type'),
  optional('detail'),
  optional('role'),
  optional('content'),
  optional('content_hash'),
  { name: 'has_tool', type: 'boolean', nullable: false, field: 'tool' },
  within('tool', 'name'),
  within('tool', 'input'),
  within('tool', 'input_hash'),
  within('tool', 'result'),
  within('tool', 'exit_code', 'integer'),
  within('tool', 'outcome'),
  within('tool', 'duration_ms', 'integer'),
  within('tool', 'paths', 'texts'),
  { name: 'has_usage', type: 'boolean', nullable: false, field: 'usage' },
  within('usage', 'response_id'),
  within('usage', 'model'),
  within('usage', 'input_tokens', 'integer'),
  within('usage', 'output_tokens', 'integer'),
  within('usage', 'cache_read_tokens', 'integer'),
  within('usage', 'cache_write_tokens', 'integer'),
  within('usage', 'cost_usd_micros', 'integer'),
  optional('injected_context', 'injected'),
  { ...within('redaction', 'status'), nullable: false },
  { ...within('redaction', 'rules_fired', 'texts'), nullable: false },
  required('imported', 'boolean'),
  required('reconciled', 'boolean'),
];

/** The fields of an injected item, in file order. */
export const INJECTED_FIELDS = ['kind', 'id', 'source', 'observed_by'] as const;

/** An envelope as the row that stands for it, and for no other envelope. */
export function toRow(envelope: Envelope): PartRow {
  return PART_COLUMNS.map((column) => {
    const value = valueIn(envelope, column);
    if (column.type === 'boolean') return value !== undefined;
    if (column.type === 'instant') return toMs(value as string);
    return value as PartValue;
  });
}

function valueIn(envelope: Omit<Envelope, 'event_id'>, { group, field }: PartColumn): unknown {
  const holder: object | undefined = group ? envelope[group] : envelope;
  return holder && (holder as Record<string, unknown>)[field];
}

/** What the names of an envelope's fields take as JSON, about. */
const NAMES_BYTES = 500;

const TEXT_COLUMNS = PART_COLUMNS.filter(({ type }) => /^(?:text|texts|injected)$/.test(type));

/** What an envelope takes as JSON, about: no less than PART_LIMIT counts of it, whatever its fields hold. */
export function sizeOf(envelope: Omit<Envelope, 'event_id'>): number {
  let size = NAMES_BYTES;
  for (const column of TEXT_COLUMNS) size += unitsOf(valueIn(envelope, column));
  return size;
}

/**
 * A row as the envelope that it stands for, still unchecked: the caller passes it to the `Envelope` schema.
 * Throws CredenceError `incorrect`, `part.malformed` where a field of `tool` or `usage` stands in a row
 * that says it has none.
 */
export function fromRow(row: PartRow): unknown {
  const envelope: Record<string, unknown> = { redaction: {} };
  for (const [i, column] of PART_COLUMNS.entries()) {
    const value = row[i];
    // Flags are only ever stored as true in an envelope: false is their absence.
    if (value === undefined || value === false) continue;
    const holder = column.group ? envelope[column.group] : envelope;
    if (holder === undefined) throw malformed(`a row has ${column.name}, yet no ${column.group}`);
    (holder as Record<string, unknown>)[column.field] = column.name.startsWith('has_')
      ? {}
      : field(column, value);
  }
  return envelope;
}

/** Throws CredenceError `incorrect`, `part.too_large` for rows beyond PART_LIMIT. */
export function assertPartSize(rows: readonly PartRow[]): void {
  let units = 0;
  for (const row of rows) for (const value of row) units += unitsOf(value);
  if (rows.length <= PART_LIMIT.envelopes_max && units <= PART_LIMIT.text_units_max) return;
  throw new CredenceError(
    'incorrect',
    'part.too_large',
    `${rows.length} envelopes with ${units} units of text are more than a part may hold`,
    { next: 'Cut them into several parts.', data: { envelopes: rows.length, units } },
  );
}

/** The error of every reader of parts: `why` says what is wrong, without any content. */
export function malformed(why: string, cause?: unknown): CredenceError {
  return new CredenceError('incorrect', 'part.malformed', `these bytes are not a part: ${why}`, {
    next: 'Read the part from the store again; where that gives the same, the stored copy is damaged.',
    cause,
  });
}

function unitsOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (!Array.isArray(value)) return 0;
  // Each item also counts for what its levels take.
  const items = value as readonly (string | Injected)[];
  return items.reduce((sum, item) => {
    const texts = typeof item === 'string' ? [item] : INJECTED_FIELDS.map((name) => item[name]);
    return texts.reduce((units, text) => units + text.length + 16, sum);
  }, 0);
}

function field({ name, type }: PartColumn, value: PartValue): unknown {
  return type === 'instant' ? instantOf(name, value) : value;
}

/** A value of an instant's column. Throws `part.malformed`. */
export function instantOf(name: string, value: PartValue): Instant {
  // Beyond this there are no dates in JavaScript; what lies between year 9999 and here fails the schema.
  if (typeof value !== 'number' || Math.abs(value) > 8.64e15) {
    throw malformed(`${name} is no instant`);
  }
  return toInstant(value);
}

function required(field: string, type: PartType = 'text'): PartColumn {
  return { name: field, type, nullable: false, field };
}

function optional(field: string, type: PartType = 'text'): PartColumn {
  return { name: field, type, nullable: true, field };
}

function within(
  group: 'tool' | 'usage' | 'redaction',
  field: string,
  type: PartType = 'text',
): PartColumn {
  return { name: `${group}_${field}`, type, nullable: true, group, field };
}
