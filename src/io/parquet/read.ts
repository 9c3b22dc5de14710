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
  type Chunk,
  CONVERTED_TIMESTAMP_MILLIS,
  type Footer,
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

/** The rows of a Parquet file that has the columns of a part, and maybe others. Throws `part.malformed`. */
export function readRows(file: Uint8Array): PartRow[] {
  const footer = readFooter(file);
  if (footer.pairs.get(PART_VERSION.key) !== PART_VERSION.value) {
    throw malformed(`its ${PART_VERSION.key} is not ${PART_VERSION.value}`);
  }
  const spend = budget(MEMORY_BYTES_MAX);
  const rows: PartRow[] = [];
  for (const group of footer.groups) {
    // Asked for before anything is allocated for them.
    spend(group.rows * PART_COLUMNS.length * 8);
    const columns = PART_COLUMNS.map((column) =>
      readColumn(file, footer, { column, ...group }, spend),
    );
    for (let i = 0; i < group.rows; i++) rows.push(columns.map((column) => column?.[i]));
  }
  return rows;
}

interface Wanted {
  readonly column: PartColumn;
  readonly rows: number;
  readonly chunks: ReadonlyMap<string, Chunk>;
}

/** The values of one column in one row group; undefined where the file has no such column and may lack it. */
function readColumn(
  file: Uint8Array,
  footer: Footer,
  wanted: Wanted,
  spend: Spend,
): PartValue[] | undefined {
  const { column, rows, chunks } = wanted;
  const values = pathsOf(column).map((path) => {
    const leaf = footer.leaves.get(pathKey(path));
    const chunk = chunks.get(pathKey(path));
    if (leaf === undefined || chunk === undefined) return undefined;
    assertLeaf(column, leaf);
    const pages = readPages(file, chunk, leaf, spend);
    const read =
      leaf.repetitionMax === 0 ? readScalars(pages, leaf, rows) : readLists(pages, leaf, rows);
    if (read.length !== rows)
      throw malformed(`its column ${column.name} has not as many rows as it says`);
    return read;
  });
  const found = values.filter((value) => value !== undefined);
  if (found.length === 0 && column.nullable) return undefined;
  if (found.length !== values.length) throw malformed(`it lacks the column ${column.name}`);
  if (column.type === 'injected') return zipInjected(found as Lists[]);
  // Lists are of texts: their physical type was checked above.
  return found[0] as PartValue[] | undefined;
}

/** The paths of the leaves that make up a column. */
export function pathsOf(column: PartColumn): readonly (readonly string[])[] {
  if (column.type === 'texts') return [[column.name, 'list', 'element']];
  if (column.type !== 'injected') return [[column.name]];
  return INJECTED_FIELDS.map((name) => [column.name, 'list', 'element', name]);
}

function assertLeaf(column: PartColumn, leaf: Leaf): void {
  const list = column.type === 'texts' || column.type === 'injected' ? 1 : 0;
  if (
    leaf.physical !== PHYSICAL_OF[column.type] ||
    leaf.repetitionMax !== list ||
    leaf.definitionMax > list + 1 ||
    (column.type === 'instant' && leaf.converted !== CONVERTED_TIMESTAMP_MILLIS)
  ) {
    throw malformed(`its column ${column.name} is of another type`);
  }
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

/** Levels as Parquet has them: repetition 0 begins a row; a definition one below the top is an empty list. */
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

function zipInjected(fields: readonly Lists[]): (readonly Injected[] | undefined)[] {
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
