const CONTEXT_LINES = 3;
/** Beyond this many pairs of lines the changed middle is shown as one replacement: still right, only longer. */
const PAIRS_MAX = 4_000_000;

/** One line of the result: in both texts, in the first only, or in the second only. */
interface Row {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/** Lines with their line feed, so that a last line without one differs from the same line with one. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function rowsOf(sign: Row['sign'], lines: readonly string[]): Row[] {
  return lines.map((line) => ({ sign, line }));
}

/** The shortest way from `a` to `b`, by the longest common subsequence. */
function shortest(a: readonly string[], b: readonly string[]): Row[] {
  if (a.length * b.length > PAIRS_MAX) return [...rowsOf('-', a), ...rowsOf('+', b)];
  const width = b.length + 1;
  // common[i * width + j]: how many lines a[i…] and b[j…] have in common, in order.
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const rows: Row[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      rows.push({ sign: ' ', line: a[i++] ?? '' });
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) rows.push({ sign: '-', line: a[i++] ?? '' });
    else rows.push({ sign: '+', line: b[j++] ?? '' });
  }
  return [...rows, ...rowsOf('-', a.slice(i)), ...rowsOf('+', b.slice(j))];
}

function compare(a: readonly string[], b: readonly string[]): Row[] {
  const length = Math.min(a.length, b.length);
  let head = 0;
  while (head < length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return [
    ...rowsOf(' ', a.slice(0, head)),
    ...shortest(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...rowsOf(' ', a.slice(a.length - tail)),
  ];
}

/** The first and last row (exclusive) of each hunk: changes with their context, joined where contexts meet. */
function hunksOf(rows: readonly Row[]): [number, number][] {
  const hunks: [number, number][] = [];
  rows.forEach(({ sign }, index) => {
    if (sign === ' ') return;
    const last = hunks.at(-1);
    const end = Math.min(rows.length, index + 1 + CONTEXT_LINES);
    if (last && index - CONTEXT_LINES <= last[1]) last[1] = end;
    else hunks.push([Math.max(0, index - CONTEXT_LINES), end]);
  });
  return hunks;
}

/** `start,count`: the count is left out where it is 1, and an empty range names the line before it. */
function range(before: number, count: number): string {
  if (count === 1) return String(before + 1);
  return `${count === 0 ? before : before + 1},${count}`;
}

/**
 * A unified diff of two texts with three lines of context: the hunks only, since the caller knows the names for the
 * two head lines. '' where the texts are equal. Lines end with a line feed; a carriage return counts as part of the
 * line. Texts with very many changed lines give a correct but not the shortest diff.
 */
export function diffLines(before: string, after: string): string {
  const rows = compare(linesOf(before), linesOf(after));
  const out: string[] = [];
  let done = 0;
  let old = 0;
  let now = 0;
  for (const [start, end] of hunksOf(rows)) {
    old += start - done;
    now += start - done;
    const hunk = rows.slice(start, end);
    const olds = hunk.filter(({ sign }) => sign !== '+').length;
    const nows = hunk.filter(({ sign }) => sign !== '-').length;
    out.push(`@@ -${range(old, olds)} +${range(now, nows)} @@\n`);
    for (const { sign, line } of hunk)
      out.push(sign, line, line.endsWith('\n') ? '' : '\n\\ No newline at end of file\n');
    old += olds;
    now += nows;
    done = end;
  }
  return out.join('');
}
