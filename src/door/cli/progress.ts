import type { Parts } from '../../pipeline.ts';
import { errorPc } from './colour.ts';
import { size } from './output.ts';
import { cutTo } from './table.ts';

/** A moving bar on a terminal, a line now and then elsewhere. */
export interface Progress {
  advance(done: number, label: string): void;
  end(): void;
}

const BAR_WIDTH = 28;
const BAR_WIDTH_MIN = 8;
const LABEL_WIDTH_MAX = 40;
/** Less of a label than this says nothing. */
const LABEL_WIDTH_MIN = 8;
const REDRAW_MS = 80;
const LINE_MS = 5_000;
const MOMENT_MS = 500;
const CLEAR = '\r\u001b[K';

function eta(done: number, total: number, ms: number): string {
  if (done === 0 || ms < 1_000) return '';
  const left = Math.round((ms * (total - done)) / done / 1_000);
  return left < 90 ? `${left} s left` : `${Math.round(left / 60)} min left`;
}

/** Work over bytes, as it stands. */
export interface Standing {
  readonly done: number;
  readonly total: number;
  readonly ms: number;
  readonly label: string;
}

/** The texts beside a bar, by how much they say: those that fit are shown. */
function factsWithin(standing: Standing, width: number): string {
  const { done, total, ms } = standing;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const rate = Math.round((done / Math.max(1, ms)) * 1_000);
  const facts = [
    `${Math.round(share * 100)} %`,
    `${size(done)} of ${size(total)}`,
    `${size(rate)}/s`,
    eta(done, total, ms),
  ].filter((fact) => fact !== '');
  while (facts.length > 1 && facts.join(', ').length > width) facts.pop();
  return facts.join(', ');
}

/** A bar with its facts and its label, in at most `width` columns: the label goes first, then facts, then some of the bar. */
export function barLine(standing: Standing, width: number): string {
  const facts = factsWithin(standing, width - BAR_WIDTH - 1);
  const barWidth = Math.min(BAR_WIDTH, width - facts.length - 1);
  if (barWidth < BAR_WIDTH_MIN) return cutTo(facts, width);
  const { done, total, label } = standing;
  const filled = Math.round((total === 0 ? 1 : Math.min(1, done / total)) * barWidth);
  const bar = errorPc.cyan('█'.repeat(filled)) + errorPc.dim('░'.repeat(barWidth - filled));
  const room = Math.min(LABEL_WIDTH_MAX, width - barWidth - facts.length - 3);
  const shown =
    room < LABEL_WIDTH_MIN || label === '' ? '' : `  ${errorPc.dim(cutTo(label, room))}`;
  return `${bar} ${facts}${shown}`;
}

/** The columns that a line leaves free: for the `^C` that a terminal shows, which must not begin a second row. */
const FREE_COLUMNS = 3;

function columns(): number {
  return (process.stderr.columns || 80) - FREE_COLUMNS;
}

/** One line on standard error that is drawn again and again. It goes at its end, and when a signal ends the process. */
function liveLine() {
  let isShown = false;
  const clear = () => {
    if (isShown) process.stderr.write(CLEAR);
    isShown = false;
  };
  const interrupted = (signal: NodeJS.Signals) => {
    end();
    // Who else listens decides when the process ends. Nobody does: it ends as it would have without the line.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const end = () => {
    clear();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
  };
  const draw = (line: string) => {
    if (!isShown)
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupted);
    isShown = true;
    process.stderr.write(CLEAR + line);
  };
  return { draw, end, isShown: () => isShown };
}

/** Progress over `total` bytes on standard error; `now` gives milliseconds. */
export function bytesProgress(total: number, now: () => number): Progress {
  const started = now();
  const isTerminal = process.stderr.isTTY === true;
  const line = liveLine();
  let drawn = isTerminal ? 0 : started;
  return {
    advance(done, label) {
      if (now() - drawn < (isTerminal ? REDRAW_MS : LINE_MS)) return;
      drawn = now();
      const standing = { done, total, ms: now() - started, label };
      if (isTerminal) line.draw(barLine(standing, columns()));
      else process.stderr.write(`${barLine(standing, Number.POSITIVE_INFINITY)}\n`);
    },
    end: line.end,
  };
}

/** A text that changes, on a terminal, once the work takes longer than a moment. */
function textProgress(now: () => number): { say(text: string): void; end(): void } {
  const line = liveLine();
  let drawn = now();
  return {
    say(text) {
      if (process.stderr.isTTY !== true) return;
      if (now() - drawn < (line.isShown() ? REDRAW_MS : MOMENT_MS)) return;
      drawn = now();
      line.draw(errorPc.dim(cutTo(text, columns())));
    },
    end: line.end,
  };
}

/** What hears how far the long work is. */
interface Watch extends Pick<Required<Parts>, 'followed' | 'sealing' | 'extracting'> {
  readonly found: (n: number, of: number) => void;
  readonly audited: (n: number, of: number) => void;
  readonly bundled: (n: number, of: number) => void;
  readonly retold: (n: number, of: number) => void;
}

/** Runs with a line that says how far the ledger is followed, and how many sessions are sealed, parts found, or commits checked. */
export async function watched<T>(body: (watch: Watch) => Promise<T>): Promise<T> {
  const progress = textProgress(Date.now);
  const number = (n: number) => n.toLocaleString('en');
  try {
    return await body({
      followed: (position) => progress.say(`following the ledger: ${number(position)} entries`),
      sealing: (n, of) => progress.say(`sealing ${number(n)} of ${number(of)} sessions`),
      extracting: (n, of) =>
        progress.say(`asked a model about ${number(n)} of ${number(of)} sessions`),
      audited: (n, of) => progress.say(`checked ${number(n)} of ${number(of)} commits`),
      retold: (n, of) => progress.say(`told ${number(n)} of ${number(of)} decisions again`),
      bundled: (n, of) => progress.say(`read ${number(n)} of ${number(of)} entries`),
      found: (n, of) => progress.say(`found ${number(n)} of ${number(of)} parts in the store`),
    });
  } finally {
    progress.end();
  }
}
