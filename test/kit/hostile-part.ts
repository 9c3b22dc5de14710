import { PART_COLUMNS, PART_VERSION, type PartType } from '../../src/lake/part.ts';

/*
 * Parquet files that no writer makes: their metadata is put together here, in Thrift's compact protocol, so that it can say
 * anything. Numbers below are field ids and types of parquet.thrift.
 */

type Bytes = readonly number[];
type Field = readonly [id: number, type: number, bytes: Bytes];

const I32 = 5;
const I64 = 6;
const TEXT = 8;
const LIST = 9;
const STRUCT = 12;

function varint(n: number): number[] {
  const bytes: number[] = [];
  for (let left = n; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push((left % 128) + 128);
  }
}
const zigzag = (n: number) => varint(n * 2);
const text = (value: string) => [...varint(Buffer.byteLength(value)), ...Buffer.from(value)];
const list = (type: number, values: readonly Bytes[]) => [
  0xf0 + type,
  ...varint(values.length),
  ...values.flat(),
];
const number = (id: number, n: number, type = I32): Field => [id, type, zigzag(n)];
const name = (id: number, value: string): Field => [id, TEXT, text(value)];
const structs = (id: number, values: readonly Bytes[]): Field => [id, LIST, list(STRUCT, values)];

function struct(fields: readonly Field[]): number[] {
  const idBefore = (i: number) => fields[i - 1]?.[0] ?? 0;
  const bytes = fields.map(([id, type, value], i) => [(id - idBefore(i)) * 16 + type, ...value]);
  return [...bytes.flat(), 0];
}

const PHYSICAL: Record<PartType, number> = {
  text: 6,
  texts: 6,
  injected: 6,
  integer: 2,
  instant: 2,
  boolean: 0,
};
const REQUIRED = PART_COLUMNS.filter((column) => !column.nullable);

/** The leaf columns of such a file. */
export const HOSTILE_COLUMNS = REQUIRED.length;

function schema(): Bytes[] {
  const columns = REQUIRED.flatMap((column): Bytes[] => {
    const instant = column.type === 'instant' ? [number(6, 9)] : [];
    const leaf = [number(1, PHYSICAL[column.type]), number(3, 0)];
    if (column.type !== 'texts') return [struct([...leaf, name(4, column.name), ...instant])];
    return [
      struct([number(3, 0), name(4, column.name), number(5, 1)]),
      struct([number(3, 2), name(4, 'list'), number(5, 1)]),
      struct([...leaf, name(4, 'element')]),
    ];
  });
  return [struct([name(4, 'envelope'), number(5, REQUIRED.length)]), ...columns];
}

/** A data page without values. */
export function emptyPage(): Buffer {
  const about = [1, 2, 3, 4, 5, 6].map((id) => number(id, 0));
  return Buffer.from(
    struct([number(1, 3), number(2, 0), number(3, 0), [8, STRUCT, struct(about)]]),
  );
}

/** A file whose row groups, of `rows` rows by their word, all have these pages in each of their columns. */
export function hostilePart(pages: Buffer, groups: number, rows = 0): Buffer {
  const chunks = REQUIRED.map((column) => {
    const path = column.type === 'texts' ? [column.name, 'list', 'element'] : [column.name];
    const about = struct([
      [3, LIST, list(TEXT, path.map(text))],
      number(4, 0),
      number(7, pages.length, I64),
      number(9, 4, I64),
    ]);
    return struct([[3, STRUCT, about]]);
  });
  const group = struct([structs(1, chunks), number(3, rows, I64)]);
  const version = struct([name(1, PART_VERSION.key), name(2, PART_VERSION.value)]);
  const footer = Buffer.from(
    struct([
      structs(2, schema()),
      structs(
        4,
        Array.from({ length: groups }, () => group),
      ),
      structs(5, [version]),
    ]),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from('PAR1'), pages, footer, length, Buffer.from('PAR1')]);
}
