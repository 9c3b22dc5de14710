import { pc } from './colour.ts';
import { size } from './output.ts';

/** A moving bar on a terminal, a line now and then elsewhere. */
export interface Progress {
  advance(done: number, label: string): void;
  end(): void;
}

const WIDTH = 28;
const REDRAW_MS = 80;
const LINE_MS = 5_000;
const MOMENT_MS = 500;

function eta(done: number, total: number, ms: number): string {
  if (done === 0 || ms < 1_000) return '';
  const left = Math.round((ms * (total - done)) / done / 1_000);
  return left < 90 ? `${left} s left` : `${Math.round(left / 60)} min left`;
}

/** Progress over `total` bytes on standard error; `now` gives milliseconds. */
export function bytesProgress(total: number, now: () => number): Progress {
  const started = now();
  const isTerminal = process.stderr.isTTY === true;
  let drawn = isTerminal ? 0 : started;
  const draw = (done: number, label: string) => {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const filled = Math.round(share * WIDTH);
    const bar = pc.cyan('█'.repeat(filled)) + pc.dim('░'.repeat(WIDTH - filled));
    const rate = (done / Math.max(1, now() - started)) * 1_000;
    const facts = [
      `${Math.round(share * 100)} %`,
      `${size(done)} of ${size(total)}`,
      `${size(Math.round(rate))}/s`,
      eta(done, total, now() - started),
    ];
    const line = `${bar} ${facts.filter((fact) => fact !== '').join(', ')}  ${pc.dim(label.slice(0, 40))}`;
    process.stderr.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`);
  };
  return {
    advance(done, label) {
      if (now() - drawn < (isTerminal ? REDRAW_MS : LINE_MS)) return;
      drawn = now();
      draw(done, label);
    },
    end: () => void (isTerminal && process.stderr.write('\r\u001b[K')),
  };
}

/** A number that grows towards one that nobody knows, on a terminal, once the work takes longer than a moment. */
export function countProgress(label: string, now: () => number): Progress {
  let drawn = now();
  let isShown = false;
  return {
    advance(done, unit) {
      if (process.stderr.isTTY !== true || now() - drawn < (isShown ? REDRAW_MS : MOMENT_MS))
        return;
      drawn = now();
      isShown = true;
      process.stderr.write(`\r\u001b[K${pc.dim(label)} ${done.toLocaleString('en')} ${unit}`);
    },
    end: () => void (isShown && process.stderr.write('\r\u001b[K')),
  };
}
