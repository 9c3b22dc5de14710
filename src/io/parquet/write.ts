import { parquetWriteBuffer } from 'hyparquet-writer';
import {
  INJECTED_FIELDS,
  PART_COLUMNS,
  PART_VERSION,
  type PartColumn,
  type PartRow,
  type PartValue,
} from '../../lake/part.ts';

type Options = Parameters<typeof parquetWriteBuffer>[0];
type Element = NonNullable<Options['schema']>[number];
type Source = Options['columnData'][number];

/** Columns by whose bounds a query engine can pass over a part; those of texts would only cost. */
const BOUNDED: ReadonlySet<string> = new Set([
  'emitted_at',
  'event_type',
  'agent_id',
  'repo',
  'session_id',
]);

/** Rows as a Parquet file of one row group. The same rows give the same bytes. */
export function writeRows(rows: readonly PartRow[]): Uint8Array {
  const buffer = parquetWriteBuffer({
    schema: [
      { name: 'envelope', num_children: PART_COLUMNS.length },
      ...PART_COLUMNS.flatMap(elementsOf),
    ],
    columnData: PART_COLUMNS.map((column, i) =>
      sourceOf(
        column,
        rows.map((row) => row[i]),
      ),
    ),
    rowGroupSize: Math.max(1, rows.length),
    codec: 'SNAPPY',
    createdBy: 'credence',
    kvMetadata: [{ ...PART_VERSION }],
  });
  return new Uint8Array(buffer);
}

function elementsOf(column: PartColumn): Element[] {
  const { name, type } = column;
  const repetition_type = column.nullable ? 'OPTIONAL' : 'REQUIRED';
  switch (type) {
    case 'text':
      return [{ ...TEXT, name, repetition_type }];
    case 'boolean':
      return [{ name, type: 'BOOLEAN', repetition_type }];
    case 'integer':
      return [{ name, type: 'INT64', repetition_type }];
    case 'instant':
      return [{ ...INSTANT, name, repetition_type }];
    case 'texts':
      return [...list(name, repetition_type), { ...TEXT, name: 'element' }];
    case 'injected':
      return [
        ...list(name, repetition_type),
        { name: 'element', repetition_type: 'REQUIRED', num_children: INJECTED_FIELDS.length },
        ...INJECTED_FIELDS.map((field): Element => ({ ...TEXT, name: field })),
      ];
  }
}

const TEXT = {
  type: 'BYTE_ARRAY',
  repetition_type: 'REQUIRED',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
} as const;

const INSTANT = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
} as const;

function list(name: string, repetition_type: 'OPTIONAL' | 'REQUIRED'): Element[] {
  return [
    {
      name,
      repetition_type,
      num_children: 1,
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ];
}

function sourceOf(column: PartColumn, values: PartValue[]): Source {
  const { name, type } = column;
  const integers = type === 'integer' || type === 'instant';
  return {
    name,
    data: integers
      ? values.map((value) => (value === undefined ? value : BigInt(value as number)))
      : values,
    statistics: BOUNDED.has(name),
    offsetIndex: false,
    // Left to itself the writer codes flags in runs, which would be one more encoding to read.
    ...(type === 'boolean' ? { encoding: 'PLAIN' as const } : {}),
  };
}
