import { statSync, utimesSync } from 'node:fs';
import { writeFileAtomically } from './small-file.ts';

/** True where a stamp is older than `span` (milliseconds) or was never made, and after the clock was set back by more. */
export function isDue(path: string, span: number, now: number): boolean {
  const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return at === undefined || Math.abs(now - at) >= span;
}

/** Says by a file's time that something was done at this moment (milliseconds). */
export function stamp(path: string, now: number): void {
  writeFileAtomically(path, '');
  utimesSync(path, now / 1_000, now / 1_000);
}
