import {
  INJECTED_FIELDS,
  malformed,
  PART_COLUMNS,
  PART_VERSION,
  type PartColumn,
  type PartRow,
  type PartType,
  type PartValue,
} from '../../lake/part.ts';
import type { Injected } from '../../runtime/envelope.ts';
import {
  CONVERTED_TIMESTAMP_MILLIS,
  type Footer,
  type Group,
  type Leaf,
  PHYSICAL,
  pathKey,
  readFooter,
} from './footer.ts';
import { type Page, readPages, type Spend, type Value } from './page.ts';

/** What one decoding may take: an 8 MB part takes a tenth of it. Hostile files are small, and claim more. */
const MEMORY_BYTES_MAX = 256 * 1024 * 1024;

const PHYSICAL_OF: Record<PartType, number> = {
  text: PHYSICAL.bytes,
  texts: PHYSICAL.bytes,
  injected: PHYSICAL.bytes,
  integer: PHYSICAL.integer,
  instant: PHYSICAL.integer,
  boolean: PHYSICAL.boolean,
};

/**
 * The rows of a Parquet file that has these columns of a part, and maybe others, in at most `memoryBytes` of
 * memory, about. Throws `part.malformed`.
 */
export function readRows(
  file: Uint8Array,
  columns: readonly PartColumn[] = PART_COLUMNS,
  memoryBytes = MEMORY_BYTES_MAX,
): PartRow[] {
  const footer = readFooter(file);
  if (footer.pairs.get(PART_VERSION.key) !== PART_VERSION.value) {
    throw malformed(`its ${PART_VERSION.key} is not ${PART_VERSION.value}`);
  }
  const sources = columns.map((column) => sourceOf(column, footer.leaves));
  const spend = budget(memoryBytes);
  const rows: PartRow[] = [];
  for (const group of footer.groups) {
    // Asked for before anything is allocated for them. Other writers leave groups without rows: they are not free.
    spend((group.rows + 1) * columns.length * 8);
    const read = sources.map((source) => source && readColumn(file, source, group, spend));
    for (let i = 0; i < group.rows; i++) rows.push(read.map((column) => column?.[i]));
  }
  return rows;
}

/** A column, and where the file has it: one leaf, or one for each field of an injected item. */
interface Source {
  readonly column: PartColumn;
  readonly leaves: readonly { readonly key: string; readonly leaf: Leaf }[];
}

/** Undefined where the file lacks the column, and may. */
function sourceOf(column: PartColumn, leaves: Footer['leaves']): Source | undefined {
  const keys = pathsOf(column).map(pathKey);
  if (column.nullable && keys.every((key) => !leaves.has(key))) return undefined;
  return {
    column,
    leaves: keys.map((key) => {
      const leaf = leaves.get(key);
      if (leaf === undefined) throw malformed(`it lacks the column ${column.name}`);
      assertLeaf(column, leaf);
      return { key, leaf };
    }),
  };
}

function pathsOf(column: PartColumn): readonly (readonly string[])[] {
  if (column.type === 'texts') return [[column.name, 'list', 'element']];
  if (column.type !== 'injected') return [[column.name]];
  return INJECTED_FIELDS.map((name) => [column.name, 'list', 'element', name]);
}

function assertLeaf(column: PartColumn, leaf: Leaf): void {
  const isList = column.type === 'texts' || column.type === 'injected';
  if (
    leaf.physical !== PHYSICAL_OF[column.type] ||
    leaf.repetitionMax !== (isList ? 1 : 0) ||
    // Nothing below a list's item may be null.
    (isList && leaf.definitionMax !== leaf.itemDefinition) ||
    (column.type === 'instant' && leaf.converted !== CONVERTED_TIMESTAMP_MILLIS)
  ) {
    throw malformed(`its column ${column.name} is of another type`);
  }
}

/** The values of a column in one row group. */
function readColumn(file: Uint8Array, source: Source, group: Group, spend: Spend): PartValue[] {
  const { column, leaves } = source;
  const read = leaves.map(({ key, leaf }) => {
    const chunk = group.chunks.get(key);
    if (chunk === undefined) throw malformed(`it lacks the column ${column.name}`);
    const pages = readPages(file, chunk, leaf, spend);
    const isList = leaf.repetitionMax > 0;
    const values = isList
      ? readLists(pages, leaf, group.rows)
      : readScalars(pages, leaf, group.rows);
    if (values.length !== group.rows) throw malformed(`its column ${column.name} is cut off`);
    return values;
  });
  if (column.type === 'injected') return zipInjected(read as Lists[]);
  // Lists are of texts: their physical type was checked above.
  return (read[0] ?? []) as PartValue[];
}

function readScalars(pages: Iterable<Page>, leaf: Leaf, rows: number): (Value | undefined)[] {
  const column: (Value | undefined)[] = [];
  for (const { count, definition, values } of pages) {
    if (column.length + count > rows) throw malformed('a page has more rows than its group');
    let next = 0;
    for (let i = 0; i < count; i++) {
      const isNull = definition !== undefined && definition[i] !== leaf.definitionMax;
      column.push(isNull ? undefined : values[next++]);
    }
  }
  return column;
}

type Lists = (Value[] | undefined)[];

/** Levels as Parquet has them: repetition 0 begins a row; one below an item is an empty list. */
function readLists(pages: Iterable<Page>, leaf: Leaf, rows: number): Lists {
  const column: Lists = [];
  for (const { count, repetition, definition, values } of pages) {
    let next = 0;
    for (let i = 0; i < count; i++) {
      const level = definition?.[i] ?? 0;
      const value = level === leaf.definitionMax ? values[next++] : undefined;
      if (repetition?.[i] === 0) {
        if (column.length === rows) throw malformed('a page has more rows than its group');
        if (value !== undefined) column.push([value]);
        else column.push(level === leaf.definitionMax - 1 ? [] : undefined);
      } else {
        const list = column.at(-1);
        if (list === undefined || value === undefined)
          throw malformed('a list goes on from nowhere');
        list.push(value);
      }
    }
  }
  return column;
}

function zipInjected(fields: readonly Lists[]): PartValue[] {
  const [first = []] = fields;
  return first.map((list, row) => {
    if (fields.some((field) => field[row]?.length !== list?.length)) {
      throw malformed('an injected item is not whole');
    }
    // Whether the values are right is for the envelope's schema to say, as everywhere.
    return list?.map((_, i) => {
      return Object.fromEntries(INJECTED_FIELDS.map((name, f) => [name, fields[f]?.[row]?.[i]]));
    }) as readonly Injected[] | undefined;
  });
}

function budget(bytesMax: number): Spend {
  let left = bytesMax;
  return (bytes) => {
    left -= bytes;
    if (!(left >= 0)) throw malformed('it would take more memory than a part may');
  };
}
