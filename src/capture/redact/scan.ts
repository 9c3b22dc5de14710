import { CHAR, endWithout, runEnd } from './chars.ts';
import type { DeniedPaths, TextKind } from './policy.ts';
import type { Span } from './span.ts';

/** The state of one pass over one text. */
export interface Scan {
  readonly text: string;
  readonly kind: TextKind;
  readonly policy: DeniedPaths;
  readonly spans: Span[];
  /** Set by a marker that can't tell its extent: the rule under which the whole text is withheld. */
  whole: string | undefined;
  /** How far names and their values were read: what starts before needs no second look. */
  nameEnd: number;
  /** The same for private keys, private blocks and web tokens. */
  keyEnd: number;
  privateEnd: number;
  /** Where the last closing tag of a private block stands, once it is known. */
  privateClosing?: number;
  /** Whether there is any armoured block, once it is known. */
  armoured?: boolean;
  jwtEnd: number;
  /** The same for the values of headers. */
  headerEnd: number;
  /** The last argument that each pattern for programs found. */
  arguments?: Map<string, Span>;
  /** The last stretch of what tokens go on with that was read to its end. */
  readonly tail: { from: number; end: number; stop: number };
  /** A name of a denied file stands where a search or a listing has it. */
  namesFile: boolean;
}

export function newScan(text: string, kind: TextKind, policy: DeniedPaths): Scan {
  return {
    text,
    kind,
    policy,
    spans: [],
    whole: undefined,
    nameEnd: 0,
    keyEnd: 0,
    privateEnd: 0,
    jwtEnd: 0,
    headerEnd: 0,
    tail: { from: 0, end: 0, stop: 0 },
    namesFile: false,
  };
}

/** As far as patterns read the end of a token: for a longer one ask where it ends. */
export const TAIL_MAX = 512;

/**
 * The end of a token of which a pattern has read `TAIL_MAX` characters up to `at`: of the characters that go on, without
 * a full stop. What was read once is not read again, however many tokens begin in it.
 */
export function tailEnd({ text, tail }: Scan, at: number): number {
  const isBefore = at < tail.from;
  if (isBefore || at > tail.end) {
    const end = runEnd(text, at, CHAR.tail, isBefore ? tail.from : text.length);
    if (isBefore && end < tail.from) return endWithout(text, at, end, '.');
    if (!isBefore) {
      tail.end = end;
      tail.stop = endWithout(text, at, end, '.');
    }
    tail.from = at;
  }
  return Math.max(at, tail.stop);
}

/** Looks at the place where an anchor was found, and adds spans. Its work is bounded by a constant or by what it consumes. */
export type Probe = (scan: Scan, at: number) => void;

/** A literal of three characters or more that a secret starts with; letters match in either case unless `exact`. */
export interface Anchor {
  readonly literal: string;
  readonly exact: boolean;
  readonly probe: Probe;
}

/**
 * Every anchor is found in one pass: each character folds to five bits, three of them make an index into a table
 * of 32,768 cells, and nearly all cells are empty. Letters fold without case and digits into one class, so a
 * cell is a hint only; exact anchors are compared, the others are checked by their probe.
 */
export interface AnchorIndex {
  readonly cells: Uint8Array;
  readonly buckets: readonly (readonly Anchor[])[];
}

const FOLD = new Uint8Array(128);
for (let i = 0; i < 26; i++) FOLD[65 + i] = FOLD[97 + i] = i + 1;
for (let i = 48; i < 58; i++) FOLD[i] = 27;
for (const [char, code] of [
  ['_', 28],
  ['-', 29],
  [':', 30],
  ['/', 30],
  ['<', 31],
] as const) {
  FOLD[char.charCodeAt(0)] = code;
}

const foldAt = (text: string, at: number) => FOLD[text.charCodeAt(at) & 127] ?? 0;

export function indexAnchors(anchors: readonly Anchor[]): AnchorIndex {
  const cells = new Uint8Array(1 << 15);
  const buckets: Anchor[][] = [[]];
  for (const anchor of anchors) {
    const { literal } = anchor;
    const cell = (foldAt(literal, 0) << 10) | (foldAt(literal, 1) << 5) | foldAt(literal, 2);
    let bucket = cells[cell] ?? 0;
    if (bucket === 0) {
      bucket = buckets.push([]) - 1;
      cells[cell] = bucket;
    }
    buckets[bucket]?.push(anchor);
  }
  return { cells, buckets };
}

/** Calls the probes of all anchors in the text, from left to right; stops when the whole text is to be withheld. */
export function scanAnchors(scan: Scan, { cells, buckets }: AnchorIndex): void {
  const { text } = scan;
  let cell = 0;
  for (let i = 0; i < text.length; i++) {
    cell = ((cell << 5) | (FOLD[text.charCodeAt(i) & 127] ?? 0)) & 0x7fff;
    const bucket = cells[cell];
    if (bucket === 0 || i < 2 || bucket === undefined) continue;
    for (const anchor of buckets[bucket] ?? []) {
      if (anchor.exact && !text.startsWith(anchor.literal, i - 2)) continue;
      anchor.probe(scan, i - 2);
      if (scan.whole !== undefined) return;
    }
  }
}
