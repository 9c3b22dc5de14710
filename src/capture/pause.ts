import { pausedPath } from './paths.ts';
import type { HookFiles } from './port.ts';

/** A prompt's line in the transcript can be a little older than the hook that hears of it. */
const EARLY_MS = 5_000;

/** A stretch of time in which nothing was to be captured, in milliseconds; half open. */
export interface Pause {
  readonly from: number;
  readonly to: number;
}

/**
 * Notes that a session is paused, or that it is no more: times alone, never an event. Without it the transcript would
 * later bring in what was not to be captured.
 */
export function notePause(
  files: HookFiles,
  at: {
    readonly runtime: string;
    readonly session: string;
    readonly paused: boolean;
    readonly now: number;
  },
): void {
  const path = pausedPath(at.runtime, at.session);
  const wasPaused =
    files.tail(path, 64).trimEnd().split('\n').at(-1)?.startsWith('paused') === true;
  if (wasPaused !== at.paused)
    files.append(path, `${at.paused ? 'paused' : 'resumed'} ${at.now}\n`);
}

/** The pauses that a session's notes tell of. One that was never ended has no end. */
export function pausesOf(text: string): Pause[] {
  const pauses: Pause[] = [];
  let from: number | undefined;
  for (const line of text.split('\n')) {
    const [, word, ms] = /^(paused|resumed) (\d{1,15})$/.exec(line) ?? [];
    if (word === 'paused') from ??= Number(ms) - EARLY_MS;
    if (word !== 'resumed' || from === undefined) continue;
    pauses.push({ from, to: Number(ms) });
    from = undefined;
  }
  return from === undefined ? pauses : [...pauses, { from, to: Number.POSITIVE_INFINITY }];
}
