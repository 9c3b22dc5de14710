import { malformed } from '../../lake/part.ts';
import {
  countAt,
  structAt,
  structsAt,
  ThriftReader,
  type ThriftStruct,
  textAt,
  textsAt,
} from './thrift.ts';

/** Parquet's physical types, as far as parts use them. Source, as of all enums here: parquet.thrift. */
export const PHYSICAL = { boolean: 0, integer: 2, bytes: 6 } as const;
/** Parquet's compression codecs, as far as parts use them. */
export const CODEC = { none: 0, snappy: 1 } as const;
const REPEATED = 2;
/** The converted type of milliseconds since the epoch. */
export const CONVERTED_TIMESTAMP_MILLIS = 9;

const MAGIC = 'PAR1';
/** A part's own footer takes some 7 KB; parsed, a footer can take a hundred times its size. */
const FOOTER_BYTES_MAX = 256 * 1024;

/** A column without children: what its levels go up to, and how its values are stored. */
export interface Leaf {
  readonly physical: number;
  readonly converted: number | undefined;
  readonly definitionMax: number;
  readonly repetitionMax: number;
  /** The definition level of an item of the innermost list; 0 where there is no list. */
  readonly itemDefinition: number;
}

/** Where the pages of a leaf lie in a row group. */
export interface Chunk {
  readonly codec: number;
  readonly start: number;
  readonly end: number;
}

/** A row group: its rows, and its chunks by path (see `pathKey`). */
export interface Group {
  readonly rows: number;
  readonly chunks: ReadonlyMap<string, Chunk>;
}

/** What a file says about itself. */
export interface Footer {
  /** By path (see `pathKey`). */
  readonly leaves: ReadonlyMap<string, Leaf>;
  readonly groups: readonly Group[];
  /** Key-value metadata. */
  readonly pairs: ReadonlyMap<string, string>;
}

/** The name of a leaf's path that no other path has. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

/** Reads what a Parquet file says about itself. Throws `part.malformed`. */
export function readFooter(file: Uint8Array): Footer {
  const tail = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const end = file.length - 8;
  if (
    end < 4 ||
    tail.toString('latin1', 0, 4) !== MAGIC ||
    tail.toString('latin1', end + 4) !== MAGIC
  ) {
    throw malformed('it does not begin and end as a Parquet file');
  }
  const length = tail.readUInt32LE(end);
  if (length > Math.min(FOOTER_BYTES_MAX, end - 4)) throw malformed('its footer is too long');
  const footer = new ThriftReader(file, end - length, end).struct();
  return {
    leaves: leavesOf(structsAt(footer, 2)),
    groups: structsAt(footer, 4).map((group) => ({
      rows: countAt(group, 3),
      chunks: new Map(structsAt(group, 1).map(chunkOf)),
    })),
    pairs: pairsOf(footer),
  };
}

/** The schema comes as a list in preorder, each element saying how many children follow it. */
function leavesOf(elements: readonly ThriftStruct[]): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  const [root, ...rest] = elements;
  if (root === undefined) throw malformed('it has no schema');
  const open = [
    { left: countAt(root, 5), path: [] as string[], definition: 0, repetition: 0, item: 0 },
  ];
  for (const element of rest) {
    while (open.at(-1)?.left === 0) open.pop();
    const parent = open.at(-1);
    // A path is copied at each level of it, which hostile depth would make quadratic.
    if (parent === undefined || open.length > 8) throw malformed('its schema is not a tree');
    parent.left--;
    const repetition = countAt(element, 3);
    const definition = parent.definition + (repetition === 0 ? 0 : 1);
    const node = {
      left: element.has(5) ? countAt(element, 5) : 0,
      path: [...parent.path, textAt(element, 4)],
      definition,
      repetition: parent.repetition + (repetition === REPEATED ? 1 : 0),
      item: repetition === REPEATED ? definition : parent.item,
    };
    if (node.left > 0) {
      open.push(node);
      continue;
    }
    leaves.set(pathKey(node.path), {
      physical: countAt(element, 1),
      converted: element.has(6) ? countAt(element, 6) : undefined,
      definitionMax: node.definition,
      repetitionMax: node.repetition,
      itemDefinition: node.item,
    });
  }
  return leaves;
}

function chunkOf(column: ThriftStruct): [string, Chunk] {
  const about = structAt(column, 3);
  const data = countAt(about, 9);
  const start = about.has(11) ? Math.min(data, countAt(about, 11)) : data;
  const end = start + countAt(about, 7);
  return [pathKey(textsAt(about, 3)), { codec: countAt(about, 4), start, end }];
}

function pairsOf(footer: ThriftStruct): Map<string, string> {
  const pairs = footer.has(5) ? structsAt(footer, 5) : [];
  return new Map(pairs.map((pair) => [textAt(pair, 1), pair.has(2) ? textAt(pair, 2) : '']));
}
