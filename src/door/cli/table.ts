import Table from 'cli-table3';
import { CUT_MARK } from '../../base/text.ts';
import { pc } from './colour.ts';

const GAP = '  ';
const ESCAPE = '\u001b';
const COLOUR = new RegExp(`${ESCAPE}\\[[0-9;]*m`, 'g');
/** Characters that take two columns of a terminal. */
const WIDE =
  /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

function widthOfCharacter(character: string): number {
  if (character >= ' ' && character <= '~') return 1;
  return NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** How many columns of a terminal a text takes, without its colours. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text.replaceAll(COLOUR, '')) width += widthOfCharacter(character);
  return width;
}

/** A text without colours, cut to so many columns, with a mark where it was cut. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let taken = 0;
  for (const character of text) {
    taken += widthOfCharacter(character);
    if (taken > width - 1) break;
    kept += character;
  }
  return width < 1 ? '' : kept + CUT_MARK;
}

/** What to give up, in this order, so that a table fits: whole columns first, then the ends of texts without colours. */
export interface Fit {
  /** Undefined where nothing limits it. */
  readonly width: number | undefined;
  readonly drop?: readonly string[];
  /** Columns, and what each keeps at least. */
  readonly cut?: readonly (readonly [column: string, width: number])[];
}

/** The columns of the terminal; undefined where the output goes elsewhere, and is wanted whole. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY === true ? process.stdout.columns : undefined;
}

interface Column {
  readonly name: string;
  readonly cells: readonly string[];
}

const naturalWidth = ({ name, cells }: Column) => Math.max(...[name, ...cells].map(widthOf));

function excess(columns: readonly Column[], width: number): number {
  const all = columns.reduce((sum, column) => sum + naturalWidth(column), 0);
  return all + GAP.length * (columns.length - 1) - width;
}

function fitted(
  columns: readonly Column[],
  { width, drop = [], cut = [] }: Fit,
): readonly Column[] {
  if (width === undefined) return columns;
  let kept = columns;
  for (const name of drop) {
    if (excess(kept, width) > 0) kept = kept.filter((column) => column.name !== name);
  }
  for (const [name, least] of cut) {
    const over = excess(kept, width);
    if (over <= 0) break;
    kept = kept.map((column) => {
      if (column.name !== name) return column;
      const room = Math.max(least, naturalWidth(column) - over);
      return { ...column, cells: column.cells.map((cell) => cutTo(cell, room)) };
    });
  }
  return kept;
}

/** A table without rules. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  fit: Fit = { width: undefined },
): string {
  const columns = fitted(
    head.map((name, at) => ({ name, cells: rows.map((row) => row[at] ?? '') })),
    fit,
  );
  const rules = ['top', 'bottom', 'left', 'right'].flatMap((side) => [side, `${side}-mid`]);
  const corners = ['top', 'bottom'].flatMap((side) => [`${side}-left`, `${side}-right`]);
  const none = [...rules, ...corners, 'mid', 'mid-mid'].map((name) => [name, '']);
  const grid = new Table({
    head: columns.map(({ name }) => pc.dim(name)),
    chars: { ...Object.fromEntries(none), middle: GAP },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  grid.push(...rows.map((_, at) => columns.map(({ cells }) => cells[at] ?? '')));
  return grid.toString();
}
