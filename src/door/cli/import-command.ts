import type { Command } from 'commander';
import type { Trouble } from '../../base/trouble.ts';
import type { Cursor, Imported } from '../../lake/import.ts';
import { importAll, type Parts, type SyncReport } from '../../pipeline.ts';
import type { HistoryFile } from '../../runtime/history.ts';
import { momentOf } from './arguments.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { busyError } from './error-text.ts';
import { failOver, syncLines, troubleLines } from './flow-commands.ts';
import { count } from './output.ts';
import { bytesProgress } from './progress.ts';
import { ensureSetUp } from './set-up-commands.ts';

type Tally = Imported['tally'];

const NOTHING: Tally = { lines: 0, imported: 0, merged: 0, skipped: {} };

/** Adds the counts of `other`, `sign` times. */
function plus(tally: Tally, other: Tally, sign: 1 | -1 = 1): Tally {
  const reasons = new Set([...Object.keys(tally.skipped), ...Object.keys(other.skipped)]);
  const skipped = [...reasons].map((reason): [string, number] => [
    reason,
    (tally.skipped[reason] ?? 0) + sign * (other.skipped[reason] ?? 0),
  ]);
  return {
    lines: tally.lines + sign * other.lines,
    imported: tally.imported + sign * other.imported,
    merged: tally.merged + sign * other.merged,
    skipped: Object.fromEntries(skipped.filter(([, n]) => n !== 0)),
  };
}

/** What importing came to. Each count: `imported + merged + Σ skipped = lines`. */
export interface ImportSummary {
  readonly files: number;
  /** Files in which there was something new. */
  readonly newFiles: number;
  /** The lines that this run read for the first time. */
  readonly thisRun: Tally;
  /** All lines of the files, over all runs. */
  readonly wholeFiles: Tally;
  readonly troubles: readonly Trouble[];
  readonly sync: SyncReport;
}

/** What this run did of a file: it goes on from where an earlier one stopped. */
function doneNow({ isNew, tally }: Imported, earlier: Tally | undefined): Tally {
  return isNew ? plus(tally, earlier ?? NOTHING, -1) : NOTHING;
}

/** Imports the given transcripts with a progress bar, and syncs. */
export async function importWithProgress(
  context: Context,
  parts: Parts,
  files: readonly HistoryFile[],
): Promise<ImportSummary> {
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const progress = bytesProgress(total, parts.world.now);
  const sizes = new Map(files.map((file) => [file.path, file.size]));
  const earlier = new Map<string, Tally>();
  const cursor = (path: string): Cursor | undefined => {
    const found = parts.cursor(path);
    // That of a file which shrank is not gone on from, nor that of one with excluded lines: it is read again.
    const isGoneOnFrom = found && found.size <= (sizes.get(path) ?? 0);
    if (isGoneOnFrom && found.tally.skipped['excluded'] === undefined)
      earlier.set(path, found.tally);
    return found;
  };
  let before = 0;
  let current: HistoryFile | undefined;
  const advance = (file: HistoryFile, bytes: number) => {
    if (current && current !== file) before += current.size;
    current = file;
    if (!context.out.json) progress.advance(before + bytes, file.source.session);
  };
  const sealing = (n: number, of: number) => {
    progress.end();
    parts.sealing?.(n, of);
  };
  try {
    const watched = { ...parts, cursor, sealing };
    const { imported, troubles, sync } = await importAll(watched, files, advance);
    const now = imported.map((one) => doneNow(one, earlier.get(one.path)));
    return {
      files: files.length,
      newFiles: imported.filter((one) => one.isNew).length,
      thisRun: now.reduce((sum, tally) => plus(sum, tally), NOTHING),
      wholeFiles: imported.reduce((sum, { tally }) => plus(sum, tally), NOTHING),
      troubles,
      sync,
    };
  } finally {
    progress.end();
  }
}

function tallyLines(tally: Tally, what: string): string[] {
  const skipped = Object.entries(tally.skipped).sort(([, a], [, b]) => b - a);
  const sum = skipped.reduce((total, [, n]) => total + n, 0);
  const reasons = skipped.map(([reason, n]) => `${reason} ${n}`).join(', ');
  return [
    `${count(tally.lines, what)}: ${tally.imported} imported, ${tally.merged} merged into other events, ${sum} skipped`,
    ...(reasons === '' ? [] : [pc.dim(`skipped: ${reasons}`)]),
  ];
}

/** Every line accounted for: those of this run, then those of the files. */
export function importLines(summary: ImportSummary): string[] {
  const { thisRun, wholeFiles, files, newFiles } = summary;
  const isPart = thisRun.lines < wholeFiles.lines;
  return [
    `${newFiles} of ${count(files, 'transcript')} had something new`,
    ...(thisRun.lines === 0 ? ['0 new lines'] : tallyLines(thisRun, 'new line')),
    ...(isPart
      ? tallyLines(wholeFiles, 'line').map((line, at) => (at === 0 ? `in all, ${line}` : line))
      : []),
    ...troubleLines(summary.troubles),
    ...syncLines(summary.sync),
  ];
}

/** `credence import`. */
export function importCommand(program: Command, context: Context): void {
  program
    .command('import')
    .description('bring in the agent history that is on this machine')
    .option('--all', 'everything, however old (the default)')
    .option(
      '--since <moment>',
      'only transcripts written since a day, or so long ago (2d)',
      momentOf,
    )
    .addHelpText('after', '\nExample:\n  credence import --since 2026-01-01')
    .action(async ({ since = 0 }: { since?: number }) => {
      await ensureSetUp(context, ['claude-code']);
      const done = await context.withParts(async (parts) => {
        const files = [...parts.history.files()].filter((file) => file.modifiedAt >= since);
        if (files.length === 0) context.out.text(`no transcripts in ${parts.history.folder}`);
        return importWithProgress(context, parts, files);
      });
      if (!done) throw busyError();
      const summary = done.value;
      context.out.value(summary);
      for (const line of importLines(summary)) context.out.text(line);
      failOver([...summary.troubles, ...summary.sync.troubles]);
    });
}
