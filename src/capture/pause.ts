import type { HookFiles } from './port.ts';

/** A prompt's line in the transcript can be a little older than the hook that hears of it. */
const EARLY_MS = 5_000;

/** A stretch of time in which nothing was to be captured, in milliseconds; half open. */
export interface Pause {
  readonly from: number;
  readonly to: number;
}

/**
 * Notes in a log that capture is paused, or that it is no more, where that is news: times alone, never an event. Without
 * it the transcript would later bring in what was not to be captured.
 */
export function notePause(
  files: HookFiles,
  path: string,
  { paused, now }: { readonly paused: boolean; readonly now: number },
): void {
  if (isPausedIn(files, path) !== paused)
    files.append(path, `${paused ? 'paused' : 'resumed'} ${now}\n`);
}

/** What a log last says. */
export function isPausedIn(files: HookFiles, path: string): boolean {
  return files.tail(path, 64).trimEnd().split('\n').at(-1)?.startsWith('paused') === true;
}

/** The pauses that a log tells of. One that was never ended has no end. */
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
